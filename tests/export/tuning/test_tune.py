import dataclasses
import json
import pathlib
import shutil
import types

import pytest

import mobilebert_tf as mb
from mobilebert_tf.cli import tune as command
from mobilebert_tf.export.tuning import tune as tuning
from mobilebert_tf.export.tuning.candidate import Candidate
from mobilebert_tf.export.tuning.subject import GatedFile
from mobilebert_tf.export.tuning.tuning import best, name

from .. import sst2
from ..commands import invoke
from ..conftest import LENGTH


def candidate(file="a", threads=1, ms=1.0, score=0.9, size=100):
    subject = GatedFile(source=file, file=file, recipe="int8", lengths=(64,), task="sst2",
                      metric="accuracy", score=score, bytes=size)
    return Candidate.of(subject, threads, {64: ms}, {64: ms}, {64: 1})


@pytest.mark.parametrize(("candidates", "shipped"), [
    # 1. A score that is more than a point lower is out, however fast the file is.
    ([candidate("weak", ms=1, score=0.889), candidate("good", ms=9, score=0.9)], "good"),
    ([candidate("weak", ms=1, score=0.89), candidate("good", ms=9, score=0.9)], "weak"),
    # 2. The fastest of the others, unless it is nearly as fast.
    ([candidate("fast", ms=1.0, score=0.895), candidate("slow", ms=1.06, score=0.9)], "fast"),
    ([candidate("fast", ms=1.0, score=0.895), candidate("near", ms=1.04, score=0.9)], "near"),
    # 3. Equal scores: the fewest threads, then the smallest file, then the least latency.
    ([candidate("two", threads=2, ms=1.0), candidate("one", threads=1, ms=1.04)], "one"),
    ([candidate("large", ms=1.0, size=9), candidate("small", ms=1.04, size=8)], "small"),
    ([candidate("fast", ms=1.0), candidate("near", ms=1.04)], "fast")])
def test_the_rules_of_the_choice(candidates, shipped):
    for order in (candidates, candidates[::-1]):
        assert best(order, loss=1.0).subject.source == shipped


def test_a_directory_is_named_by_its_real_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = dataclasses.replace(candidate().subject, source=pathlib.Path("."))
    assert name(here) == f"{tmp_path.name}, int8"
    file = pathlib.Path("a.tflite")
    assert name(dataclasses.replace(here, source=file, file=file)) == "a.tflite"


def test_the_lengths_are_those_that_texts_need():
    subject = GatedFile(source="a", file="a", recipe="int8", lengths=(16, 32, 64), task="mrpc",
                      metric="f1", score=1, bytes=1)
    costs = {16: 1.0, 32: 2.0, 64: 4.0}
    found = Candidate.of(subject, 2, costs, costs, {16: 10, 32: 0, 64: 1})
    assert found.lengths == (16, 64)  # no text needs 32
    assert found.mean_ms == pytest.approx(14 / 11)
    assert Candidate.of(subject, 2, costs, costs, {64: 1}).lengths == (64,)


@pytest.fixture(scope="module")
def place(vocabulary, tmp_path_factory):
    """a.tflite that passed its gate, b.tflite that did not, c.tflite without a report.

    d.tflite passed the gate of another task.
    """
    directory = tmp_path_factory.mktemp("tune")
    content = sst2.exported(sst2.classifier(), "float32", vocabulary).model
    for letter in "abcd":
        (directory / f"{letter}.tflite").write_bytes(content)
    import hashlib

    for letter, task, passed in (("a", "sst2", True), ("b", "sst2", False), ("d", "qnli", True)):
        (directory / f"{letter}.report.json").write_text(json.dumps({
            "sha256": hashlib.sha256(content).hexdigest(), "kind": "classification",
            "gate": {"task": task, "metric": "accuracy", "file_score": 0.75, "passed": passed}}))
    return directory


def costs_of(cases, threads, runs, on_round):
    """A measurement without a clock: two threads are twice as fast, and a run costs its length."""
    assert len(cases) == len(threads)
    return [types.SimpleNamespace(latency=types.SimpleNamespace(
        median_ms=length / count, p5_ms=length / count))
        for (_, length), count in zip(cases, threads, strict=True)]


def test_files_without_a_passed_gate_are_left_out(place):
    found = tuning.tune([place / f"{name}.tflite" for name in "abc"], threads=(1, 2),
                        measure=costs_of)
    assert [(one.subject.file.name, one.threads, one.mean_ms) for one in found.candidates] == [
        ("a.tflite", 2, LENGTH / 2), ("a.tflite", 1, LENGTH)]
    assert (found.best.threads, found.best.subject.score) == (2, 0.75)
    assert "did not pass its gate" in found.left_out[str(place / "b.tflite")]
    assert "no report of a gate" in found.left_out[str(place / "c.tflite")]
    assert found.disturbance is None
    json.dumps(found.to_dict())


def test_a_report_of_another_file_says_nothing(place, tmp_path, vocabulary):
    shutil.copy(place / "a.report.json", tmp_path / "a.report.json")
    (tmp_path / "a.tflite").write_bytes(
        sst2.exported(sst2.opposite(), "float32", vocabulary).model)
    with pytest.raises(mb.InputError, match=r"no file passed its gate: .*/a.tflite: no report"):
        tuning.tune([tmp_path / "a.tflite"], measure=costs_of)


