"""`mobilebert package`: the folder that a mobile developer downloads."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import export, output, startup, tasks
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.progress import track

EXAMPLES = """[bold]Examples[/bold]

mobilebert package runs/sst2 --data glue/SST-2 --output out/sst2

mobilebert package runs/sst2 --recipes float32,dynamic_int8 --lengths 64 --data glue/SST-2 \\
--name minilm_sst2 --licence apache-2.0 --output out/sst2

mobilebert package runs/restaurant --data tagging/restaurant --test tagging/restaurant/test.bio \\
--output out/restaurant

mobilebert package all-MiniLM-L6-v2 --task similarity --data glue/STS-B --output out/sentences

mobilebert package runs/sst2 --data glue/SST-2 --android android_demo/app/src/main/assets

mobilebert package out/sst2 --android android_demo/app/src/main/assets"""

_RECIPES = "float32,dynamic_int8"
_APP_RECIPES = "dynamic_int8"


def run(
    context: typer.Context,
    model: Annotated[Path, typer.Argument(
        help="Model directory, as finetune writes it; for similarity, also of an encoder. With "
             "--android alone, also a package.")],
    directory: Annotated[Path | None, typer.Option(
        "--output", help="Directory to write; a package that is there is replaced.")] = None,
    android: Annotated[Path | None, typer.Option(
        metavar="DIRECTORY", help="Assets of the Android app: its model for question answering or "
                                  "text classification becomes the smallest of the files.")] = None,
    data: Annotated[Path | None, typer.Option(
        help="Directory of the task's files: every file is evaluated on the dev set.")] = None,
    train: tasks.TrainOption = None,
    dev: tasks.DevOption = None,
    test: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Test file, with labels: every file is scored on it too. By default "
                             "tagging's test.bio, where --data has one.")] = None,
    recipes: Annotated[str | None, typer.Option(
        help=f"Recipes, comma-separated: a file for each. By default {_RECIPES}; "
             f"{_APP_RECIPES} where only the app gets one.")] = None,
    lengths: export.LengthsOption = None,
    name: Annotated[str | None, typer.Option(
        help="Of the model, in file names and card; by default the output directory's, or where "
             "only the app gets one, the model directory's.")] = None,
    licence: Annotated[str | None, typer.Option(
        help="Licence of the weights, as the Hugging Face hub calls it: apache-2.0, ...")] = None,
    base_model: Annotated[str | None, typer.Option(
        help="Hugging Face id of the checkpoint that was fine-tuned.")] = None,
    task: export.TaskOption = None,
    text: tasks.TextOption = None,
    text_pair: tasks.PairOption = None,
    label: tasks.LabelOption = None,
    vocab: export.VocabOption = None,
    json: output.JsonOption = None,
):
    """Export with several recipes and write a folder with card, vocabulary and checksums.

    When a file loses more than its recipe may, nothing is written and the command exits with 1.
    """
    if _is_package(model):
        output.write_json(json, _copy_to_app(context, model, android))
        return
    names = _checked_recipes(recipes or (_APP_RECIPES if directory is None else _RECIPES))
    parsed = export.parse_lengths(lengths)
    columns = tasks.options(text, text_pair, label)
    _check_places(directory, android, model, task, columns)
    startup.tensorflow()
    from mobilebert_tf.export.gate import FailedGate
    from mobilebert_tf.export.package import write as package

    source = export.load(model, task, columns, vocab)
    described = _require_data(export.task_data(source, data, train, dev, model, test))
    details = package.Details(name=name or (directory or model).resolve().name, source=model,
                              data=described, licence=licence, base_model=base_model)
    try:
        facts = package.write(
            directory, source, details, names, parsed or export.default_lengths(source),
            track, assets=android,
            say=lambda line: output.progress.print(line, soft_wrap=True))
    except FailedGate as failure:
        export.fail(f"{failure}; nothing is written")
    _say_written(facts, directory, android)
    output.write_json(json, facts)


def _is_package(path):
    from mobilebert_tf.export.package import directory as package_directory

    return package_directory.is_one(path)


def _copy_to_app(context, package, android):
    """Writes the app's files from a package that is there; InputError for any other option."""
    from mobilebert_tf.export.package import app_assets

    given = [parameter.opts[-1] for parameter in context.command.params
             if context.get_parameter_source(parameter.name).name == "COMMANDLINE"
             and parameter.name not in ("model", "android", "json")]
    if given or android is None:
        named = f", and not {', '.join(given)}" if given else ""
        raise InputError(f"{package} is a package already: it goes into an app, with --android"
                         f"{named}")
    facts = app_assets.write_from_package(android, package)
    _say_written(facts, None, android)
    return facts


def _checked_recipes(text):
    """The names in "float32,int8", before the seconds that loading a model takes."""
    from mobilebert_tf.export import recipes

    names = tuple(dict.fromkeys(text.split(",")))
    for name in names:
        recipes.get(name)
    return names


def _check_places(directory, android, model, task, columns):
    """InputError where nothing could be written, also before those seconds."""
    from mobilebert_tf import model_directory
    from mobilebert_tf.export.package import app_assets
    from mobilebert_tf.export.package import directory as package_directory
    from mobilebert_tf.tasks import catalogue

    if directory is None and android is None:
        raise InputError("say where to: --output for a package, --android for an app's assets")
    if directory is not None:
        package_directory.check_place(directory)
    if android is not None:
        found = model_directory.description(model)
        name = task or found.get("task")
        if name is not None:
            options = found["options"] if found.get("task") == name else None
            app_assets.check(android, catalogue.of(name, columns or options).kind)


def _require_data(described):
    if described is None:
        raise InputError("name the task's files with --data, or with --train and --dev: what is "
                         "packaged is evaluated")
    return described


def _say_written(facts, directory, assets):
    from mobilebert_tf.export.package import app_assets

    lines = []
    if directory is not None:
        lines.append(f"{len(facts['files'])} files with card and checksums in {directory}")
    if assets is not None:
        lines.append(f"{facts['name']} for the app in {app_assets.check(assets, facts['kind'])}")
    output.results.print("\n".join(lines), soft_wrap=True)
