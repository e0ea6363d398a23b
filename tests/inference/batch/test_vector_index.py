"""The index proposes rows; the vectors themselves say which are nearest."""

import json
import shutil
import sys

import numpy as np
import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch import formats
from mobilebert_tf.inference.batch.directory import BatchDirectory
from mobilebert_tf.inference.batch.job_settings import JobSettings
from mobilebert_tf.inference.batch.over_files import embed_files
from mobilebert_tf.inference.search import search
from mobilebert_tf.inference.vector_index import VectorIndex

from ...needed import needed

faiss = needed("faiss")

FEATURES, SHARD_ROWS = 24, 700


def unit_vectors(count, seed):
    """Around fifty centres, as texts are around topics."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(50, FEATURES))
    found = centres[random.integers(50, size=count)] + random.normal(size=(count, FEATURES)) / 2
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module", params=["jsonl", "parquet"])
def many(request, tmp_path_factory):
    """A directory of 9,000 vectors, in shards of which the last is shorter."""
    path, vectors = tmp_path_factory.mktemp("many"), unit_vectors(9000, 1)
    (path / "job.json").write_text(json.dumps({"format": request.param, "model": {
        "sha256": "", "kind": "embedding", "length": 64, "labels": None, "settings": None}}))
    names, rows = [], []
    for number, start in enumerate(range(0, len(vectors), SHARD_ROWS)):
        some = vectors[start:start + SHARD_ROWS]
        names.append(f"part-{number:05d}")
        rows.append(len(some))
        formats.of(request.param).write(
            path / names[-1], [{"id": str(start + row), "text": ""} for row in range(len(some))],
            some)
    (path / "result.json").write_text(json.dumps({
        "model": "", "parts": len(names), "shards": names, "rows": rows, "features": FEATURES,
        "counters": {}}))
    return BatchDirectory(path), vectors


def numbers(found):
    return [-shard * SHARD_ROWS - row for _, shard, row in found]


def test_it_finds_nearly_all_and_their_cosines_are_exact(many):
    directory, vectors = many
    queries = unit_vectors(100, 2)
    found = VectorIndex(directory, directory.result()).nearest(queries, 10)
    cosines = vectors @ queries.T
    hits = 0
    for query, best in enumerate(found):
        assert [cosine for cosine, *_ in best] == pytest.approx(
            cosines[numbers(best), query].tolist(), abs=1e-6)
        assert best == sorted(best, reverse=True)
        assert len(best) == 10
        hits += len({*numbers(best)} & {*np.argsort(-cosines[:, query])[:10].tolist()})
    assert hits > 950


def test_a_query_looks_into_few_lists(many):
    directory, _ = many
    index = VectorIndex(directory, directory.result())._index
    assert index.nprobe < index.nlist / 5


def test_the_second_search_opens_the_index_of_the_first(many, monkeypatch):
    directory, _ = many
    queries = unit_vectors(3, 3)
    expected = VectorIndex(directory, directory.result()).nearest(queries, 5)
    monkeypatch.setattr(VectorIndex, "_write", None)  # making it again would raise
    assert VectorIndex(directory, directory.result()).nearest(queries, 5) == expected


@pytest.mark.parametrize("damage", ["cut", "of fewer rows", "of another sort"])
def test_an_index_that_is_not_of_these_rows_is_made_again(damage, many, tmp_path):
    shutil.copytree(many[0].path, tmp_path / "copy")
    directory = BatchDirectory(tmp_path / "copy")
    VectorIndex(directory, directory.result())
    path, queries = directory.path / "vectors.faiss", unit_vectors(3, 3)
    expected, whole = VectorIndex(directory, directory.result()).nearest(queries, 5), path.stat()
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:whole.st_size // 2])
    elif damage == "of another sort":
        flat = faiss.IndexFlatIP(FEATURES)
        flat.add(many[1])
        faiss.write_index(flat, str(path))
    else:
        other = faiss.read_index(str(path))
        other.reset()
        faiss.write_index(other, str(path))
    assert VectorIndex(directory, directory.result()).nearest(queries, 5) == expected
    assert path.stat().st_size == whole.st_size


def test_a_small_directory_is_searched_as_exactly(shipped, tmp_path):
    lines = [f"{what} {where}" for what in ("fresh fish", "a train leaves", "rain falls")
             for where in ("every day", "by the coast", "after ten")]
    (tmp_path / "lines.txt").write_text("\n".join(lines))
    embed_files(shipped("embedding"), [tmp_path / "lines.txt"], tmp_path / "out",
                JobSettings(shard_rows=4, workers=1))
    queries = ["where can i eat?", "a train"]
    exact = search(tmp_path / "out", queries, top_k=20)
    found = search(tmp_path / "out", queries, top_k=20, approximate=True)
    assert [[row["id"] for row in rows] for rows in found] == [
        [row["id"] for row in rows] for rows in exact]
    assert len(found[0]) == len(lines)


def test_without_faiss_it_is_one_sentence(many, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(InputError, match="needs faiss: install the extra `faiss`"):
        VectorIndex(many[0], many[0].result())
