"""A comparison: its files are kept, measured in turn and reported beside the published figures."""

import json

import pytest
import typer
import typer.testing

import mobilebert_tf as mb
from mobilebert_tf import machine, presets
from mobilebert_tf.cli import compare as command
from mobilebert_tf.export.benchmark import host
from mobilebert_tf.export.benchmark.latency import Latency
from mobilebert_tf.export.benchmark.measurement import Measurement
from mobilebert_tf.export.comparison import report
from mobilebert_tf.export.comparison.compare import compare

from ..tables import column

NAMES = ("mobilebert", "tinybert_4l", "bert_tiny_312", "bert_base", "bert_pkd_6l")
# Architecture -> a small stand-in for it.
STAND_INS = {"mobilebert": "micro", "tinybert_4l": "micro_bert", "bert_base": "micro_ib_bert",
             "bert_base_6l": "micro_tiny"}


@pytest.fixture
def small(monkeypatch):
    """The presets of `NAMES` replaced by small ones; every run takes 10 ms a thread."""
    for name, stand_in in STAND_INS.items():
        monkeypatch.setitem(presets._PRESETS, name, presets.describe(stand_in))
    measured = []

    def measure(models, threads, runs, on_round):
        measured.append(([path.name for path, _ in models], threads, runs))
        on_round(runs, runs)
        return [Measurement(Latency.from_times([10.0 * threads * (place + 1)], [1.0], 1.0),
                            length, None, 12, None)
                for place, (_, length) in enumerate(models)]

    monkeypatch.setattr(host, "measure", measure)
    return measured


def made(small, tmp_path, **changes):
    said = []
    comparison = compare(NAMES, **{"length": 8, "recipe": "float32", "threads": (1, 2), "runs": 3,
                                   "files": tmp_path / "files", "say": said.append, **changes})
    return comparison, said


def test_files_are_made_once_and_measured_together(small, tmp_path):
    comparison, said = made(small, tmp_path)
    files = sorted(path.name for path in (tmp_path / "files").iterdir())
    # TinyBERT's size is exported once for two systems.
    assert len(files) == 4
    assert [(sorted(names), threads, runs) for names, threads, runs in small] == [
        (files, 1, 3), (files, 2, 3)]
    assert sum("Exporting" in line for line in said) == 4
    rows = {row.name: row for row in comparison.rows}
    assert rows["tinybert_4l"].records == rows["bert_tiny_312"].records
    assert rows["mobilebert"].parameters == mb.counting.parameters(presets.get("micro")).total
    assert rows["mobilebert"].flops == mb.counting.flops(presets.get("micro"), 8).total
    assert rows["mobilebert"].bytes == (
        tmp_path / "files" / "mobilebert_classification_float32_seq8.tflite").stat().st_size

    # Stopped in the middle: one file is absent, another is of another model.
    lost, other = ((tmp_path / "files" / name) for name in files[:2])
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "files").iterdir()}
    whole = lost.read_bytes()
    lost.unlink()
    other.write_bytes((tmp_path / "files" / files[2]).read_bytes())
    again, said = made(small, tmp_path)
    assert sum("Exporting" in line for line in said) == 2
    assert sum("Kept" in line for line in said) == 2
    assert lost.read_bytes() == whole
    assert [row.bytes for row in again.rows] == [row.bytes for row in comparison.rows]
    for name in files[2:]:
        path = tmp_path / "files" / name
        assert path.stat().st_mtime_ns == times[path]

    summary = report.of(comparison)
    assert column(summary.summary, "system") == [
        "BERT-base [1]", "BERT-tiny of TinyBERT's paper", "BERT-PKD 6L*", "TinyBERT 4L*",
        "MobileBERT"]
    assert column(summary.summary, "median ms, 1 thread") == [
        "10.00", "20.00", "30.00", "20.00", "40.00"]
    assert column(summary.summary, "median ms, 2 threads") == [
        "20.00", "40.00", "60.00", "40.00", "80.00"]
    assert column(summary.summary, "ratio") == ["1.00x", "0.50x", "0.33x", "0.50x", "0.25x"]
    assert column(summary.summary, "GLUE test, plain nine") == [
        "79.60", "70.18", "-", "77.04", "78.82"]
    by_title = {one.table.title: one.table for one in summary.scores}
    assert column(by_title["MobileBERT, Table 4"], "speed") == ["342", "-", "-", "62"]
    assert column(by_title["TinyBERT, Table 1"], "speed") == ["1.0", "-", "9.4"]
    assert column(summary.summary, "printed: parameters, M") == [
        "109.0", "14.5", "66.5", "14.5", "25.3"]


