"""Two files as a cascade: the threshold between them, chosen and measured."""
