"""A corpus of tokenized text: a Beam job writes it; masked batches are read from it."""
