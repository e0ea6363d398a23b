"""Diverged: a loss that stopped being a number before anything was learned."""

from mobilebert_tf.errors import InputError


class Diverged(InputError):
    """The settings are at fault; others of a grid may do."""
