"""The choice of a file's lengths from the texts that it will read."""
