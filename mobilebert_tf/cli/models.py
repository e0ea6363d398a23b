"""`mobilebert models`: the models to download, and what each does."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.table import Table

EXAMPLES = """[bold]Examples[/bold]

mobilebert models

mobilebert models downloads --json models.json

mobilebert predict sst2 "a gripping film"

No network is used."""

ModelsOption = Annotated[Path | None, typer.Option(
    "--models", metavar="DIRECTORY",
    help="Where a model's short name is looked up; by default MOBILEBERT_MODELS, else models/ of "
         "the checkout, else models/ here. sst2 is the smallest model whose name ends in _sst2.")]
_COLUMNS = (Column("model", words=True), Column("kind", words=True), Column("task", rank=2),
            Column("MB"), Column("recipe", rank=3), Column("score"), Column("licence", rank=4))


def run(
    directory: Annotated[Path | None, typer.Argument(
        help="A directory of models; by default MOBILEBERT_MODELS, else models/ of the checkout, "
             "else models/ here.")] = None,
    json: output.JsonOption = None,
):
    """List the shipped models: what each does, its size, its scores and its licence."""
    from mobilebert_tf.inference import shipped

    place = shipped.directory(directory)
    found = shipped.listed(place)
    if not found:
        raise InputError(f"there is no model in {place}; name the directory that holds them")
    output.results.print(Table(f"Models in {place}", _COLUMNS, [
        _cells(one, file) for one in found for file in one.files]))
    for one in found:
        output.results.print(f"{one.name}: {one.purpose}", soft_wrap=True, markup=False)
    output.write_json(json, {"directory": str(place),
                             "models": [one.to_json() for one in found]})


def _cells(one, file):
    score = "-" if file.score is None else f"{file.metric} {file.score:.4f}"
    return (one.name, one.kind or "encoder", one.task or "-", f"{file.bytes / 1e6:.1f}",
            file.recipe or "-", score, one.licence or "-")
