"""The encoder and the models on top of it."""
