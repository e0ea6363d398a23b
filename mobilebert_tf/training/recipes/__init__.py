"""Recipes: published ways to distil, as data with the source of every number."""
