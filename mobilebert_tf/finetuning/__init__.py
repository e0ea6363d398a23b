"""Fine-tuning with Keras's own compile and fit."""
