"""Running a model, from Keras or from a file, on rows of token ids."""
