"""`mobilebert package`: the folder that a mobile developer downloads."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import comma_lists, export, given_options, output, tasks
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.counted import counted
from mobilebert_tf.terminal.progress import track
from mobilebert_tf.terminal.waiting import waiting

EXAMPLES = """[bold]Examples[/bold]

mobilebert package runs/sst2 --data glue/SST-2 --output out/sst2

mobilebert package runs/sst2 --recipes float32,dynamic_int8 --lengths 64 --data glue/SST-2 --name minilm_sst2 --licence apache-2.0 --output out/sst2

mobilebert package runs/restaurant --data tagging/restaurant --test tagging/restaurant/test.bio --output out/restaurant

mobilebert package all-MiniLM-L6-v2 --task similarity --data glue/STS-B --output out/sentences

mobilebert package runs/sst2 --data glue/SST-2 --android android_demo/app/src/main/assets

mobilebert package out/sst2 --android android_demo/app/src/main/assets

mobilebert package --web out/web

mobilebert package --web out/web out/sst2 restaurant quotes.tflite"""  # noqa: E501

PageOption = Annotated[Path | None, typer.Option(
    "--page", metavar="DIRECTORY", help="The built web page; by default web_demo/page/dist of the "
                                        "checkout, which `make web-page` writes.")]

def run(
    context: typer.Context,
    models: Annotated[list[str] | None, typer.Argument(
        metavar="MODEL", show_default=False,
        help="Model directory, as finetune writes it; with --task similarity also an encoder's. "
             "With --android and without --output also a package, or the name of a shipped "
             "model. With --web any number of packages, .tflite files and names of shipped "
             "models; by default all shipped models that the page has a tab for.")] = None,
    directory: Annotated[Path | None, typer.Option(
        "--output", help="Directory to write; a package that is there is replaced.")] = None,
    android: Annotated[Path | None, typer.Option(
        metavar="DIRECTORY", help="Assets of the Android app. The smallest of the files becomes "
                                  "its model for questions, search, classes, labels "
                                  "or entities.",
    )] = None,
    web: Annotated[Path | None, typer.Option(
        metavar="DIRECTORY", help="Folder for any static host, with a page that runs the models in "
                                  "the browser; one that is there is replaced.")] = None,
    page: PageOption = None,
    data: Annotated[Path | None, typer.Option(
        help="Directory of the task's files: every file is evaluated on the dev set.")] = None,
    train: tasks.TrainOption = None,
    dev: tasks.DevOption = None,
    test: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Test file, with labels: every file is scored on it too. By default "
                             "tagging's test.bio, where --data has one.")] = None,
    recipes: Annotated[str | None, typer.Option(
        help="Recipes, comma-separated: a file for each. By default float32,dynamic_int8; with "
             "--android and without --output, dynamic_int8.")] = None,
    lengths: export.LengthsOption = None,
    name: Annotated[str | None, typer.Option(
        help="Name of the model, for file names and card. By default the name of the --output "
             "directory; without --output, that of the model directory.")] = None,
    licence: Annotated[str | None, typer.Option(
        help="Licence of the weights, as the Hugging Face hub calls it: apache-2.0, ...")] = None,
    base_model: Annotated[str | None, typer.Option(
        help="Hugging Face id of the checkpoint that was fine-tuned.")] = None,
    trained_on: Annotated[str | None, typer.Option(
        "--trained-on", metavar="TEXT", help="The data that the weights come from, with its terms, "
                                             "for the card and the notice.")] = None,
    samples: Annotated[list[str] | None, typer.Option(
        "--sample", metavar="TEXT", help="Text that the web page offers to try the model with; may "
                                         "be given several times.")] = None,
    calibrate: export.CalibrateOption = False,
    task: export.TaskOption = None,
    text: tasks.TextOption = None,
    second_text: tasks.SecondTextOption = None,
    label: tasks.LabelOption = None,
    vocab: export.VocabOption = None,
    json: output.JsonOption = None,
):
    """Export with several recipes and write a folder with card, vocabulary and checksums.

    With --web, or from a package to --android, write the files of the page or the app instead. When
    a file loses more than its recipe may, nothing is written and the command exits with 1.
    """
    from mobilebert_tf.export.failed_gate import FailedGate
    from mobilebert_tf.export.package import directory as package_directory
    from mobilebert_tf.export.package.package import package

    if web is not None:
        output.write_json(json, _write_page(context, models, web, page))
        return
    if page is not None:
        raise InputError("--page goes with --web: only that folder has a page")
    model = _package_of(_only(models))
    if package_directory.is_package(model):
        output.write_json(json, _copy_to_app(context, model, android))
        return
    try:
        facts = package(
            model, directory, android=android, recipes=comma_lists.names(recipes, "--recipes"),
            lengths=comma_lists.numbers(lengths, "--lengths"), name=name, licence=licence,
            base_model=base_model, task=task, data=data, train=train or (), dev=dev, test=test,
            text=text, label=label, second_text=second_text, vocab=vocab, calibrate=calibrate,
            samples=samples or (), trained_on=trained_on,
            track=track,
            say=lambda line: output.progress.print(line, soft_wrap=True))
    except FailedGate as failure:
        export.fail(f"{failure}; nothing is written")
    _say_written(facts, directory, android)
    output.write_json(json, facts)


def shipped_models() -> list[Path]:
    """Return the shipped models that the web page has a tab for."""
    from mobilebert_tf import kinds
    from mobilebert_tf.inference import shipped

    place = shipped.directory()
    found = [one.directory for one in shipped.listed(place)
             if one.kind is not None and kinds.get(one.kind).in_page
             and (kinds.get(one.kind).app_reads_pairs or not one.reads_pairs)]
    if not found:
        raise InputError(f"there is no model for the web page in {place}: name packages or .tflite "
                         "files")
    return found


def _write_page(context, models, web, page):
    """Writes the page with models; InputError for an option of something else."""
    from mobilebert_tf.export.package import web_folder

    given = given_options.other_than(context, "models", "web", "page", "json")
    if given:
        raise InputError(f"--web takes packages and .tflite files, and not {', '.join(given)}: "
                         "make the package first, with --output")
    paths = [_package_of(model) for model in models] if models else shipped_models()
    with waiting("Putting the models beside the page"):
        listed = web_folder.package_web(web, paths, page)
    output.results.print(f"The page with {counted(len(listed['models']), 'model')} in {web}",
                         soft_wrap=True)
    return listed


def _package_of(model):
    """Return the package of a shipped model's name; a path as it is."""
    from mobilebert_tf.inference import shipped

    found = shipped.find(model)
    return Path(model) if found is None else found.directory


def _only(models):
    if not models or len(models) > 1:
        raise InputError("name one model; only --web takes several, or none")
    return models[0]


def _copy_to_app(context, package, android):
    """Writes the app's files from a package that is there; InputError for any other option."""
    from mobilebert_tf.export.package import app_assets

    given = given_options.other_than(context, "models", "android", "json")
    if given or android is None:
        named = f", and not {', '.join(given)}" if given else ""
        raise InputError(f"{package} is a package already: it goes into an app, with --android"
                         f"{named}")
    facts = app_assets.write_from_package(android, package)
    _say_written(facts, None, android)
    return facts


def _say_written(facts, directory, assets):
    from mobilebert_tf.export.package import app_assets

    lines = []
    if directory is not None:
        lines.append(f"{len(facts['files'])} files with card and checksums in {directory}")
    if assets is not None:
        lines.append(f"{facts['name']} for the app in {app_assets.check(assets, facts['kind'])}")
    output.results.print("\n".join(lines), soft_wrap=True)
