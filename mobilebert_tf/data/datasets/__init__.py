"""Labelled data sets: GLUE, SQuAD, CoNLL files and tables, from files or from TFDS."""
