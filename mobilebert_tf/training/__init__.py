"""Pre-training and knowledge transfer: losses, stages as data, and the one training loop."""
