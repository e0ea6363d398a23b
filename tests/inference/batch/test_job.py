"""The job, on the shipped files: its answers are those of `predict` and `embed`, row by row."""

import json
import os
import signal
import subprocess
import sys
import types

import numpy as np
import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch import json_lines, model_handler, reading
from mobilebert_tf.inference.batch.directory import BatchDirectory
from mobilebert_tf.inference.batch.job_settings import JobSettings
from mobilebert_tf.inference.batch.over_files import embed_files, predict_files
from mobilebert_tf.inference.predict import embed, predict

TEXTS = ["a gripping film", "it drags", "two hours i will not get back , " * 9, "fine", "dull",
         "a quiet film that stays with you", "no"]


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS) + "\n")
    return path


def settings(**changes):
    return JobSettings(**{"workers": 1, "shard_rows": 3, **changes})


def written(output):
    """All rows of a directory, in its order."""
    directory = BatchDirectory(output)
    result = directory.result()
    return [row for shard in range(len(result.shards)) for row in directory.rows(result, shard)]


def bytes_of(output):
    return {path.name: path.read_bytes() for path in output.glob("part-*")}


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_predictions_are_those_of_predict(form, shipped, texts, tmp_path):
    result = predict_files(shipped("sst2"), [texts], tmp_path / "out", settings(format=form),
                           top_k=1)
    expected = predict(shipped("sst2"), TEXTS, top_k=1)
    assert [row["truncated"] for row in expected].count(True) == 1
    assert written(tmp_path / "out") == [
        {"id": f"texts.txt:{number}", **row} for number, row in enumerate(expected, 1)]
    assert (result.rows, result.parts) == ([3, 3, 1], 3)
    assert result.counters == {"files": 1, "rows": 7, "answered": 7, "truncated": 1}
    assert (tmp_path / "out" / "bad_rows.jsonl").read_bytes() == b""


def test_a_package_and_its_file_are_one_job(shipped, texts, tmp_path):
    for model in (shipped("sst2").parent, shipped("sst2")):
        predict_files(model, [texts], tmp_path / "out", settings(), top_k=1)
    assert len(written(tmp_path / "out")) == len(TEXTS)


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_embeddings_are_those_of_embed(form, shipped, texts, tmp_path):
    result = embed_files(shipped("embedding"), [texts], tmp_path / "out", settings(format=form))
    directory = BatchDirectory(tmp_path / "out")
    vectors = np.concatenate([directory.vectors(result, shard)
                              for shard in range(len(result.shards))])
    assert np.array_equal(vectors, embed(shipped("embedding"), TEXTS))
    assert result.features == vectors.shape[1] == 384
    assert [row["text"] for row in written(tmp_path / "out")] == TEXTS


def test_entities_and_answers_have_their_places(shipped, tmp_path):
    wishes = ["a cheap italian place with a patio", "thai near the river after ten"]
    (tmp_path / "wishes.txt").write_text("\n".join(wishes))
    predict_files(shipped("restaurant"), [tmp_path / "wishes.txt"], tmp_path / "tags", settings())
    found = written(tmp_path / "tags")
    assert any(row["entities"] for row in found)
    assert [{**row, "id": None} for row in found] == [
        {"id": None, **row} for row in predict(shipped("restaurant"), wishes)]
    questions = [{"id": "q1", "text": "Who wrote it?", "second_text": "Ada wrote it.\nIn 1843."},
                 {"id": "q2", "text": "When?", "second_text": "Ada wrote it in 1843."}]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    predict_files(shipped("squad"), [tmp_path / "questions.jsonl"], tmp_path / "answers",
                  settings(pairs=True), kind_settings={"null_threshold": float("inf")})
    expected = predict(shipped("squad"), [one["text"] for one in questions],
                       [one["second_text"] for one in questions],
                       settings={"null_threshold": float("inf")})
    assert written(tmp_path / "answers") == [
        {**question, **row} for question, row in zip(questions, expected, strict=True)]


