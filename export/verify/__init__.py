"""Checks that a file answers the same elsewhere: on an emulated Arm processor, on a GPU."""
