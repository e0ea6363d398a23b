"""`mobilebert embed`, `search`, `score` and `predict --texts`."""

import json
import re
from pathlib import Path

import pytest

from mobilebert_tf.cli import main
from mobilebert_tf.inference.batch import over_files
from mobilebert_tf.inference.batch.job_settings import JobSettings

from ..needed import needed


@pytest.fixture
def place(tmp_path, monkeypatch, repository):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOBILEBERT_MODELS", str(repository / "models"))
    (tmp_path / "lines.txt").write_bytes(b"fresh fish, every day\na train to the coast\nbad \xff\n")
    return tmp_path


def test_embed_then_search(mobilebert, place):
    run = mobilebert("embed", "mini_embedding", "--texts", "lines.txt", "--output", "out",
                     "--workers", 1, "--json", "embedded.json")
    assert run.status == 0, run.err
    assert "skipped: rows not utf8" in run.out
    assert "rows without an answer: 1; out/bad_rows.jsonl says why" in run.err
    assert "WARNING" not in run.err
    said = json.loads((place / "embedded.json").read_text())
    assert said["counters"]["answered"] == 2
    assert said["features"] == 384
    run = mobilebert("search", "out", "where can i eat?", "--top-k", 1, "--json", "found.json")
    assert run.status == 0, run.err
    assert re.fullmatch(r" 0\.\d{4}  lines.txt:1  fresh fish, every day\n", run.out)
    (one,) = json.loads((place / "found.json").read_text())["searches"]
    assert [row["id"] for row in one["rows"]] == ["lines.txt:1"]


def test_an_approximate_search(mobilebert, place):
    needed("faiss")
    run = mobilebert("embed", "mini_embedding", "--texts", "lines.txt", "--output", "out",
                     "--workers", 1)
    assert run.status == 0, run.err
    run = mobilebert("search", "out", "where can i eat?", "--top-k", 1, "--approximate")
    assert run.status == 0, run.err
    assert "lines.txt:1  fresh fish, every day" in run.out
    assert "Making the index of 2 vectors" in run.err
    assert (place / "out" / "vectors.faiss").exists()


def test_predict_over_files(mobilebert, place):
    run = mobilebert("predict", "sst2", "--texts", "lines.txt", "--texts", "lines.*", "--output",
                     "out", "--top-k", 1, "--workers", 1, "--shard-rows", 1,
                     "--beam-flag=--job_name=lines")
    assert run.status == 0, run.err
    rows = [json.loads(path.read_text()) for path in sorted((place / "out").glob("*-of-*"))]
    assert [row["id"] for row in rows] == ["lines.txt:1", "lines.txt:2"]
    assert [len(row["classes"]) for row in rows] == [1, 1]
    assert "2 shards in out" in run.out


def test_score_over_files(mobilebert, place):
    (place / "reviews.jsonl").write_text(
        '{"text": "a gripping film", "label": "positive"}\n{"text": "it drags", "label": "bad"}\n'
        '{"text": "it drags", "label": "negative", "id": 7}\n')
    run = mobilebert("score", "sst2", "--texts", "reviews.jsonl", "--output", "out", "--workers", 1,
                     "--json", "scores.json")
    assert run.status == 0, run.err
    assert "accuracy 1.0000" in run.out
    assert re.search(r"skipped: rows label +1", run.out)
    said = json.loads((place / "scores.json").read_text())
    assert (said["scores"]["accuracy"], said["counters"]["answered"]) == (1, 2)
    rows = [json.loads(line) for path in (place / "out").glob("part-*")
            for line in path.read_text().splitlines()]
    assert [(row["id"], row["label"], row["answer"]) for row in rows] == [
        ("reviews.jsonl:1", "positive", "positive"), ("7", "negative", "negative")]


class Asked(Exception):
    """What a job was asked to do, in place of doing it."""


@pytest.mark.parametrize("command", ["predict", "score", "embed"])
def test_every_option_reaches_the_job(command, place, monkeypatch, repository):
    def ask(*arguments, **options):
        options.pop("on_progress")
        raise Asked(arguments, options)

    monkeypatch.setattr(over_files, f"{command}_files", ask)
    arguments = [command, "sst2", "--texts", "a.jsonl", "--texts", "b.jsonl", "--output", "out",
                 "--format", "parquet", "--shard-rows", "7", "--length", "32", "--threads", "2",
                 "--workers", "3", "--beam-flag=--job_name=x"]
    expected, options = {"format": "parquet", "shard_rows": 7, "length": 32, "threads": 2,
                         "workers": 3, "beam_flags": ("--job_name=x",)}, {}
    if command != "embed":
        arguments.append("--pairs")
        expected["pairs"] = True
    if command == "predict":
        arguments += ["--top-k", "4", "--null-threshold", "1.5"]
        options = {"top_k": 4, "kind_settings": {"null_threshold": 1.5}}
    with pytest.raises(Asked) as asked:
        main.app(arguments, standalone_mode=False)
    (model, texts, output, made), given = asked.value.args
    assert model == repository / "models/mobilebert_mini_sst2/mobilebert_mini_sst2_int8.tflite"
    assert (texts, output) == (["a.jsonl", "b.jsonl"], Path("out"))
    assert (made, given) == (JobSettings(**expected), options)


@pytest.mark.parametrize(("arguments", "message"), [
    (("predict", "sst2", "a text", "--texts", "lines.txt", "--output", "out"),
     "leave out TEXTS: --texts names files of any size"),
    (("predict", "mini_embedding", "--query", "a", "--texts", "lines.txt", "--output", "out"),
     "leave out --query"),
    (("predict", "sst2", "--texts", "lines.txt"), "name the directory for the answers with"),
    (("predict", "sst2", "a text", "--format", "parquet"), "leave out --format: there is no job"),
    (("predict", "sst2", "a text", "--output", "out"), "leave out --output: there is no job"),
    (("predict", "sst2", "--texts", "none.txt", "--output", "out"), "there is no text at none.txt"),
    (("predict", "sst2", "--texts", "", "--output", "out"), "an empty path was given"),
    (("predict", "cascade.json", "--texts", "lines.txt", "--output", "out"),
     "cascade.json is a cascade, and --texts takes one model"),
    (("predict", "mini_squad", "--texts", "lines.txt", "--output", "out"),
     "needs the text to look in"),
    (("embed", "sst2", "--texts", "lines.txt", "--output", "out"), "has no sentence embeddings"),
    (("score", "mini_embedding", "--texts", "lines.txt", "--output", "out"),
     "not scored for embedding"),
    (("embed", "mini_embedding", "--texts", "lines.txt", "--output", "lines.txt"),
     "cannot write .*lines.txt"),
    (("search", "out", "a"), "out is not a directory that a job wrote")])
def test_bad_input_is_an_error(arguments, message, mobilebert, place):
    run = mobilebert(*arguments)
    assert run.status == 2
    assert re.search(message, " ".join(run.err.split()))
    assert "Traceback" not in run.err
    assert [path.name for path in place.iterdir()] == ["lines.txt"]
