"""The one exception for bad input."""


class InputError(ValueError):
    """Bad input, named in one clear sentence that says what to do; the command exits with 2."""
