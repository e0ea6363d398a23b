"""What a model says about texts and about a task's examples, whether of Keras or in a file."""
