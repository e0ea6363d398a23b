"""Report: what a worker says about a part that it has done."""

import msgspec

from mobilebert_tf import records


class PartReport(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What a worker says about a part.

    Args:
      counters: of its rows, by name.
      rows: in its shard.
      features: numbers of a vector; None if there are no vectors.
      files: the bytes of each file of its shard, by name; none for a part without an answer.
      bad: its bad rows, as JSON.
      error: why the part could not be read or written; the rest is empty then.
    """

    counters: dict[str, records.Count] = {}
    rows: records.Count = 0
    features: records.Count | None = None
    files: dict[str, records.Count] = {}
    bad: list[dict] = []
    error: str | None = None
