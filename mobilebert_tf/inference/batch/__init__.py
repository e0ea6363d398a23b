"""A model over files of texts of any size, as an Apache Beam job."""
