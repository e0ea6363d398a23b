import dataclasses
import json
import types

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.export.benchmark import chart, report
from mobilebert_tf.export.benchmark.bar import Bar
from mobilebert_tf.export.benchmark.compare import Measurements
from mobilebert_tf.export.benchmark.record import ratios

from ... import full_disk
from ..tables import column


def test_a_ratio_is_to_the_first_of_that_name_at_the_same_length(record):
    records = [record(), record(name="bert_base", times_ms=[30.0]),
               record(name="bert_base", times_ms=[60.0], recipe="float32"),
               record(length=64, times_ms=[2.0]),
               record(length=64, times_ms=[8.0], name="bert_base"), record(length=32)]
    assert ratios(records, "bert_base") == [3.0, 1.0, 0.5, 4.0, 1.0, None]
    assert ratios(records, "mobilebert") == [1.0, 1 / 3, 1 / 6, 1.0, 0.25, 1.0]


def test_the_papers_ratios_stand_beside_those_to_bert(record):
    records = [record(), record(name="bert_base", preset="bert_base", times_ms=[30.0]),
               record(length=64), record(preset=None)]
    made = report.of_models(Measurements(records, {}, "bert_base"))
    assert column(made.table, "ratio") == ["3.00x", "1.00x", "-", "3.00x"]
    assert column(made.table, "paper, Pixel 4") == ["5.5x", "1.0x", "-", "-"]
    assert made.table.title == "4 threads, 1 run in turn; ratio: times as fast as bert_base"
    to_itself = report.of_models(Measurements(records[:1], {}, "mobilebert"))
    assert "paper, Pixel 4" not in to_itself.table.headings


def test_every_version_is_told(record):
    told = report.circumstances([record(), record(), record(versions={"ai-edge-litert": "2.4.0"})])
    assert "with ai-edge-litert 2.3.0, ai-edge-litert 2.4.0, on 2026" in told


def test_notes_say_what_the_numbers_are_not(record):
    absent = {"a peer": "not installed: torch"}
    made = report.of_models(Measurements([record()], absent, "mobilebert"))
    notes = " ".join(made.notes)
    assert "a peer was not measured: not installed: torch." in notes
    assert "random weights" in notes
    assert "a box" in notes
    assert "ai-edge-litert 2.3.0" in notes
    assert "nothing here is a phone's latency" in notes
    assert made.facts["not_measured"] == absent
    given = report.of_models(Measurements([record(random_weights=None)], {}, "mobilebert"))
    assert "random weights" not in " ".join(given.notes)


def test_which_of_several_baselines_is_meant_is_said(record):
    records = [record(), record(recipe="float32")]
    notes = " ".join(report.of_models(Measurements(records, {}, "mobilebert")).notes)
    assert "Ratios are to mobilebert of the same length, dynamic_int8." in notes
    assert "Ratios are to" not in " ".join(
        report.of_models(Measurements(records[:1], {}, "mobilebert")).notes)


def test_the_files_say_the_same_as_the_terminal(record, tmp_path):
    import io

    from matplotlib.image import imread

    records = [record(), record(name="bert_base", preset="bert_base", times_ms=[30.0])]
    made = report.of_models(Measurements(records, {}, "bert_base"))
    made.write(tmp_path / "new")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "benchmark.json", "benchmark.md", "benchmark.png"]
    facts = json.loads((tmp_path / "new/benchmark.json").read_text())
    assert [(one["name"], one["ratio"], one["baseline"], one["latency"]["median_ms"],
             one["model_size_mb"]) for one in facts["records"]] == [
        ("mobilebert", 3.0, "bert_base", 10.0, 23.84), ("bert_base", 1.0, "bert_base", 30.0, 23.84)]
    text = (tmp_path / "new/benchmark.md").read_text()
    assert "mobilebert benchmark --runs 1" in text
    for row in made.table.rows:
        assert "| " + " | ".join(row) + " |" in text
    for note in made.notes:
        assert f"- {note}\n" in text
    dataclasses.replace(made, command="").write(tmp_path / "by hand")
    assert "Made by" in text
    assert "Made by" not in (tmp_path / "by hand/benchmark.md").read_text()
    picture = imread(io.BytesIO((tmp_path / "new/benchmark.png").read_bytes()))
    assert picture.shape[1] == 1350
    assert np.std(picture) > 0.05


def test_a_directory_that_cannot_be_written_is_named(record, tmp_path):
    (tmp_path / "file").write_text("")
    made = report.of_models(Measurements([record()], {}, "mobilebert"))
    with pytest.raises(mb.InputError, match="cannot write"):
        made.write(tmp_path / "file")


def test_files_are_replaced_together(record, tmp_path, monkeypatch):
    report.of_models(Measurements([record()], {}, "mobilebert")).write(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    made = report.of_models(Measurements([record(times_ms=[20.0])], {}, "mobilebert"))
    tried = full_disk.fill_after(2, monkeypatch)
    with pytest.raises(mb.InputError, match="cannot write .*No space left"):
        made.write(tmp_path)
    assert len(tried) == 3
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_names_that_are_no_text_or_look_like_formulas_are_reported(record, tmp_path):
    names = "caf\udce9", "a$b_{c$"
    made = report.of_models(Measurements([record(name=name) for name in names], {}, names[0]))
    made.write(tmp_path)
    text = (tmp_path / "benchmark.md").read_text()
    assert "| caf\\udce9 |" in text
    assert "| a$b_{c$ |" in text
    assert (tmp_path / "benchmark.png").read_bytes()[:4] == b"\x89PNG"


def test_bars_are_as_long_as_the_times_and_whiskers_end_at_p95(monkeypatch):
    drawn = []
    monkeypatch.setattr(chart, "_draw", lambda panel, axes, *rest, draw=chart._draw: (
        draw(panel, axes, *rest), drawn.append(axes)))
    chart.png([chart.Panel("title", "ms", [Bar("a", "x", 3.0, 5.0),
                                           Bar("a", "y", 2.0, 2.5),
                                           Bar("b", "x", 1.0, 1.0)])])
    axes, = drawn
    assert [bar.get_width() for bar in axes.patches] == [3.0, 2.0, 1.0]
    colors = [bar.get_facecolor() for bar in axes.patches]
    assert colors[0] == colors[2] != colors[1]
    ends = [max(line.get_segments()[0][:, 0]) for line in axes.collections]
    assert ends == [5.0, 2.5, 1.0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
    first, second = axes.get_yticks()
    assert first == 0.5
    assert second == pytest.approx(2.6)


def test_eighty_columns_hold_the_table(record):
    from rich.console import Console

    wide = record(name="mobilebert_no_opt", times_ms=[123.45], peak_memory_mb=1234.0,
                  bytes=439_000_000)
    bert = record(name="bert_base", times_ms=[345.67])
    made = report.of_models(Measurements([wide, bert], {}, "bert_base"))
    console = Console(width=80, file=types.SimpleNamespace(write=lambda text: None,
                                                           flush=lambda: None), record=True)
    console.print(made.table)
    text = console.export_text()
    for cell in ("dynamic_int8", "123.45", "345.67", "2.80x", "439.0", "1234"):
        assert cell in text, text
