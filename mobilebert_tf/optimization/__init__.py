"""Optimizers and learning-rate schedules, of pre-training and of fine-tuning."""
