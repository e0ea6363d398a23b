"""`mobilebert presets`: the family with parameters and FLOPs beside the papers' figures."""

from typing import Annotated

import typer
from rich.table import Table

from mobilebert_tf import counting, presets
from mobilebert_tf.cli import output

EXAMPLES = """[bold]Examples[/bold]

mobilebert presets

mobilebert presets mobilebert bert_base --json presets.json"""


def run(
    names: Annotated[list[str] | None, typer.Argument(
        help="Presets to show; all published ones where none is named.")] = None,
    length: Annotated[int, typer.Option(help="Sequence length that FLOPs are counted at.")] = 128,
    json: output.JsonOption = None,
):
    """Show the family: parameters and FLOPs by component, beside the papers' figures."""
    names = names or [name for name in presets.names() if presets.describe(name).published]
    records = [_record(name, length) for name in names]
    for title, kind in (("Parameters", "parameters"), (f"FLOPs at length {length}", "flops")):
        output.results.print(_table(title, kind, records))
    for record in records:
        if record["note"]:
            output.results.print(f"[bold]{record['name']}[/bold]: {record['note']}")
    output.results.print("FLOPs: two per multiply-add of the encoder's matrix products; biases, "
                         "norms, activations, softmax and look-ups are left out. Heads are left "
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


def _table(title, kind, records):
    table = Table(title=title, title_justify="left", header_style="bold")
    table.add_column("preset")
    for component in records[0][kind]:
        table.add_column(component, justify="right")
    table.add_column("paper", justify="right")
    for record in records:
        table.add_row(record["name"], *(_short(value) for value in record[kind].values()),
                      _short(record[f"paper_{kind}"]))
    return table


def _short(value):
    if not value:
        return "-"
    for size, suffix in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.1f}{suffix}"
    return f"{value:.0f}"
