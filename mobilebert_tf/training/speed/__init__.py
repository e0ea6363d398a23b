"""How fast training is: the benchmark of the loop."""