def test_bad_rows_are_counted_and_set_aside(shipped, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"good\n\nbad \xff\n\xe2\x80\x8b\nfine\n\n\n\n")
    result = predict_files(shipped("sst2"), [tmp_path / "a.txt"], tmp_path / "out", settings())
    assert [row["id"] for row in written(tmp_path / "out")] == ["a.txt:1", "a.txt:5"]
    assert result.counters == {
        "files": 1, "rows": 8, "answered": 2, "truncated": 0, "skipped_rows_blank": 4,
        "skipped_rows_not_utf8": 1, "skipped_rows_empty": 1}
    bad = list(map(json.loads, (tmp_path / "out" / "bad_rows.jsonl").read_text().splitlines()))
    assert [(row["place"], row["reason"]) for row in bad[:3]] == [
        ("a.txt, line 2", "the line is blank"),
        ("a.txt, line 3", "not UTF-8: there is a byte 0xFF"),
        ("a.txt, line 4", "the text has no tokens")]
    assert (result.parts, result.rows) == (3, [1, 1])  # the last part has no shard


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_file_name_that_is_no_text_is_escaped(form, shipped, tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    with open(path, "wb") as file:
        file.write(b"good\n\n")
    predict_files(shipped("sst2"), [os.fsdecode(path)], tmp_path / "out", settings(format=form))
    assert [row["id"] for row in written(tmp_path / "out")] == ["caf\\udce9.txt:1"]
    (bad,) = (tmp_path / "out" / "bad_rows.jsonl").read_text("utf-8").splitlines()
    assert json.loads(bad)["place"] == "caf\\udce9.txt, line 2"


def test_processes_write_the_same_bytes_and_each_opens_the_model_once(shipped, texts, tmp_path,
                                                                      monkeypatch):
    opened, right = [], model_handler.open_model
    monkeypatch.setattr(model_handler, "open_model",
                        lambda *arguments: opened.append(1) or right(*arguments))
    predict_files(shipped("sst2"), [texts], tmp_path / "one", settings(shard_rows=1))
    assert len(opened) == 1
    predict_files(shipped("sst2"), [texts], tmp_path / "two", settings(shard_rows=1, workers=2))
    assert len(opened) == 1  # the others were opened in other processes
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    assert len(bytes_of(tmp_path / "one")) == 7


def test_a_killed_job_does_only_what_is_left(shipped, tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("".join(f"{text} {number}\n" for number in range(30) for text in TEXTS))
    # The process kills itself when three parts are done.
    code = """
import os, signal
from mobilebert_tf.inference.batch.directory import BatchDirectory
from mobilebert_tf.cli.main import main
write, done = BatchDirectory.write_report, []
def killed(*arguments):
    write(*arguments)
    done.append(1)
    if len(done) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
BatchDirectory.write_report = killed
main()
"""
    process = subprocess.run(
        [sys.executable, "-c", code, "predict", shipped("sst2"), "--texts", texts, "--output",
         tmp_path / "out", "--workers", "1", "--shard-rows", "7"], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    assert process.returncode == -signal.SIGKILL
    with pytest.raises(InputError, match="is not finished; start it again"):
        BatchDirectory(tmp_path / "out").result()
    done = {path.stem: path.stat().st_mtime_ns for path in tmp_path.glob("out/parts/*.json")}
    assert len(done) == 3
    seen = []
    predict_files(shipped("sst2"), [texts], tmp_path / "out", settings(shard_rows=7),
                  on_progress=lambda *counts: seen.append(counts))
    assert seen[-1] == (30, 30, 210, 210)
    assert done == {name: (tmp_path / "out/parts" / f"{name}.json").stat().st_mtime_ns
                    for name in done}
    predict_files(shipped("sst2"), [texts], tmp_path / "unbroken", settings(shard_rows=7))
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "unbroken")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        path.name for path in (tmp_path / "unbroken").iterdir()}


def test_a_damaged_shard_is_done_again_and_others_are_not(shipped, texts, tmp_path):
    output = tmp_path / "out"
    predict_files(shipped("sst2"), [texts], output, settings())
    before, times = bytes_of(output), {
        path.name: path.stat().st_mtime_ns for path in output.glob("part-*")}
    cut = output / "part-00001-of-00003.jsonl"
    cut.write_bytes(cut.read_bytes()[:-1])
    (output / "parts" / "00002.json").write_text("{")
    predict_files(shipped("sst2"), [texts], output, settings())
    assert bytes_of(output) == before
    changed = [path.name for path in sorted(output.glob("part-*"))
               if path.stat().st_mtime_ns != times[path.name]]
    assert changed == ["part-00001-of-00003.jsonl", "part-00002-of-00003.jsonl"]


@pytest.mark.parametrize(("change", "difference"), [
    ("model", "model"), ("input", "inputs"), ("format", "format"), ("command", "command")])
def test_another_job_is_refused(change, difference, shipped, texts, tmp_path):
    predict_files(shipped("embedding"), [texts], tmp_path / "out", settings(second_text="a film"))
    if change == "input":
        texts.write_text(texts.read_text().replace("dull", "Dull"))
    model = shipped("embedding", "dynamic_int8" if change == "model" else "int8")
    # Embeddings are of single texts.
    second_text = None if change == "command" else "a film"
    changed = settings(second_text=second_text, format="parquet" if change == "format" else "jsonl")
    again = embed_files if change == "command" else predict_files
    with pytest.raises(InputError, match=f"of another run: it differs in {difference}"):
        again(model, [texts], tmp_path / "out", changed)


def test_a_directory_of_something_else_is_left_alone(shipped, texts, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    abandoned = tmp_path / "out" / f".other.{'0' * 16}.unfinished"
    abandoned.mkdir()
    with pytest.raises(InputError, match="holds something that is not of a job"):
        predict_files(shipped("sst2"), [texts], tmp_path / "out", settings())
    assert abandoned.exists()
    with pytest.raises(InputError, match="is not a directory that a job wrote"):
        BatchDirectory(tmp_path / "out").result()


def test_a_file_that_goes_away_is_an_error_and_the_rest_is_kept(shipped, texts, tmp_path,
                                                                monkeypatch):
    def open_file(path):
        opened.append(path)
        if len(opened) == 2:
            raise OSError(5, "Input/output error")
        return right(path)

    opened, right = [], reading.open_file
    with monkeypatch.context() as patch:
        patch.setattr(reading, "open_file", open_file)
        with pytest.raises(InputError, match="cannot read .*texts.txt: Input/output error"):
            predict_files(shipped("sst2"), [texts], tmp_path / "out", settings())
    assert len(bytes_of(tmp_path / "out")) == 2
    with pytest.raises(InputError, match="is not finished"):
        BatchDirectory(tmp_path / "out").result()
    result = predict_files(shipped("sst2"), [texts], tmp_path / "out", settings())
    assert sum(result.rows) == len(TEXTS)


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_full_disk_is_an_error_and_leaves_nothing_half_written(form, shipped, texts, tmp_path,
                                                                 monkeypatch):
    def full(*arguments, **named):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(json_lines, "json", types.SimpleNamespace(dumps=full))
        patch.setattr("pyarrow.parquet.write_table", full)
        with pytest.raises(InputError, match="cannot write .*part-00000.*No space left on device"):
            predict_files(shipped("sst2"), [texts], tmp_path / "out", settings(format=form))
    assert not bytes_of(tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*.unfinished"))
    result = predict_files(shipped("sst2"), [texts], tmp_path / "out", settings(format=form))
    assert sum(result.rows) == len(TEXTS)


@pytest.mark.parametrize(("changes", "message"), [
    ({"pairs": True, "second_text": "a"}, "give pairs or second_text"),
    ({"shard_rows": 0}, "shard_rows should be a whole number, 1 or more"),
    ({"workers": "2"}, "workers should be a whole number. Received: '2'"),
    ({"second_text": "a \ud83d"}, "second_text has half a surrogate pair"),
    ({"format": "csv"}, "jsonl or parquet"),
    ({"beam_flags": ("--runner=NoSuchRunner",)}, "Beam does not take --runner=NoSuchRunner")])
def test_wrong_settings_are_errors(changes, message, shipped, texts, tmp_path):
    with pytest.raises(InputError, match=message):
        predict_files(shipped("sst2"), [texts], tmp_path / "out", settings(**changes))


def test_empty_files_are_an_error(shipped, tmp_path):
    (tmp_path / "a.txt").touch()
    with pytest.raises(InputError, match="all of 1 files are empty"):
        predict_files(shipped("sst2"), [tmp_path / "a.txt"], tmp_path / "out", settings())
    assert not (tmp_path / "out").exists()
