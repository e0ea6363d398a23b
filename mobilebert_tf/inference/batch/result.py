"""Result: what came out of a job."""

import msgspec

from mobilebert_tf import records


class BatchResult(msgspec.Struct, forbid_unknown_fields=True):
    """result.json; a directory without it is not whole.

    Args:
      model: path of the model.
      parts: how many there are.
      shards: the names of the shards, without endings; a part without an answer has none.
      rows: in each shard.
      features: numbers of a vector; None if there are no vectors.
      counters: of all parts.
    """

    model: str
    parts: records.Count
    shards: list[records.FileName]
    rows: list[records.Count]
    features: records.Count | None
    counters: dict[str, records.Count]
