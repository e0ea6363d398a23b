"""VectorIndex: a faiss index of an embedded directory, so that a search reads few of its vectors.

It proposes rows; their cosines are computed from the vectors themselves. It holds a byte for each
number of a vector, in lists of vectors that are near each other, and a query looks into the nearest
lists alone.
"""

import math
from collections.abc import Iterator

import numpy as np

from mobilebert_tf.errors import InputError
from mobilebert_tf.files import written_atomically
from mobilebert_tf.inference.batch.directory import BatchDirectory
from mobilebert_tf.inference.batch.result import BatchResult
from mobilebert_tf.terminal.waiting import waiting

_FILE = "vectors.faiss"
# The number of lists is _LISTS * sqrt(rows). Each is learned from _ROWS_PER_LIST rows.
_LISTS, _ROWS_PER_LIST = 2, 64
# The part of the lists that a query looks into, and the least number of them.
_SHARE_PROBED, _LEAST_PROBED = 1 / 16, 16
# Candidates for each row that is asked for: a byte a number is not exact.
_CANDIDATES = 4


class VectorIndex:
    """The index of a directory; it is made and written there, unless there is one.

    Args:
      directory: of a finished job with embeddings.
      result: of the job.
    Raises:
      InputError: if faiss is not installed, the vectors cannot be read, or the index cannot be
        written.
    """

    def __init__(self, directory: BatchDirectory, result: BatchResult):
        self._faiss = _faiss()
        self._directory, self._result = directory, result
        self._path, self._rows = directory.path / _FILE, sum(result.rows)
        self._index = self._opened()
        if self._index is None:
            with waiting(f"Making the index of {self._rows:,} vectors, once"):
                self._write()
            self._index = self._opened()

    def nearest(self, vectors: np.ndarray, top_k: int) -> list[list[tuple[float, int, int]]]:
        """Return the nearest rows, as (cosine, -shard, -row), the greatest first, for each query.

        Args:
          vectors: of the queries, float32 `(queries, features)`.
        """
        _, numbers = self._index.search(vectors, min(_CANDIDATES * top_k, self._rows))
        ends = np.cumsum(self._result.rows)
        shards = np.searchsorted(ends, numbers, side="right")
        found = [[] for _ in vectors]
        for shard in np.unique(shards[numbers >= 0]):
            of_shard = self._vectors(shard)
            for query, best in enumerate(found):
                # The number is -1 where the lists had fewer rows.
                mine = numbers[query, (shards[query] == shard) & (numbers[query] >= 0)]
                rows = mine - (ends[shard] - self._result.rows[shard])
                best += [(float(cosine), -int(shard), -int(row)) for cosine, row in
                         zip(of_shard[rows] @ vectors[query], rows, strict=True)]
        return [sorted(best, reverse=True)[:top_k] for best in found]

    def _opened(self):
        """The index on disk, mapped into memory; None if there is none for these vectors."""
        try:
            index = self._faiss.read_index(str(self._path), self._faiss.IO_FLAG_MMAP)
        except RuntimeError:
            return None
        if not isinstance(index, self._faiss.IndexIVF) or (
                index.ntotal, index.d) != (self._rows, self._result.features):
            return None
        index.nprobe = max(_LEAST_PROBED, int(_SHARE_PROBED * index.nlist))
        return index

    def _write(self):
        lists = max(1, min(int(_LISTS * math.sqrt(self._rows)), self._rows // _ROWS_PER_LIST))
        sample = np.concatenate(list(self._sampled(lists * _ROWS_PER_LIST)))
        index = self._faiss.index_factory(sample.shape[1], f"IVF{lists},SQ8",
                                          self._faiss.METRIC_INNER_PRODUCT)
        index.cp.min_points_per_centroid = 1  # of fewer rows than one list learns from
        index.train(sample)
        for shard in range(len(self._result.shards)):
            index.add(np.ascontiguousarray(self._vectors(shard)))
        with written_atomically(self._path) as (temporary,):
            self._faiss.write_index(index, str(temporary))

    def _sampled(self, size: int) -> Iterator[np.ndarray]:
        """Rows at equal distances, about as many as asked for."""
        step = max(1, self._rows // size)
        for shard in range(len(self._result.shards)):
            yield self._vectors(shard)[::step]

    def _vectors(self, shard):
        return self._directory.vectors(self._result, shard)


def _faiss():
    try:
        import faiss
    except ImportError as error:
        raise InputError("an approximate search needs faiss: install the extra `faiss`, or leave "
                         "out --approximate") from error
    return faiss
