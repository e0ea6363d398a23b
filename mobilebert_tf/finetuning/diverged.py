"""Diverged: the loss became NaN before anything was learned."""

from mobilebert_tf.errors import InputError


class Diverged(InputError):
    """The settings are at fault; other settings of a grid may work."""
