"""What sentences and headings of benchmarks share."""


def counted(count: int, noun: str) -> str:
    """The count with its noun, in the plural where it is not one."""
    return f"{count} {noun}{'s' * (count != 1)}"