def test_averages_are_told_apart(small, tmp_path):
    comparison, _ = made(small, tmp_path, with_latency=False)
    assert not small
    shown = report.of(comparison)
    by_title = {one.table.title: one for one in shown.scores}
    table = by_title["MobileBERT, Table 4"].table
    assert column(table, "system") == ["BERT-base [1]", "BERT-PKD 6L*", "TinyBERT 4L* [2]",
                                       "MobileBERT"]
    assert column(table, "average, printed") == ["78.3", "-", "75.4", "77.7"]
    assert column(table, "leaderboard, computed") == ["78.34", "-", "-", "-"]
    assert column(table, "plain nine, computed") == ["79.60", "-", "76.49", "78.82"]
    assert "nine tasks with WNLI" in by_title["MobileBERT, Table 4"].note
    assert "Pixel 4 phone" in by_title["MobileBERT, Table 4"].note
    other = by_title["TinyBERT, Table 1"].table
    assert column(other, "average, printed") == ["79.5", "70.2", "77.0"]
    assert "leaderboard, computed" not in other.headings
    assert "plain nine, computed" not in by_title["DistilBERT, Table 1"].table.headings
    assert "first version" in shown.footnotes[1]


def test_no_latency_gives_sizes_alone(small, tmp_path):
    comparison, _ = made(small, tmp_path, with_latency=False)
    shown = report.of(comparison)
    assert "ratio" not in shown.summary.headings
    assert not any(heading.startswith("median") for heading in shown.summary.headings)
    assert shown.panels == {}
    shown.write(tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "comparison.json", "comparison.md"]
    facts = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert [one["name"] for one in facts["systems"]] == [row.name for row in comparison.rows]
    assert all(one["bytes"] > 0 and one["ratio"] is None for one in facts["systems"])


def test_a_system_that_takes_too_much_memory_is_counted_alone(small, tmp_path, monkeypatch):
    parameters = mb.counting.parameters(presets.get("micro_ib_bert")).total
    monkeypatch.setattr(machine, "available_memory", lambda: 11 * 4 * parameters - 1)
    assert parameters > mb.counting.parameters(presets.get("micro")).total
    comparison, _ = made(small, tmp_path, threads=(1,))
    base, others = comparison.rows[0], comparison.rows[1:]
    assert (base.bytes, base.records, base.parameters) == (None, {}, parameters)
    assert all(row.bytes and row.records for row in others)
    shown = report.of(comparison)
    assert column(shown.summary, "median ms, 1 thread")[0] == "-"
    # Without BERT-base, ratios are to the first that was measured.
    assert column(shown.summary, "ratio") == ["-", "1.00x", "0.50x", "1.00x", "0.33x"]
    assert "BERT-base has no file: its export takes about 0 GB" in " ".join(shown.notes)
    ((_, points),) = shown.panels.items()
    assert [point.label for point in points] == [
        "BERT-tiny of TinyBERT's paper", "TinyBERT 4L*", "MobileBERT"]
    assert [point.is_open for point in points] == [False, True, False]
    # A file that was made elsewhere is measured.
    monkeypatch.setattr(machine, "available_memory", lambda: None)
    made(small, tmp_path, with_latency=False)
    monkeypatch.setattr(machine, "available_memory", lambda: 0)
    assert made(small, tmp_path)[0].not_made == {}


def test_the_command_prints_and_writes_the_same(small, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["/usr/bin/mobilebert", "compare", "--systems", "a b"])
    app = typer.Typer()
    app.command()(command.run)
    result = typer.testing.CliRunner().invoke(app, [
        "--systems", ",".join(NAMES), "--length", "8", "--recipe", "float32", "--runs", "2",
        "--threads", "1", "--output", str(tmp_path / "out"), "--json", str(tmp_path / "f.json")])
    assert result.exit_code == 0, result.output
    written = (tmp_path / "out" / "comparison.md").read_text()
    facts = json.loads((tmp_path / "f.json").read_text())
    assert facts == json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert (tmp_path / "out" / "comparison.png").read_bytes().startswith(b"\x89PNG")
    assert facts["command"] == "mobilebert compare --systems 'a b'"
    for text in (written, " ".join(result.output.split())):
        for sentence in ("TinyBERT 4L*", "nothing here is a phone's latency", "random weights",
                         "task-specific"):
            assert sentence in text
    assert "mobilebert compare --systems 'a b'" in written
    shown = {one["system"]: one for one in facts["published"] if "K80" in one["source"]["speed"]}
    assert shown["tinybert_4l"]["computed"]["plain_nine"] == pytest.approx(77.0444, abs=1e-4)
    assert facts["systems"][0]["records"][0]["num_threads"] == 1


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"length": 513}, "takes lengths of 3 to 512. Received: 513"),
    ({"recipe": "float3"}, "did you mean float32"), ({"threads": (1, 0)}, "1 or more. Received: 0"),
    ({"threads": ()}, "threads is empty"), ({"systems": ()}, "systems is empty"),
    ({"systems": ("mobilbert",)}, "did you mean mobilebert")])
def test_bad_requests_are_named(changes, sentence):
    with pytest.raises(mb.InputError, match=sentence):
        compare(**{"systems": ("mobilebert",), **changes})
