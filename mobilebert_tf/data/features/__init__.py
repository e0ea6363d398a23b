"""From examples to rows of token ids, and from rows to batches."""
