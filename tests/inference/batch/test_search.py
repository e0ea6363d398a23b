"""Search is exact: it finds what sorting all cosines finds."""

import json
import shutil

import numpy as np
import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch import formats
from mobilebert_tf.inference.batch.job_settings import JobSettings
from mobilebert_tf.inference.batch.over_files import embed_files, predict_files
from mobilebert_tf.inference.predict import embed, rank
from mobilebert_tf.inference.search import search
from mobilebert_tf.kinds.embedding import Embedding

QUERIES = ["where can i eat?", "a train"]
TEXTS = [f"{what} {where}" for what in (
    "fresh fish", "a train leaves", "rain falls", "cheap rooms", "old books")
    for where in ("every day", "by the coast", "after ten", "in london")]


@pytest.fixture(scope="module", params=["jsonl", "parquet"])
def embedded(request, shipped, tmp_path_factory):
    """A directory of seven shards. Rows 4 and 9, in different shards, are the same text."""
    place = tmp_path_factory.mktemp("search")
    texts = TEXTS[:8] + [TEXTS[3]] + TEXTS[8:]
    (place / "texts.txt").write_text("\n".join([*texts[:2], "", *texts[2:]]))
    model = place / "model.tflite"
    shutil.copy(shipped("embedding"), model)
    embed_files(model, [place / "texts.txt"], place / "out",
                JobSettings(format=request.param, shard_rows=3, workers=1))
    return place / "out", texts, model


@pytest.mark.parametrize("top_k", [1, 4, 100])
def test_it_finds_what_sorting_all_cosines_finds(top_k, embedded):
    directory, texts, model = embedded
    cosines = embed(model, texts) @ embed(model, QUERIES).T
    for query, found in enumerate(search(directory, QUERIES, top_k=top_k)):
        expected = np.argsort(-cosines[:, query], kind="stable")[:top_k]
        assert [row["text"] for row in found] == [texts[number] for number in expected]
        assert [row["cosine"] for row in found] == pytest.approx(
            cosines[expected, query].tolist(), abs=1e-6)
        # The blank line is no row, and has a number.
        assert [row["id"] for row in found] == [
            f"texts.txt:{number + 1 + (number > 1)}" for number in expected]


def test_it_finds_what_rank_finds(embedded):
    directory, texts, model = embedded
    (found,) = search(directory, QUERIES[:1], top_k=5)
    ranked = rank(model, QUERIES[0], texts)[:5]
    assert [(row["cosine"], row["text"]) for row in found] == [
        (pytest.approx(cosine, abs=1e-6), text) for cosine, text in ranked]


def test_equal_rows_are_in_the_order_of_the_files(embedded):
    directory, *_ = embedded
    (found,) = search(directory, [TEXTS[3]], top_k=2)
    assert [row["text"] for row in found] == [TEXTS[3]] * 2
    assert [row["id"] for row in found] == ["texts.txt:5", "texts.txt:10"]


def test_another_model_is_refused_and_a_moved_one_is_not(embedded, shipped, tmp_path):
    directory, _, model = embedded
    moved = tmp_path / "moved.tflite"
    shutil.copy(model, moved)
    assert search(directory, QUERIES, model=moved) == search(directory, QUERIES)
    with pytest.raises(InputError, match="is not the model that made"):
        search(directory, QUERIES, model=shipped("embedding", "dynamic_int8"))


def test_what_cannot_be_searched_is_an_error(embedded, shipped, tmp_path):
    directory, *_ = embedded
    with pytest.raises(InputError, match="a query is empty"):
        search(directory, ["a", " "])
    with pytest.raises(InputError, match="is not a directory that a job wrote"):
        search(tmp_path, QUERIES)
    (tmp_path / "a.txt").write_text("fine")
    predict_files(shipped("sst2"), [tmp_path / "a.txt"], tmp_path / "out", JobSettings(workers=1))
    with pytest.raises(InputError, match="has no embeddings"):
        search(tmp_path / "out", QUERIES)
    with pytest.raises(InputError, match="queries is one text"):
        search(directory, "a b")


def test_a_query_without_finite_numbers_is_an_error(embedded, monkeypatch):
    monkeypatch.setattr(Embedding, "vectors", lambda kind, outputs, features: np.full(
        outputs["sentence_embedding"].shape, np.nan))
    with pytest.raises(InputError, match="numbers that are not finite"):
        search(embedded[0], QUERIES)


@pytest.mark.parametrize(("file", "change", "message"), [
    ("job.json", lambda found: {}, "job.json: object missing required field format"),
    ("job.json", lambda found: found | {"format": []}, "job.json, format: expected str"),
    ("job.json", lambda found: found | {"model": {}}, "job.json, model: .*required field sha256"),
    ("result.json", lambda found: found | {"rows": []}, "has 8 shards and the rows of 0"),
    ("result.json", lambda found: found | {"rows": [4] * 8}, r"of shape \(2, 384\) .* not \(4, "),
    ("result.json", lambda found: found | {"features": 5}, "vectors of 5 numbers, and its model "),
])
def test_what_is_damaged_is_named(file, change, message, embedded, tmp_path):
    directory = shutil.copytree(embedded[0], tmp_path / "embedded")
    found = json.loads((directory / file).read_text())
    (directory / file).write_text(json.dumps(change(found)))
    with pytest.raises(InputError, match=message):
        search(directory, QUERIES)


def test_shards_of_other_sizes_are_named(embedded, tmp_path):
    directory = shutil.copytree(embedded[0], tmp_path / "embedded")
    form = formats.of(json.loads((directory / "job.json").read_text())["format"])
    stem, row = directory / "part-00000-of-00008", {"id": "a", "text": "b"}
    form.write(stem, [row], np.ones((1, 384), np.float32))
    with pytest.raises(InputError, match=r"part-00000-of-00008 has vectors of shape \(1, 384\)"):
        search(directory, QUERIES)
    form.write(stem, [row] * 2, np.ones((2, 5), np.float32))
    with pytest.raises(InputError, match=r"part-00000-of-00008 has vectors of shape \(2, 5\)"):
        search(directory, QUERIES)


@pytest.mark.parametrize("embedded", ["jsonl"], indirect=True)
def test_rows_that_are_fewer_than_vectors_are_named(embedded, tmp_path):
    directory = shutil.copytree(embedded[0], tmp_path / "embedded")
    paths = sorted(directory.glob("part-*.jsonl"))
    assert len(paths) == 8
    for path in paths:
        path.write_text("")
        with pytest.raises(InputError, match="has 0 rows, not"):
            search(directory, QUERIES, top_k=100)


@pytest.mark.parametrize("top_k", [0, -1])
def test_at_least_one_row_is_looked_for(top_k, embedded):
    with pytest.raises(InputError, match=f"top_k should be a whole .* Received: {top_k}"):
        search(embedded[0], QUERIES, top_k=top_k)


def test_vectors_that_are_damaged_or_gone_are_named(embedded, tmp_path):
    directory = shutil.copytree(embedded[0], tmp_path / "embedded")
    vectors = sorted([*directory.glob("part-*.npy"), *directory.glob("part-*.parquet")])[0]
    for size in (50, 0):
        vectors.write_bytes(vectors.read_bytes()[:size])
        with pytest.raises(InputError, match=vectors.name):
            search(directory, QUERIES)
    vectors.unlink()
    with pytest.raises(InputError, match=vectors.name):
        search(directory, QUERIES)
