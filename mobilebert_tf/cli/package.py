"""`mobilebert package`: the folder that a mobile developer downloads."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from mobilebert_tf.cli import export, output, startup, tasks
from mobilebert_tf.errors import InputError

EXAMPLES = """[bold]Examples[/bold]

mobilebert package runs/sst2 --data glue/SST-2 --output out/sst2

mobilebert package runs/sst2 --recipes float32,dynamic_int8 --lengths 64 --data glue/SST-2 \\
--name minilm_sst2 --licence apache-2.0 --output out/sst2

mobilebert package all-MiniLM-L6-v2 --task similarity --data glue/STS-B --output out/sentences"""


def run(
    model: Annotated[Path, typer.Argument(
        help="Model directory, as finetune writes it; for similarity, also of an encoder.")],
    directory: Annotated[Path, typer.Option(
        "--output", help="Directory to write; a package that is there is replaced.")],
    data: Annotated[Path | None, typer.Option(
        help="Directory of the task's files: every file is evaluated on the dev set.")] = None,
    train: tasks.TrainOption = None,
    dev: tasks.DevOption = None,
    recipes: Annotated[str, typer.Option(
        help="Recipes, comma-separated: a file for each.")] = "float32,dynamic_int8",
    lengths: export.LengthsOption = None,
    name: Annotated[str | None, typer.Option(
        help="Of the model, in file names and card; by default the output directory's.")] = None,
    licence: Annotated[str | None, typer.Option(
        help="Licence of the weights, as the Hugging Face hub calls it: apache-2.0, ...")] = None,
    base_model: Annotated[str | None, typer.Option(
        help="Hugging Face id of the checkpoint that was fine-tuned.")] = None,
    task: export.TaskOption = None,
    vocab: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Vocabulary, where the directory has none.")] = None,
    json: output.JsonOption = None,
):
    """Export with several recipes and write a folder with card, vocabulary and checksums.

    When a file loses more than its recipe may, nothing is written and the command exits with 1.
    """
    from mobilebert_tf.export import recipes as known

    names = tuple(dict.fromkeys(recipes.split(",")))
    for recipe in names:  # before the seconds that loading a model takes
        known.get(recipe)
    parsed = export.parse_lengths(lengths)
    startup.tensorflow()
    from mobilebert_tf.export import package
    from mobilebert_tf.export.gate import FailedGate

    package.check_place(directory)
    source = export.load(model, task, vocab)
    described = export.task_data(source, data, train, dev, model)
    if described is None:
        raise InputError("name the task's files with --data, or with --train and --dev: what is "
                         "packaged is evaluated")
    details = package.Details(name=name or directory.resolve().name, source=model, data=described,
                              licence=licence, base_model=base_model)
    try:
        facts = package.write(
            directory, source, details, names, parsed or export.default_lengths(source),
            tasks.track,
            say=lambda line: output.progress.print(escape(line), soft_wrap=True))
    except FailedGate as failure:
        export.fail(f"{failure}; {directory} is not written")
    output.results.print(f"{len(facts['files'])} files with card and checksums in {directory}",
                         soft_wrap=True)
    output.write_json(json, facts)
