"""The one exception for what a user gave and we cannot use."""


class InputError(ValueError):
    """Bad input, named in one clear sentence that says what to do; the command exits with 2."""
