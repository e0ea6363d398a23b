"""From examples to the rows of token ids that a model reads, and to batches of these."""
