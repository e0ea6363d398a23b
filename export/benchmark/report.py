"""Report: a comparison as a table with notes, and as JSON, Markdown and a picture."""

import dataclasses
import json
import os
from pathlib import Path

from mobilebert_tf.export.benchmark import chart
from mobilebert_tf.export.benchmark.bar import Bar
from mobilebert_tf.export.benchmark.plan import DEFAULT_BASELINE
from mobilebert_tf.export.benchmark.record import ratios
from mobilebert_tf.files import written_atomically
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.counted import counted
from mobilebert_tf.terminal.table import Table

# Sun et al. 2020 (arXiv:2004.02984): ms, float32, four threads of a Pixel 4 phone, length 128.
_PAPER_MS = {"bert_base": 342, "mobilebert_no_opt": 192, "mobilebert": 62, "mobilebert_tiny": 40}


@dataclasses.dataclass(frozen=True)
class BenchmarkReport:
    """The report of a benchmark of models or of texts.

    Args:
      table: a `Table`.
      notes: sentences on how it was measured, and on what the numbers do not say.
      facts: the content of the JSON file.
      panels: `chart.Panel`s.
      command: the command that makes the numbers again.
    """

    table: Table
    notes: list[str]
    facts: dict
    panels: list[chart.Panel]
    command: str

    def write(self, directory: str | os.PathLike) -> None:
        """Write benchmark.json, benchmark.md and benchmark.png into a directory, together."""
        directory = Path(directory)
        picture = chart.png(self.panels)
        made_by = ["Made by:", "", "```", self.command, "```", ""] if self.command else []
        text = "\n".join([
            "# Benchmark", "", "The speed, memory and size of model files.", "", *made_by,
            self.table.markdown(),
            "![The same as bars](benchmark.png)", "",
            *(f"- {note}" for note in self.notes), ""])
        # A file's name may be no text; its bytes become escapes.
        files = {"json": json.dumps(self.facts, indent=2).encode() + b"\n",
                 "md": text.encode(errors="backslashreplace"), "png": picture}
        with written_atomically(*(directory / f"benchmark.{name}" for name in files)) as beside:
            for path, content in zip(beside, files.values(), strict=True):
                path.write_bytes(content)


def of_models(comparison) -> BenchmarkReport:
    """Make the report of `Measurements`."""
    records, baseline = comparison.records, comparison.baseline
    speed_ups = ratios(records, baseline)
    return BenchmarkReport(
        _table(records, speed_ups, baseline), _notes(comparison),
        {"records": [{**record.to_dict(), "ratio": ratio, "baseline": baseline}
                     for record, ratio in zip(records, speed_ups, strict=True)],
         "not_measured": comparison.not_measured},
        _panels(records), records[0].command)


def _table(records, speed_ups, baseline):
    first = records[0]
    with_paper = baseline == DEFAULT_BASELINE
    rows = []
    for record, speed_up in zip(records, speed_ups, strict=True):
        row = (record.name, record.recipe or "-", str(record.length),
               f"{record.latency.median_ms:.2f}", f"{record.latency.p95_ms:.2f}",
               "-" if speed_up is None else f"{speed_up:.2f}x", f"{record.bytes / 1e6:.1f}",
               "-" if record.peak_memory_mb is None else f"{record.peak_memory_mb:.0f}")
        if with_paper:
            paper = _PAPER_MS.get(record.preset) if record.length == 128 else None
            row += ("-" if paper is None else f"{_PAPER_MS['bert_base'] / paper:.1f}x",)
        rows.append(row)
    return Table(
        f"{counted(first.num_threads, 'thread')}, {counted(first.latency.num_runs, 'run')} in "
        f"turn; ratio: times as fast as {baseline}",
        (Column("model", words=True), Column("recipe", words=True), Column("len", rank=1),
         Column("median ms"), Column("p95 ms", rank=3), Column("ratio"), Column("file MB"),
         Column("peak MB", rank=2),
         *((Column("paper, Pixel 4", rank=4),) if with_paper else ())), rows)


def _notes(comparison):
    records = comparison.records
    of_baseline = [record for record in records if record.name == comparison.baseline]
    notes = [f"{name} was not measured: {reason}."
             for name, reason in comparison.not_measured.items()]
    notes.append(
        f"Medians of {counted(records[0].latency.num_runs, 'run')} after "
        f"{records[0].latency.num_warmup_runs} warm-up runs. Models take turns of a few runs, each "
        "in its own process. Peak: growth of that process.")
    if len({(record.length, record.recipe) for record in of_baseline}) > 1:
        notes.append(f"Ratios are to {comparison.baseline} of the same length, "
                     f"{of_baseline[0].recipe or 'as it is'}.")
    if any(record.preset in _PAPER_MS for record in records):
        notes.append("The paper measured float32 on four threads of a Pixel 4 phone.")
    if any(record.random_weights for record in records):
        kinds = {record.kind for record in records if record.random_weights}
        notes.append(f"Presets and peers have random weights (kind: {', '.join(sorted(kinds))}): "
                     "they are as fast and as large as trained ones, but their answers mean "
                     "nothing.")
    return notes + [circumstances(records)]


def circumstances(records) -> str:
    """Return the sentence with the machine, the versions and the date."""
    told = ", ".join(dict.fromkeys(f"{name} {version}" for record in records
                                   for name, version in record.versions.items()))
    first = records[0]
    return (f"Measured on this machine, {first.machine}, with {told}, on {first.date[:10]}; "
            "nothing here is a phone's latency.")


def _panels(records):
    panels = []
    for length in sorted({record.length for record in records}):
        panels.append(chart.Panel(
            f"Length {length}, {counted(records[0].num_threads, 'thread')}",
            "ms a run: median, whisker to the 95th percentile",
            [Bar(record.name, record.recipe or "given file", record.latency.median_ms,
                 record.latency.p95_ms)
             for record in records if record.length == length]))
    return panels
