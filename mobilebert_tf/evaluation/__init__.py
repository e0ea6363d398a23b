"""Scores, computed as the official scorers do; no model is imported here."""
