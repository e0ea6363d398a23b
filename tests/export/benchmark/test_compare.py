import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import machine
from mobilebert_tf.export import Runner, recipes
from mobilebert_tf.export.benchmark import compare, host, process, random_weights, subjects
from mobilebert_tf.export.benchmark.latency import Latency
from mobilebert_tf.export.benchmark.measurement import Measurement
from mobilebert_tf.export.benchmark.plan import Plan, default_threads
from mobilebert_tf.export.file import metadata

from ..conftest import LENGTH


class FakeWorker:
    """A model that takes 10 ms times its name, and 1000 ms for the first run of a turn."""

    log = []
    open = 0

    def __init__(self, file, threads, length):
        FakeWorker.open += 1
        self.file, self.peak_memory_mb = file, 40.0 * file
        self.opened = {"length": length, "signature": "s", "init_ms": 7.0, "input_bytes": 12}

    def run(self, count):
        self.log.append((self.file, count))
        return [1000.0] + [10.0 * self.file] * (count - 1)

    def close(self):
        FakeWorker.open -= 1


def test_models_take_turns_and_first_runs_do_not_count():
    FakeWorker.log.clear()
    rounds = []
    one, two = host.measure([(1, 64), (2, 128)], threads=3, runs=12, worker=FakeWorker,
                            on_round=lambda done, of: rounds.append((done, of)))
    assert FakeWorker.log == [(1, 5), (2, 5),  # warm-up
                              (1, 6), (2, 6), (1, 6), (2, 6), (1, 3), (2, 3)]
    for measured, ms, length in ((one, 10.0, 64), (two, 20.0, 128)):
        latency = measured.latency
        assert (latency.num_runs, latency.min_ms, latency.max_ms) == (12, ms, ms)
        assert (latency.num_warmup_runs, latency.warmup_first_ms) == (5, 1000)
        assert latency.warmup_avg_ms == (1000 + 4 * ms) / 5
        assert (latency.init_ms, measured.length) == (7, length)
    assert two.peak_memory_mb == 80
    assert rounds == [(5, 12), (10, 12), (12, 12)]
    assert FakeWorker.open == 0


def test_each_model_may_have_its_own_threads():
    seen = []

    class Counting(FakeWorker):
        def __init__(self, file, threads, length):
            super().__init__(file, threads, length)
            seen.append((file, threads))

    host.measure([(1, 64), (2, 64)], threads=(4, 1), runs=5, worker=Counting)
    host.measure([(1, 64), (2, 64)], threads=2, runs=5, worker=Counting)
    assert seen == [(1, 4), (2, 1), (1, 2), (2, 2)]
    with pytest.raises(ValueError, match="shorter"):
        host.measure([(1, 64), (2, 64)], threads=(4,), runs=5, worker=Counting)


def test_workers_end_when_one_fails():
    class Failing(FakeWorker):
        def run(self, count):
            if self.file == 2:
                raise mb.InputError("no")
            return super().run(count)

    with pytest.raises(mb.InputError, match="^no$"):
        host.measure([(1, None), (2, None)], threads=1, runs=5, worker=Failing)
    assert FakeWorker.open == 0


def test_a_latency_sums_its_times_up():
    times_ms = [*range(1, 100), 1000]
    one = Latency.from_times(times_ms, [5, 7], 3.0)
    assert (one.num_runs, one.min_ms, one.median_ms, one.max_ms) == (100, 1, 50.5, 1000)
    assert one.p95_ms == pytest.approx(95.05)
    assert one.p5_ms == pytest.approx(5.95)
    assert one.avg_ms == pytest.approx(np.mean(times_ms))
    assert one.std_ms == pytest.approx(np.std(times_ms, ddof=1))
    assert (one.warmup_first_ms, one.warmup_avg_ms, one.num_warmup_runs) == (5, 6, 2)
    assert Latency.from_times([2.0], [1.0], 0.0).std_ms == 0


def test_random_weights_leave_nothing_to_fold_away():
    for make in random_weights.MODELS.values():
        for variable in make("micro").variables:
            assert np.std(variable) > 0.005, variable.name


def test_calibration_is_of_many_lengths_within_the_vocabulary():
    inputs = random_weights.calibration("micro", 40)
    again = random_weights.calibration("micro", 40)
    assert set(inputs) == {"input_word_ids", "input_mask", "input_type_ids"}
    for name, values in inputs.items():
        assert values.shape == (8, 40)
        assert values.dtype == np.int32
        np.testing.assert_array_equal(values, again[name])
    real = inputs["input_mask"].sum(axis=1)
    assert len(set(real)) > 3
    assert 8 <= real.min() < 40
    assert 100 < inputs["input_word_ids"].max() < 120
    assert not inputs["input_word_ids"][inputs["input_mask"] == 0].any()


