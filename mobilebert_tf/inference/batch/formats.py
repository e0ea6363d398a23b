"""The formats of shards, by name."""

from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch.json_lines import JsonLines
from mobilebert_tf.inference.batch.parquet import Parquet

FORMATS = {form.name: form for form in (JsonLines(), Parquet())}


def of(name: str) -> JsonLines | Parquet:
    """Return the format of a name; raise InputError if there is none."""
    if name not in FORMATS:
        raise InputError(f"shards are {' or '.join(FORMATS)}. Received: {name!r}")
    return FORMATS[name]
