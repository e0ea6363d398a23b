"""Data augmentation of TinyBERT: more training rows, by a masked LM and word vectors."""
