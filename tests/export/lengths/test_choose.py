import dataclasses
import json
import types

import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.cli import lengths as command
from mobilebert_tf.export.lengths import choose
from mobilebert_tf.model_directory import ModelDirectory

from ..commands import invoke
from ..conftest import LABELS

TEXTS = ["al"] * 6 + ["al bl cm dn"] * 3 + ["al bl cm dn " * 3]  # 3, 6 and 14 tokens


def costs_of(function, undisturbed=None):
    """A measurement without a clock: milliseconds by length."""
    return lambda files, threads, runs, on_round: [
        types.SimpleNamespace(latency=types.SimpleNamespace(
            median_ms=function(length), p5_ms=(undisturbed or function)(length)))
        for _, length in files]


@pytest.fixture
def directory(models, vocabulary, monkeypatch, tmp_path):
    from mobilebert_tf import kinds

    model = models["classification"]
    contents = ModelDirectory(model, vocabulary, kinds.of(model, LABELS["classification"]),
                              True, None, None, 16)
    monkeypatch.setattr("mobilebert_tf.model_directory.load", lambda path: contents)
    return tmp_path


def test_a_text_needs_a_place_of_padding_as_in_a_file():
    assert choose.needed([3, 6, 14, 15, 16, 40], (6, 7, 16)) == {6: 1, 7: 1, 16: 4}


def test_a_directory_is_exported_at_each_candidate(directory):
    said = []
    found = choose.choose_lengths(directory, TEXTS, budget=2, candidates=(16, 8, 4), threads=1,
                                  measure=costs_of(float), say=said.append)
    assert [sentence.split()[-2] for sentence in said[:-1]] == ["4", "8", "16"]
    assert found.counts == {4: 6, 8: 3, 16: 1}
    assert found.costs == {4: 4.0, 8: 8.0, 16: 16.0}
    # By hand: (6 * 4 + 4 * 16) / 10 with 4, (9 * 8 + 16) / 10 with 8: both 8.8, the first stays.
    assert found.sets == ((16,), (4, 16))
    assert found.mean_ms((8, 16)) == found.mean_ms((4, 16)) == 8.8
    assert (found.fixed_ms, found.longest_text) == (16, 14)
    assert [found.share(length, (4, 16)) for length in (4, 16)] == [0.6, 0.4]


def test_candidates_end_at_the_length_of_the_fine_tuning(directory, monkeypatch):
    monkeypatch.setattr(choose, "CANDIDATES", (4, 8, 24, 32))
    found = choose.choose_lengths(directory, TEXTS, threads=1, measure=costs_of(float))
    assert list(found.costs) == [4, 8, 16]


def test_interrupted_runs_are_told(directory):
    """As was seen: what takes 2 ms was interrupted in most runs, and what takes 1 ms in few."""
    quiet, busy = (choose.choose_lengths(
        directory, TEXTS, candidates=(4, 16), threads=1,
        measure=costs_of({4: 1.05, 16: median}.get, {4: 1.0, 16: 2.0}.get))
        for median in (2.4, 6.0))
    assert quiet.disturbance is None
    assert "at length 16 the median is 3.0 times the 5th percentile" in busy.disturbance
    assert busy.to_dict()["disturbance"] == busy.disturbance


def test_the_command_measures_a_file(models, vocabulary, tmp_path):
    file, texts, facts = tmp_path / "m.tflite", tmp_path / "texts.txt", tmp_path / "facts.json"
    file.write_bytes(mb.export.to_tflite(
        models["classification"], "float32", (8, 16), vocabulary=vocabulary,
        labels=LABELS["classification"]).model)
    texts.write_text("\n".join(TEXTS) + "\n")
    result = invoke(command, file, "--texts", texts, "--threads", 1, "--runs", 5, "--json", facts)
    assert result.exit_code == 0, result.output
    found = json.loads(facts.read_text())
    assert found["counts"] == {"8": 9, "16": 1}
    assert found["sets"][0] == {"lengths": [16], "mean_ms": found["costs"]["16"], "ratio": 1.0}
    best = found["sets"][-1]
    assert best["mean_ms"] == pytest.approx(sum(
        {"8": 0.9, "16": 0.1}[length] * found["costs"][length] for length in found["costs"])
        if len(best["lengths"]) == 2 else found["costs"]["16"])
    assert f"--lengths {','.join(map(str, found['lengths']))}" in " ".join(result.output.split())


def test_single_texts_do_not_tell_the_lengths_of_pairs(directory, exported, tmp_path, monkeypatch):
    file = tmp_path / "m.tflite"
    file.write_bytes(exported("classification", "float32").model)
    (tmp_path / "model.json").write_text(json.dumps(
        {"files": [{"file": "m.tflite"}], "pairs": True}))
    contents = dataclasses.replace(model_directory.load(directory), task="mrpc")
    monkeypatch.setattr("mobilebert_tf.model_directory.load", lambda path: contents)
    for model in (file, directory):
        with pytest.raises(mb.InputError, match=f"{model} reads pairs of texts, whose lengths"):
            choose.choose_lengths(model, TEXTS, measure=costs_of(float))


def test_what_cannot_be_chosen_is_named(directory, exported, models, tmp_path):
    file, bare = tmp_path / "m.tflite", tmp_path / "bare.tflite"
    file.write_bytes(exported("classification", "float32").model)
    bare.write_bytes(mb.export.to_tflite(models["encoding"], "float32", (8,)).model)
    for model, arguments, sentence in (
            (file, {"candidates": (12, 24)}, "has the lengths 12 and not 24: name its model"),
            (bare, {}, "bare.tflite carries no vocabulary"),
            (file, {"budget": 0}, "budget should be a whole number, 1 or more. Received: 0"),
            (file, {"candidates": ()}, "candidates is empty: give at least one"),
            (directory, {"candidates": ()}, "candidates is empty: give at least one"),
            (directory, {"candidates": (2,)}, "the length should be 3 to"),
            (directory, {"recipe": "int8"}, "int8 learns ranges from texts of a task, which")):
        with pytest.raises(mb.InputError, match=sentence):
            choose.choose_lengths(model, TEXTS, measure=costs_of(float), **arguments)
    with pytest.raises(mb.InputError, match="there is no text"):
        choose.choose_lengths(file, [])
    said = []
    with pytest.raises(mb.InputError, match="the length should be 3 to"):
        choose.choose_lengths(directory, TEXTS, candidates=(8, 1024), say=said.append)
    assert not said  # before the first export
    result = invoke(command, file, "--texts", tmp_path / "texts.txt", "--recipe", "int4")
    assert "--recipe is about exports, and" in str(result.exception)


def test_the_command_finds_a_shipped_model(tmp_path):
    (tmp_path / "texts.txt").write_text("a quiet film\n")
    result = invoke(command, "mini_sst2", "--texts", tmp_path / "texts.txt", "--runs", 1,
                    "--threads", 1, "--json", tmp_path / "facts.json")
    assert result.exit_code == 0, result.output
    facts = json.loads((tmp_path / "facts.json").read_text())
    assert facts["model"].endswith("mobilebert_mini_sst2_int8.tflite")
