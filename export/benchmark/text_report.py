"""The report of files measured on texts."""

import dataclasses

from mobilebert_tf.export.benchmark import chart
from mobilebert_tf.export.benchmark.bar import Bar
from mobilebert_tf.export.benchmark.report import BenchmarkReport, circumstances
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.counted import counted
from mobilebert_tf.terminal.table import Table


def of_texts(records) -> BenchmarkReport:
    """Make the report of `TextRecord`s.

    Ratios compare means, since a user waits for the sum of all texts.
    """
    first = records[0]
    (baseline,) = [record for record in records if record.name == record.baseline][:1]
    ratios = [baseline.mean_ms / record.mean_ms for record in records]
    rows = [
        (record.name, record.recipe, ",".join(map(str, record.lengths)), f"{record.mean_ms:.2f}",
         f"{record.median_ms:.2f}", f"{record.p95_ms:.2f}", f"{ratio:.2f}x",
         "-" if record.equal_predictions is None else f"{record.equal_predictions:.1%}")
        for record, ratio in zip(records, ratios, strict=True)]
    table = Table(
        f"{counted(first.texts, 'text')}, {counted(first.num_threads, 'thread')}; ratio: mean, "
        f"times as fast as {baseline.name}",
        (Column("model", words=True), Column("recipe", words=True), Column("len", rank=1),
         Column("mean ms"), Column("median ms", rank=2), Column("p95 ms", rank=3),
         Column("ratio"), Column("equal")), rows)
    notes = ["Every file runs every text twice, in turn; the second run counts. Times are without "
             f"tokenization. Equal: share of texts with the same class as {baseline.name}."]
    for record in records:
        if len(record.lengths) > 1:
            counts = ", ".join(f"{count} at {length}"
                               for length, count in record.runs_by_length.items())
            notes.append(f"{record.name} ran each text at the shortest length that fits: {counts}.")
    return BenchmarkReport(
        table, [*notes, circumstances(records)],
        {"records": [{**dataclasses.asdict(record), "ratio": ratio}
                     for record, ratio in zip(records, ratios, strict=True)]},
        [chart.Panel(
            f"{counted(first.texts, 'text')}, {counted(first.num_threads, 'thread')}",
            "ms a text: mean, whisker to the 95th percentile",
            [Bar(record.name, record.recipe, record.mean_ms, record.p95_ms)
             for record in records])],
        first.command)
