"""What lies directly in a directory."""


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def bytes_of(directory):
    """The bytes of every file, by its name."""
    return {path.name: path.read_bytes() for path in directory.iterdir()}