def plan(**changes):
    return Plan(**{"threads": 1, "runs": 5, "command": "mobilebert benchmark", **changes})


def test_presets_and_files_are_measured_in_one_run(exported, tmp_path):
    mine = tmp_path / "mine.tflite"
    mine.write_bytes(exported("classification", "dynamic_int8").model)
    messages = []
    comparison = compare.compare(
        plan(presets=("micro",), recipes=("float32",), lengths=(40,), runs=20, files=(mine,)),
        say=messages.append)
    preset, file = comparison.records
    assert (preset.name, preset.preset, preset.length, preset.recipe, preset.random_weights,
            preset.kind) == ("micro", "micro", 40, "float32", True, "classification")
    assert (file.name, file.preset, file.length, file.recipe, file.random_weights, file.kind) == (
        "mine", None, LENGTH, "dynamic_int8", None, "classification")
    assert comparison.baseline == "micro"
    assert comparison.not_measured == {}
    assert preset.latency.median_ms > 1.5 * file.latency.median_ms
    for one in (preset, file):
        latency = one.latency
        assert (latency.min_ms <= latency.p5_ms <= latency.median_ms <= latency.p95_ms
                <= latency.max_ms)
        assert (latency.num_runs, one.num_threads) == (20, 1)
        assert latency.init_ms > 0
        assert one.signature == "serving_default"
        assert one.command == "mobilebert benchmark"
        assert one.input_bytes == 3 * 4 * one.length
    assert "tensorflow" in preset.versions
    assert file.bytes == mine.stat().st_size
    if sys.platform == "linux":
        # A few megabytes; the process that exported them holds a hundred times as much.
        assert all(0 < one.peak_memory_mb < 60 for one in (preset, file))
    assert any("micro" in message for message in messages)


@pytest.mark.slow
def test_every_combination_is_exported_for_its_task(monkeypatch):
    measured = []

    def measure(models, threads, runs, on_round):
        measured.extend((path.name, length, Runner(path).metadata) for path, length in models)
        latency = Latency.from_times([1.0], [1.0], 1.0)
        return [Measurement(latency, length, None, 12, None) for _, length in models]

    monkeypatch.setattr(host, "measure", measure)
    comparison = compare.compare(plan(
        presets=("micro", "micro_bert"), recipes=("dynamic_int8", "float32"), lengths=(8, 6),
        kind="encoding", baseline="micro_bert"))
    expected = [(preset, recipe, length) for preset in ("micro", "micro_bert")
                for recipe in ("dynamic_int8", "float32") for length in (8, 6)]
    assert [(one.preset, one.recipe, one.length) for one in comparison.records] == expected
    for (_, recipe, length), (_, asked, made) in zip(expected, measured, strict=True):
        assert (made.kind.name, made.recipe, made.lengths) == (
            "encoding", recipe, (length,))
        assert asked == length
    assert len({name for name, _, _ in measured}) == 8
    assert comparison.baseline == "micro_bert"


def test_only_recipes_that_calibrate_get_something_to_calibrate_on(monkeypatch, exported):
    given, result = [], exported("classification", "float32")

    def to_tflite(model, recipe, lengths, **rest):
        given.append((recipe, rest))
        return result

    monkeypatch.setattr("mobilebert_tf.export.file.convert.to_tflite", to_tflite)
    calibrated = dataclasses.replace(recipes.get("float32"), calibrated=True)
    monkeypatch.setitem(recipes.RECIPES, "for_tests", calibrated)
    compare.compare(plan(presets=("micro",), recipes=("float32", "for_tests"), lengths=(LENGTH,)))
    (_, nothing), (_, rest) = given
    assert nothing == {}
    assert rest["calibration"]["input_word_ids"].shape == (8, LENGTH)


def test_a_file_of_another_version_is_made_again_or_told(several_lengths, tmp_path, monkeypatch):
    path = tmp_path / "old.tflite"
    content, found = several_lengths.read_bytes(), metadata.read(several_lengths)
    path.write_bytes(metadata.attach(content[:content.index(b"PK\3\4")],
                                     dataclasses.replace(found, version="0.1")))
    assert subjects.is_made(several_lengths, "micro")
    assert not subjects.is_made(path, "micro")
    monkeypatch.setattr(host, "measure", lambda models, *_: [Measurement(
        Latency.from_times([1.0], [1.0], 1.0), 6, None, 12, None) for _ in models])
    old, new = compare.compare(plan(files=(path, several_lengths), lengths=(6,))).records
    assert old.versions["mobilebert-tf"] == "0.1"
    assert new.versions["mobilebert-tf"] == mb.__version__


