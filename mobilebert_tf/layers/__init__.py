"""The Keras layers that the family is built from, one a file."""
