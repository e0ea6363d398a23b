"""`mobilebert export`: from a model directory to a .tflite file."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mobilebert_tf.cli import output, startup

EXAMPLES = """[bold]Examples[/bold]

mobilebert export runs/sst2 --output sst2.tflite

mobilebert export runs/sst2 --recipe float32 --length 64 --output sst2_float32_seq64.tflite"""


def run(
    model: Annotated[Path, typer.Argument(help="Model directory, as finetune writes it.")],
    file: Annotated[Path, typer.Option("--output", metavar="FILE", help="The .tflite to write.")],
    recipe: Annotated[str, typer.Option(
        help="What happens to the numbers: dynamic_int8 or float32.")] = "dynamic_int8",
    length: Annotated[int, typer.Option(help="Sequence length of the file's inputs.")] = 128,
    vocab: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Vocabulary for the file, where the directory has none.")] = None,
    json: output.JsonOption = None,
):
    """Export a model for LiteRT, with its vocabulary and labels inside the file."""
    startup.tensorflow()
    from mobilebert_tf import export, files, model_directory
    from mobilebert_tf.export import recipes
    from mobilebert_tf.text.vocabulary import Vocabulary

    recipes.get(recipe)  # before the seconds that loading a model takes
    vocabulary = None if vocab is None else Vocabulary.load(vocab)
    source = model_directory.load(model)
    output.progress.print(f"Exporting {model} with {recipe} at length {length} ...")
    result = export.to_tflite(
        source.model, recipe, (length,), vocabulary=vocabulary or source.vocabulary,
        labels=source.labels, lower_case=source.lower_case)
    files.write_atomically(file, result.model)
    output.results.print(_table(file, result.report))
    if vocabulary is None and source.vocabulary is None:
        output.progress.print("The file carries no vocabulary, so predict cannot use it: "
                              "give one with --vocab.")
    output.write_json(json, {"file": str(file), **result.report.to_dict()})


def _table(file, report):
    table = Table(title=str(file), title_justify="left", show_header=False)
    for name, value in (
            ("task", report.task), ("recipe", report.recipe),
            ("lengths", ", ".join(map(str, report.lengths))),
            ("size", f"{report.bytes / 1e6:.2f} MB"),
            *((f"output {name}", f"{one.shape}, off the Keras model by at most "
                                 f"{one.max_difference:.2g} ({one.max_relative_difference:.1g} "
                                 "of its largest value)")
              for name, one in report.outputs.items()),
            ("graph", f"{report.nodes} nodes, {report.xnnpack_partitions} XNNPACK partition"
                      + "s" * (report.xnnpack_partitions != 1)),
            ("runs on", f"LiteRT or TensorFlow Lite {report.runtime} and later")):
        table.add_row(name, value)
    return table
