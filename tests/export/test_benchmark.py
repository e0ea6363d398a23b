import sys
import types

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.export import Runner
from mobilebert_tf.export.benchmark import compare, host, random_weights, report
from mobilebert_tf.export.benchmark.record import BenchmarkRecord

from .conftest import LENGTH


class FakeWorker:
    """A model that takes 10 ms times its name, and 1000 ms for the first run of a turn."""

    log = []
    open = 0

    def __init__(self, file, threads):
        FakeWorker.open += 1
        self.file, self.length, self.peak_memory_mb = file, 128, 40.0 * file

    def run(self, count):
        self.log.append((self.file, count))
        return [1000.0] + [10.0 * self.file] * (count - 1)

    def close(self):
        FakeWorker.open -= 1


def test_models_take_turns_and_first_runs_do_not_count():
    FakeWorker.log.clear()
    rounds = []
    one, two = host.measure([1, 2], threads=3, runs=12, worker=FakeWorker,
                            on_round=lambda done, of: rounds.append((done, of)))
    assert FakeWorker.log == [(1, 5), (2, 5),  # warm-up
                              (1, 6), (2, 6), (1, 6), (2, 6), (1, 3), (2, 3)]
    assert one.times_ms == [10.0] * 12
    assert two.times_ms == [20.0] * 12
    assert two.peak_memory_mb == 80
    assert rounds == [(5, 12), (10, 12), (12, 12)]
    assert FakeWorker.open == 0


def test_workers_end_when_one_fails():
    class Failing(FakeWorker):
        def run(self, count):
            if self.file == 2:
                raise mb.InputError("no")
            return super().run(count)

    with pytest.raises(mb.InputError):
        host.measure([1, 2], threads=1, runs=5, worker=Failing)
    assert FakeWorker.open == 0


def record(**changes):
    values = {"name": "mobilebert", "recipe": "dynamic_int8", "length": 128, "threads": 4,
              "bytes": 25_000_000, "peak_memory_mb": 55.0, "random_weights": True,
              "machine": "a box", "versions": {"ai-edge-litert": "2.3.0"}, "date": "2026-11-20"}
    return BenchmarkRecord.from_times(changes.pop("times_ms", [10.0]), **{**values, **changes})


def test_a_record_sums_its_times_up():
    times_ms = [*range(1, 100), 1000]
    one = record(times_ms=times_ms)
    assert (one.runs, one.min_ms, one.median_ms, one.max_ms) == (100, 1, 50.5, 1000)
    assert one.p95_ms == pytest.approx(95.05)
    assert one.mean_ms == pytest.approx(np.mean(times_ms))


def test_the_ratio_is_bert_over_the_model_and_the_paper_stands_beside_it():
    records = [record(), record(name="bert_base", times_ms=[30.0]), record(times_ms=[15.0])]
    assert compare.speed_ups(records) == [3.0, 1.0, 2.0]
    assert compare.speed_ups(records[:1]) == [None]
    table = report.table(records)
    assert list(table.columns[-2].cells) == ["3.00x", "1.00x", "2.00x"]
    assert list(table.columns[-1].cells) == ["5.5x", "1.0x", "5.5x"]
    assert table.title == "Length 128, 4 threads, 1 runs in turn"
    mixed = report.table([*records, record(name="short", length=64)])
    assert mixed.title.startswith("Length 64, 128,")
    assert "short (64)" in list(mixed.columns[0].cells)
    notes = " ".join(report.notes(records))
    assert "a box" in notes
    assert "random weights" in notes
    assert "nothing here is a phone's latency" in notes
    assert "random weights" not in " ".join(report.notes([record(random_weights=None)]))


def test_random_weights_leave_nothing_to_fold_away():
    model = random_weights.classifier("micro")
    for variable in model.variables:
        assert np.std(variable) > 0.005, variable.name


def test_presets_and_files_are_measured_in_one_run(exported, tmp_path):
    mine = tmp_path / "mine.tflite"
    mine.write_bytes(exported("classification", "dynamic_int8").model)
    messages = []
    preset, file = compare.compare(["micro"], "float32", 40, threads=1, runs=20, files=[mine],
                                   progress=messages.append)
    assert (preset.name, preset.length, preset.recipe, preset.random_weights) == (
        "micro", 40, "float32", True)
    assert (file.name, file.length, file.recipe, file.random_weights) == (
        "mine", LENGTH, "dynamic_int8", None)
    assert preset.median_ms > 1.5 * file.median_ms
    assert all(one.min_ms <= one.median_ms <= one.p95_ms <= one.max_ms and one.runs == 20
               and one.threads == 1 for one in (preset, file))
    assert file.bytes == mine.stat().st_size
    if sys.platform == "linux":
        # A few megabytes: the process that exported them holds a hundred times that.
        assert all(0 < one.peak_memory_mb < 60 for one in (preset, file))
    assert any("micro" in message for message in messages)


def test_bad_requests_are_named(exported, tmp_path):
    other = tmp_path / "other.tflite"
    for arguments, sentence in (
            (([], "float32"), "nothing to benchmark"),
            ((["mobilbert"], "float32"), "did you mean mobilebert"),
            ((["micro"], "float3"), "did you mean float32"),
            (([], "float32", 128, 1, 5, [tmp_path / "absent.tflite"]), "there is no file")):
        with pytest.raises(mb.InputError, match=sentence):
            compare.compare(*arguments)
    other.write_bytes(b"no model")
    with pytest.raises(mb.InputError, match="cannot benchmark .*other.tflite"):
        host.measure([other], 1, 5)


def test_a_model_that_ends_its_process_is_named(tmp_path):
    worker = host.Worker.__new__(host.Worker)
    ended = types.SimpleNamespace(returncode=-6)
    ended.stdin = types.SimpleNamespace(write=lambda text: None, flush=lambda: None)
    ended.stdout = types.SimpleNamespace(readline=lambda: "")
    ended.wait = lambda: ended.returncode
    worker._process, worker._file = ended, "x.tflite"
    with pytest.raises(mb.InputError, match="cannot benchmark x.tflite: LiteRT ended with -6"):
        worker.run(1)


def test_default_threads_are_the_cores_at_most_four(monkeypatch):
    for cores, threads in ((2, 2), (64, 4)):
        monkeypatch.setattr(host.os, "sched_getaffinity", lambda _, n=cores: set(range(n)),
                            raising=False)
        assert host.default_threads() == threads


def test_the_runner_and_the_worker_open_the_same_file(exported, tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(exported("question_answering", "dynamic_int8").model)
    assert Runner(path).metadata.length == host.measure([path], 1, 1)[0].length == LENGTH
