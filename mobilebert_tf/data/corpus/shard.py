"""Shard: a file of a corpus."""

import msgspec

from mobilebert_tf import records


class Shard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A TFRecord file of the corpus and its counts."""

    file: records.FileName
    examples: records.Count
    tokens: records.Count
    bytes: records.Count
