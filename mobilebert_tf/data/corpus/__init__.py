"""A corpus of tokenized text: the Beam job that writes it, and the masked batches read from it."""
