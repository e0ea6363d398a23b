"""Printing to a terminal or a pipe: tables that fit, and progress."""
