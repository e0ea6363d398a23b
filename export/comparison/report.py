"""Report: a comparison as tables with notes, and as JSON, Markdown and a picture."""

import dataclasses
import json
import os
from pathlib import Path

from mobilebert_tf.export.benchmark.report import circumstances
from mobilebert_tf.export.comparison import picture
from mobilebert_tf.export.comparison.averages import AVERAGES
from mobilebert_tf.export.comparison.footnotes import FOOTNOTES
from mobilebert_tf.export.comparison.score_tables import (
    COMMON,
    ScoreTable,
    common_score,
    label,
    main_figures,
    number,
    published,
    tables,
)
from mobilebert_tf.files import written_atomically
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.counted import counted
from mobilebert_tf.terminal.table import Table

_BASELINE = "bert_base"


@dataclasses.dataclass(frozen=True)
class ComparisonReport:
    """The report of a `Comparison`.

    Args:
      summary: a `Table` with a row for each system: ours beside the published figures.
      notes: sentences on how it was measured.
      scores: a `ScoreTable` for each published table.
      footnotes: sentences, numbered from 1 in the tables.
      facts: the content of the JSON file.
      panels: of the picture; empty without latency or scores.
      command: the command that makes it again.
    """

    summary: Table
    notes: list[str]
    scores: list[ScoreTable]
    footnotes: list[str]
    facts: dict
    panels: dict[str, list[picture.Point]]
    command: str

    def write(self, directory: str | os.PathLike) -> None:
        """Write comparison.json, comparison.md and, with latency, comparison.png, together."""
        directory = Path(directory)
        made_by = ["Made by:", "", "```", self.command, "```", ""] if self.command else []
        chart = ["![Published score over our latency](comparison.png)", ""] if self.panels else []
        text = "\n".join([
            "# Comparison", "", *made_by, self.summary.markdown(), *chart,
            *(f"- {note}" for note in self.notes), "",
            "## Published scores", "",
            *(part for one in self.scores for part in (one.table.markdown(), one.note, "")),
            "## Footnotes", "",
            *(f"{place}. {sentence}" for place, sentence in enumerate(self.footnotes, 1)), ""])
        files = {"json": json.dumps(self.facts, indent=2).encode() + b"\n",
                 "md": text.encode(errors="backslashreplace")}
        if self.panels:
            files["png"] = picture.png(self.panels, f"GLUE test, {AVERAGES[COMMON].heading}")
        with written_atomically(*(directory / f"comparison.{name}" for name in files)) as beside:
            for path, content in zip(beside, files.values(), strict=True):
                path.write_bytes(content)


def of(comparison) -> ComparisonReport:
    """Make the report of a `Comparison`."""
    rows = published([row.name for row in comparison.rows])
    footnotes = list(dict.fromkeys(name for one in rows for name in one.footnotes))
    return ComparisonReport(
        _summary(comparison, footnotes), _notes(comparison), tables(rows, footnotes),
        [FOOTNOTES[name] for name in footnotes], _facts(comparison, rows, footnotes),
        _panels(comparison), comparison.command)


def _speed_ups(comparison):
    """The baseline's name, and how many times as fast each row is with the first number of threads.
    """
    medians = {row.name: row.records[comparison.threads[0]].latency.median_ms
               for row in comparison.rows if row.records}
    baseline = next(iter(medians), None) if _BASELINE not in medians else _BASELINE
    return baseline, [medians[baseline] / medians[row.name] if row.name in medians else None
                      for row in comparison.rows]


