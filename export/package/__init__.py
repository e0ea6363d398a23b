"""The folder that users download."""
