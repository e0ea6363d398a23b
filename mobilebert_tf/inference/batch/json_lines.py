"""JsonLines: shards of an object a line, and vectors as NumPy files beside them."""

import json
from pathlib import Path

import numpy as np

from mobilebert_tf import records
from mobilebert_tf.data import lines
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import written_atomically
from mobilebert_tf.reasons import reason


class JsonLines:
    """Shards as JSON Lines. Row k of NAME.npy is the vector of line k of NAME.jsonl."""

    name = "jsonl"

    def write(self, stem: Path, rows: list[dict], vectors: np.ndarray | None) -> list[Path]:
        """Write a shard; return its files.

        Args:
          stem: the path without an ending.
          rows: JSON values, one object per row.
          vectors: float32 `(rows, features)`; None for none.
        Raises:
          InputError: if they cannot be written.
        """
        texts, numbers = self._paths(stem)
        paths = [texts] if vectors is None else [texts, numbers]
        with written_atomically(*paths) as temporaries:
            with open(temporaries[0], "w", encoding="utf-8", newline="") as file:
                for row in rows:
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
            if vectors is not None:
                with open(temporaries[1], "wb") as file:
                    np.save(file, vectors)
        return paths

    def vectors(self, stem: Path) -> np.ndarray:
        """Return the vectors of a shard, float32 `(rows, features)`, mapped into memory.

        Raises:
          InputError: if they cannot be read.
        """
        path = self._paths(stem)[1]
        try:
            return np.lib.format.open_memmap(path, mode="r")
        except OSError as error:
            raise InputError(f"cannot read {path}: {reason(error)}") from error
        except ValueError as error:
            raise InputError(f"{path} is damaged ({error}); make the embeddings again") from error

    def rows(self, stem: Path) -> list[dict]:
        """Return the rows of a shard as they were written.

        Raises:
          InputError: if they cannot be read.
        """
        path = self._paths(stem)[0]
        return [records.decode(line.encode(), dict, f"{path}, line {number}")
                for number, line in lines.read(path)]

    @staticmethod
    def _paths(stem):
        return stem.with_name(stem.name + ".jsonl"), stem.with_name(stem.name + ".npy")