def test_of_a_kept_file_no_tensorflow_is_claimed(tmp_path, monkeypatch, exported):
    result = exported("classification", "float32")
    monkeypatch.setattr("mobilebert_tf.export.file.convert.to_tflite", lambda *_, **__: result)
    asked = plan(presets=("micro",), recipes=("float32",), lengths=(LENGTH,))
    is_made = iter([False, True])
    monkeypatch.setattr(subjects, "is_made", lambda *_: next(is_made))
    (new,), (kept,) = (subjects.exported(asked, tmp_path, lambda _: None) for _ in range(2))
    assert new.path == kept.path
    assert (list(new.made_with), list(kept.made_with)) == (["tensorflow"], [])


def test_bad_requests_are_named(tmp_path):
    other = tmp_path / "other.tflite"
    other.write_bytes(b"no model")
    for changes, sentence in (
            ({"presets": ()}, "nothing to benchmark"),
            ({"presets": ("micro",), "recipes": (), "lengths": (8,)}, "nothing to benchmark"),
            ({"presets": ("mobilbert",)}, "did you mean mobilebert"),
            ({"presets": ("micro",)}, "micro takes lengths of 3 to 40. Received: 128"),
            ({"presets": ("micro",), "lengths": (8, 2)},
             "micro takes lengths of 3 to 40. Received: 8, 2"),
            ({"presets": ("micro",), "recipes": ("float3",)}, "did you mean float32"),
            ({"files": (other,), "kind": "tagging"}, "unknown kind 'tagging'"),
            ({"files": (other, other)}, "other.tflite is given 2 times"),
            ({"files": (other,), "baseline": "bert"}, "'bert' is not measured; .* of other"),
            ({"threads": 0}, "threads should be a whole number, 1 or more. Received: 0"),
            ({"threads": 1025}, "threads of a file should be 1 to 1,024. Received: 1,025"),
            ({"runs": 0}, "runs should be a whole number, 1 or more. Received: 0"),
            ({"files": (tmp_path / "absent.tflite",)}, "there is no file .*absent.tflite")):
        with pytest.raises(mb.InputError, match=sentence):
            plan(**changes)
    with pytest.raises(mb.InputError, match="cannot benchmark .*other.tflite"):
        compare.compare(plan(files=(other,)))
    with pytest.raises(mb.InputError, match="cannot benchmark .*other.tflite"):
        host.measure([(other, None)], 1, 5)


def test_a_model_that_ends_its_process_is_named(exported, tmp_path):
    file = tmp_path / "x.tflite"
    file.write_bytes(exported("classification", "float32").model)
    worker = process.Process("worker", file, 1)
    worker._process.kill()
    with pytest.raises(mb.InputError, match="cannot benchmark .*x.tflite: its process ended"):
        worker.ask(1)
    worker.close()


def test_default_threads_are_the_cores_at_most_four(monkeypatch):
    for cores, threads in ((2, 2), (64, 4)):
        monkeypatch.setattr(machine.os, "sched_getaffinity", lambda _, n=cores: set(range(n)),
                            raising=False)
        assert plan().threads == 1
        assert Plan(command="").threads == default_threads() == threads


def test_the_runner_and_the_worker_open_the_same_file(exported, tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(exported("question_answering", "dynamic_int8").model)
    measured, = host.measure([(path, None)], 1, 1)
    assert Runner(path).metadata.length == measured.length == LENGTH


def test_a_record_has_every_key_of_the_official_tool_with_its_meaning(exported, tmp_path):
    path, said = tmp_path / "model.tflite", tmp_path / "said.json"
    path.write_bytes(exported("classification", "float32").model)
    tool = Path(sys.executable).parent / "litert-benchmark"
    subprocess.run([tool, "--model", path, "--num_threads", "1", "--num_runs", "3",
                    "--result_json", said], check=True, capture_output=True)
    official = json.loads(said.read_text())
    ours = json.loads(json.dumps(compare.compare(plan(files=(path,), runs=3)).records[0].to_dict()))
    assert set(official) <= set(ours)
    assert set(official["latency"]) == set(ours["latency"])
    for name in ("model_size_mb", "accelerators", "signature", "num_threads"):
        assert ours[name] == official[name], name
    assert ours["latency"]["num_runs"] == official["latency"]["num_runs"]
