"""Parquet: shards as Parquet files, with the vectors in a column."""

import json
from pathlib import Path

import numpy as np

from mobilebert_tf import records
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import written_atomically

# What a row may have besides its texts and its vector is JSON in one column: what kinds of models
# say is nested, and an empty list would have no type.
_TEXTS, _OTHERS, _VECTOR = ("id", "text", "second_text"), "prediction", "vector"


class Parquet:
    """Shards as Parquet.

    The columns are `id`, `text`, `second_text` (null for single texts), `prediction` (what else is
    said of the row, as JSON) and, if there are vectors, `vector` (a list of float32 of one
    length).
    """

    name = "parquet"

    def write(self, stem: Path, rows: list[dict], vectors: np.ndarray | None) -> list[Path]:
        """Write a shard; see `JsonLines.write`."""
        pa, pq = _arrow()
        columns = {name: pa.array([row.get(name) for row in rows], pa.string())
                   for name in _TEXTS}
        columns[_OTHERS] = pa.array([json.dumps(
            {name: value for name, value in row.items() if name not in _TEXTS},
            ensure_ascii=False) for row in rows], pa.string())
        if vectors is not None:
            columns[_VECTOR] = pa.FixedSizeListArray.from_arrays(
                pa.array(vectors.reshape(-1), pa.float32()), vectors.shape[1])
        path = self._path(stem)
        with written_atomically(path) as (temporary,):
            pq.write_table(pa.table(columns), temporary)
        return [path]

    def vectors(self, stem: Path) -> np.ndarray:
        """Return the vectors of a shard, float32 `(rows, features)`; see `JsonLines.vectors`."""
        pa, _ = _arrow()
        found = self._table(stem, [_VECTOR]).column(_VECTOR).combine_chunks()
        if not (pa.types.is_fixed_size_list(found.type) and found.null_count == 0
                and pa.types.is_floating(found.type.value_type)):
            raise InputError(f"{self._path(stem)} has a column {_VECTOR} of {found.type}, not of "
                             "one vector of floats for each row; make it again")
        return found.flatten().to_numpy().reshape(len(found), -1)

    def rows(self, stem: Path) -> list[dict]:
        """Return the rows of a shard as they were given to `write`."""
        return [{**{name: row[name] for name in _TEXTS if row[name] is not None},
                 **self._others(stem, row[_OTHERS])}
                for row in self._table(stem, [*_TEXTS, _OTHERS]).to_pylist()]

    def _others(self, stem, value):
        if not isinstance(value, str):
            raise InputError(f"{self._path(stem)} has a row without JSON in the column {_OTHERS}; "
                             "make it again")
        return records.decode(value.encode(), dict, self._path(stem))

    def _table(self, stem, columns):
        pa, pq = _arrow()
        try:
            # The file alone: a name such as "key=1" above it would become a column.
            found = pq.ParquetFile(self._path(stem)).read(columns)
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"cannot read {self._path(stem)}: {error}") from error
        absent = sorted(set(columns) - set(found.column_names))
        if absent:
            raise InputError(f"{self._path(stem)} has no column {absent[0]}; make it again")
        return found

    @staticmethod
    def _path(stem):
        return stem.with_name(stem.name + ".parquet")


def _arrow():
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise InputError("Parquet needs pyarrow: install the extra `batch`") from error
    return pyarrow, pyarrow.parquet
