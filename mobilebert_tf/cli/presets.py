"""`mobilebert presets`: the family with parameters and FLOPs beside the papers' figures."""

from typing import Annotated

import typer

from mobilebert_tf import counting, presets
from mobilebert_tf.cli import output
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.table import Table

EXAMPLES = """[bold]Examples[/bold]

mobilebert presets

mobilebert presets mobilebert bert_base --json presets.json

mobilebert presets own.json mobilebert_mini"""

# Component -> its column.
_COLUMNS = {
    "embedding": Column("embed", rank=2), "input_bottleneck": Column("in", rank=4),
    "shared_bottleneck": Column("shared", rank=5), "attention": Column("attn", rank=1),
    "feed_forward": Column("FFN", rank=1), "output_bottleneck": Column("out", rank=3),
    "pooler": Column("pool", rank=6), "total": Column("total"),
}


def run(
    names: Annotated[list[str] | None, typer.Argument(
        help="Presets, or JSON files of configs; by default all presets but those for tests.")
    ] = None,
    length: Annotated[int, typer.Option(min=1, help="Sequence length for FLOPs.")] = 128,
    json: output.JsonOption = None,
):
    """Show the family: parameters and FLOPs by component, beside the papers' figures."""
    names = names or [name for name in presets.names() if presets.describe(name).published]
    records = [_record(name, length) for name in names]
    output.results.print(_table("Parameters, millions", "parameters", 1e6, records))
    output.results.print(_table(f"FLOPs at length {length}, billions", "flops", 1e9, records))
    for record in records:
        if record["note"]:
            output.results.print(f"{record['name']}: {record['note']}")
    output.results.print(
        "In, shared, out: the bottlenecks. FLOPs: two per multiply-add of the encoder's matrix "
        "products; biases, norms, activations, softmax and look-ups are left out. Heads are left "
        "out of both tables.")
    output.write_json(json, {"length": length, "presets": records})


def _record(name, length):
    preset = presets.describe(name)
    counts = {"parameters": counting.parameters(preset.config),
              "flops": counting.flops(preset.config, length)}
    return {
        "name": name, "source": preset.source, "note": preset.note,
        **{kind: {**count.components, "total": count.total} for kind, count in counts.items()},
        "paper_parameters": preset.paper_parameters, "paper_flops": preset.paper_flops}


def _table(title, kind, unit, records):
    rows = []
    for record in records:
        values = (*(record[kind][component] for component in _COLUMNS), record[f"paper_{kind}"])
        rows.append((record["name"], *(_number(value and value / unit) for value in values)))
    return Table(title, (Column("preset", words=True), *_COLUMNS.values(), Column("paper")), rows)


def _number(value):
    if not value:
        return "-"
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"
