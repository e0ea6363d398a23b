"""The model as arrays, the graph made of it, and the rewrites between the two."""
