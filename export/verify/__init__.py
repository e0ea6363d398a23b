"""Verify that a file answers the same on an emulated Arm processor and on a GPU."""
