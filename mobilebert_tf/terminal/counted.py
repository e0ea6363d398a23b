"""Counts in sentences."""


def counted(count: int, noun: str) -> str:
    """Return the count and the noun, in the plural unless the count is 1.

    Example:
      >>> counted(1, "shard"), counted(2614, "shard")
      ('1 shard', '2,614 shards')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"
