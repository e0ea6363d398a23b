"""Optimizers and learning-rate schedules for pre-training and fine-tuning."""
