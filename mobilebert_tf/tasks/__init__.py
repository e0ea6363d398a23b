"""What a model is fine-tuned for and scored on: data, features, answers and scores of each kind."""