def test_a_directory_is_exported_and_gated(tuned, exports, task_files, tmp_path):
    found = tuning.tune([tmp_path], recipes=("float32", "dynamic_int8"), threads=(1,),
                        data=task_files, measure=costs_of)
    assert {one.subject.recipe for one in found.candidates} | {
        what.split(", ")[1] for what in found.left_out} == {"float32", "dynamic_int8"}
    assert found.best.subject.source == tmp_path
    assert found.best.subject.score == 1


def test_a_directory_whose_exports_fail_is_told(sabotaged, task_files, tmp_path):
    with pytest.raises(mb.InputError, match="no file passed its gate: .*beyond"):
        tuning.tune([tmp_path], recipes=("float32",), threads=(1,), data=task_files,
                    measure=costs_of)


def test_the_command_measures_and_says_what_to_ship(place, tmp_path):
    texts, facts = tmp_path / "texts.txt", tmp_path / "facts.json"
    texts.write_text("al bl\ncm\n")
    result = invoke(command, place / "a.tflite", place / "c.tflite", "--threads", "1",
                    "--runs", 3, "--texts", texts, "--json", facts)
    assert result.exit_code == 0, result.output
    found = json.loads(facts.read_text())
    assert found["texts"] == 2
    assert found["best"]["lengths"] == [LENGTH]
    assert found["best"]["mean_ms"] == found["best"]["costs"][str(LENGTH)] > 0
    said = " ".join(result.output.split())
    assert f"Ship {place / 'a.tflite'}, and run it with 1 thread." in said
    assert "c.tflite was not measured: no report of a gate is beside it" in said


def test_a_file_of_single_texts_is_averaged_over_texts_though_its_task_has_pairs(place, tmp_path):
    for file in ("d.tflite", "d.report.json"):
        shutil.copy(place / file, tmp_path / file)
    report = json.loads((tmp_path / "d.report.json").read_text())
    report["gate"]["task"] = "similarity"
    (tmp_path / "d.report.json").write_text(json.dumps(report))
    found = tuning.tune([tmp_path / "d.tflite"], texts=["al"], threads=(1,), measure=costs_of)
    assert found.best.lengths == (LENGTH,)


def test_a_phone_is_measured_by_its_own_tool(place, monkeypatch):
    asked = []

    def measure(files, benchmark_model, *, threads, runs, say, serial):
        asked.append((benchmark_model, threads, serial))
        phone = types.SimpleNamespace(manufacturer="Acme", model="One", android="15")
        return [types.SimpleNamespace(
            file=str(file), length=LENGTH, phone=phone, timing=types.SimpleNamespace(
                avg_ms=6 / threads, median_ms=None, p5_ms=None)) for file in files]

    monkeypatch.setattr("mobilebert_tf.export.benchmark.phone.measure", measure)
    found = tuning.tune([place / "a.tflite"], threads=(1, 2), phone_settings={
        "benchmark_model": "tool", "serial": "R5"})
    assert asked == [("tool", 1, "R5"), ("tool", 2, "R5")]
    assert [one.mean_ms for one in found.candidates] == [3, 6]
    assert (found.machine, found.is_interleaved) == ("Acme One, Android 15", False)


def test_what_cannot_be_compared_is_named(place, tmp_path, several_lengths_file):
    for models, arguments, sentence in (
            ([place / "x.tflite"], {}, "there is no model"),
            ([place / "a.tflite"], {"texts": []}, "no text to average"),
            ([place / "d.tflite"], {"texts": ["al"]}, "d.tflite reads pairs of texts, whose"),
            ([place / "a.tflite", place / "d.tflite"], {},
             "on different tasks cannot be compared: qnli by accuracy, sst2 by accuracy"),
            ([place], {"recipes": ("dynamic_int8", "itn8")}, "unknown recipe 'itn8'"),
            ([place / "a.tflite"], {"threads": (2, 0)}, "threads should be .*1 or more. .*: 0"),
            ([place / "a.tflite"], {"loss": -0.5}, "0 or more. Received: -0.5"),
            ([place / "a.tflite", several_lengths_file], {},
             "different numbers of tokens, 12, 16: name the texts")):
        with pytest.raises(mb.InputError, match=sentence):
            tuning.tune(models, measure=costs_of, **arguments)
    for given, sentence in ((("--serial", "R5"), "name it with --tool"),
                            (("--recipes", "int4", "--data", "x"),
                             "--data, --recipes: these are about exports, and all models are")):
        result = invoke(command, place / "a.tflite", *given)
        assert isinstance(result.exception, mb.InputError)
        assert sentence in str(result.exception)


@pytest.fixture
def several_lengths_file(place, tmp_path, monkeypatch):
    """A file that says that it takes 6 and 16 tokens."""
    from mobilebert_tf.export.tuning import subject

    right = subject.of_file

    def of_file(file):
        if file.name == "d.tflite":
            return right(file)
        longer = file.parent == tmp_path
        return GatedFile(source=file, file=file, recipe="float32", task="sst2", metric="accuracy",
                       score=1, lengths=(6, 16) if longer else (12,), bytes=1), ""

    monkeypatch.setattr(subject, "of_file", of_file)
    (tmp_path / "several.tflite").write_bytes(b"")
    return tmp_path / "several.tflite"
