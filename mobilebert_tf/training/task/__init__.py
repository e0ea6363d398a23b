"""Distilling on a task: its rows as a source, a teacher's outputs on disk, the best epoch kept."""
