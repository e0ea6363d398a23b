"""Search: the rows of an embedded directory that are most alike to a query."""

import heapq
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from mobilebert_tf.checks import check_count, check_texts
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch import fingerprint
from mobilebert_tf.inference.batch.directory import BatchDirectory
from mobilebert_tf.inference.opening import open_model
from mobilebert_tf.inference.predict import finite_vectors
from mobilebert_tf.inference.vector_index import VectorIndex
from mobilebert_tf.kinds.embedding import Embedding


def search(directory: str | os.PathLike, queries: Sequence[str], *, top_k: int = 5,
           model: str | os.PathLike | None = None, approximate: bool = False) -> list[list[dict]]:
    """Find the rows whose embeddings have the greatest cosines to those of queries.

    All vectors are compared, a shard at a time, so memory does not grow with the directory. An
    approximate search compares few, and may miss a row.

    Args:
      directory: that `embed_files` wrote.
      queries: texts.
      top_k: how many rows to return for each query.
      model: path of the model that made the directory, if it was moved since.
      approximate: use the faiss index of the directory, which the first such search makes; it needs
        the extra `faiss`.
    Returns:
      for each query the rows, the most alike first: `cosine`, `id`, `text` and `truncated`. Rows of
      one cosine are in the order of the files.
    Raises:
      InputError: if the directory has no embeddings, is not whole or is damaged; for another model
        than its own; for a query without tokens, or for which the model gives numbers that are not
        finite; for a `top_k` below 1; and if there is no faiss for an approximate search.
    """
    check_texts("queries", queries)
    check_count(top_k=top_k)
    found = BatchDirectory(directory)
    result = found.result()
    if not any(result.rows):
        raise InputError(f"{directory} has no rows with an answer: there is nothing to find")
    if result.features is None:
        raise InputError(f"{directory} has no embeddings; make them with mobilebert embed")
    vectors = _query_vectors(found, Path(model or result.model), queries)
    if vectors.shape[1] != result.features:
        raise InputError(f"{directory} has vectors of {result.features} numbers, and its model "
                         f"gives {vectors.shape[1]}; make the embeddings again")
    best = (VectorIndex(found, result).nearest(vectors, top_k) if approximate
            else _nearest(found, result, vectors, top_k))
    rows = _rows(found, result, best)
    return [[{"cosine": cosine, **rows[-shard, -row]} for cosine, shard, row in kept]
            for kept in best]


def _nearest(found, result, vectors, top_k):
    """The rows with the greatest cosines, as `VectorIndex.nearest` returns them."""
    best = [[] for _ in vectors]
    for number in range(len(result.shards)):
        cosines = found.vectors(result, number) @ vectors.T
        for column, kept in enumerate(best):
            kept[:] = heapq.nlargest(top_k, [*kept, *_largest(
                cosines[:, column], number, top_k)])
    return best


def _query_vectors(found, path, queries):
    """The embeddings of the queries, `(queries, features)`, by the model of the directory."""
    made_by = found.job().model
    runner = open_model(path, made_by.length, kind=Embedding)
    if fingerprint.of(path, runner) != made_by:
        raise InputError(f"{path} is not the model that made {found.path}; name that one")
    vectors, empty = finite_vectors(runner, queries)
    if any(empty):
        raise InputError("a query is empty: there is nothing to compare texts with")
    return vectors


def _largest(cosines: np.ndarray, shard: int, top_k: int) -> Iterator[tuple[float, int, int]]:
    """The largest of a shard's cosines, as (cosine, -shard, -row): earlier rows are greater."""
    least = np.partition(cosines, -top_k)[-top_k] if len(cosines) > top_k else -np.inf
    for row in np.flatnonzero(cosines >= least):
        yield float(cosines[row]), -shard, -int(row)


def _rows(found, result, best):
    """The rows that were found, by the number of their shard and their place in it."""
    wanted = {}
    for _, shard, row in (entry for kept in best for entry in kept):
        wanted.setdefault(-shard, set()).add(-row)
    rows = {}
    for shard, numbers in wanted.items():
        of_shard = found.rows(result, shard)
        rows.update({(shard, number): of_shard[number] for number in numbers})
    return rows