def _summary(comparison, footnotes):
    threads = comparison.threads
    baseline, speed_ups = _speed_ups(comparison)
    cells = []
    for row, speed_up in zip(comparison.rows, speed_ups, strict=True):
        figures = main_figures(row.name)
        cells.append((
            label(row.name, figures.footnotes if figures else (), footnotes),
            f"{row.parameters:,}", number(row.flops, 1e9, 2), number(row.bytes, 1e6),
            *(_ms(row, one, field) for one in threads for field in ("median_ms", "p5_ms")),
            *(["-" if speed_up is None else f"{speed_up:.2f}x"] if threads else []),
            *([number(figures.parameters, 1e6), number(figures.flops, 1e9),
               number(common_score(figures), digits=2), figures.source.name]
              if figures else ["-"] * 4)))
    title = f"Length {comparison.length}, {comparison.recipe}" + (
        f"; ratio: times as fast as {label(baseline)}, {counted(threads[0], 'thread')}"
        if threads else "")
    return Table(title, (
        Column("system", words=True), Column("parameters"), Column("FLOPs, B"), Column("file MB"),
        *(column for one in threads for column in (
            Column(f"median ms, {counted(one, 'thread')}"),
            Column(f"p5 ms, {counted(one, 'thread')}", rank=4))),
        *([Column("ratio")] if threads else []), Column("printed: parameters, M", rank=2),
        Column("printed: FLOPs, B", rank=3),
        Column(f"GLUE test, {AVERAGES[COMMON].heading}", rank=1),
        Column("source", rank=1, words=True)), cells)


def _ms(row, threads, field):
    return number(getattr(row.records[threads].latency, field), digits=2) if row.records else "-"


def _notes(comparison):
    common = AVERAGES[COMMON]
    notes = [
        "Parameters and FLOPs are those of the encoder, without heads; a multiply-add counts as "
        "two FLOPs. Files are classifiers with random weights: as large and as fast as trained "
        "ones. Systems of one architecture share a file.",
        "*: task-specific, a fine-tuned teacher takes part in fine-tuning. The others are "
        "fine-tuned like BERT.",
        f"GLUE test, {common.heading}: {common.description}, computed from the printed columns. "
        "Averages of other definitions are in the tables of scores and cannot be compared with it.",
        "Printed speeds are in the tables of scores, with the machine of each: a phone, a GPU or a "
        "CPU. They cannot be compared with each other or with ours."]
    notes += [f"{row.system.label} has no file: {comparison.not_made[row.system.preset]}."
              for row in comparison.rows if row.system.preset in comparison.not_made]
    records = [record for row in comparison.rows for record in row.records.values()]
    if records:
        notes += [f"Medians of {counted(records[0].latency.num_runs, 'run')} after "
                  f"{records[0].latency.num_warmup_runs} warm-up runs. Files take turns of a few "
                  "runs, each in its own process. p5 is the 5th percentile; where the median is "
                  "far above it, other programs took the cores, and long runs suffer most.",
                  circumstances(records)]
    return notes


def _facts(comparison, rows, footnotes):
    baseline, speed_ups = _speed_ups(comparison)
    return {
        "length": comparison.length, "recipe": comparison.recipe, "command": comparison.command,
        "baseline": baseline, "not_made": comparison.not_made,
        "systems": [{
            "name": row.name, **dataclasses.asdict(row.system), "parameters": row.parameters,
            "flops": row.flops, "bytes": row.bytes, "ratio": speed_up,
            "records": [record.to_dict() for record in row.records.values()]}
            for row, speed_up in zip(comparison.rows, speed_ups, strict=True)],
        "published": [{
            **dataclasses.asdict(one), "computed": {
                name: average.of(one) for name, average in AVERAGES.items()
                if average.split == one.source.split}} for one in rows],
        "averages": {name: average.description for name, average in AVERAGES.items()},
        "footnotes": {name: FOOTNOTES[name] for name in footnotes}}


def _panels(comparison):
    scored = [(row, common_score(figures)) for row in comparison.rows
              if row.records and (figures := main_figures(row.name))
              and common_score(figures) is not None]
    return {
        f"ms of our {comparison.recipe} file, {counted(threads, 'thread')}, length "
        f"{comparison.length}":
        [picture.Point(label(row.name), row.records[threads].latency.median_ms, score,
                       row.system.is_task_specific) for row, score in scored]
        for threads in comparison.threads if scored}
