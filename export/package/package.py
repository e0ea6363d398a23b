"""Packaging a model directory: the folder that a mobile developer downloads."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from mobilebert_tf import model_directory
from mobilebert_tf.checks import check_lengths, check_path, check_some, check_texts
from mobilebert_tf.errors import InputError
from mobilebert_tf.export import export_model
from mobilebert_tf.export import recipes as known_recipes
from mobilebert_tf.export.package import app_assets
from mobilebert_tf.export.package import directory as package_directory
from mobilebert_tf.running import run as running
from mobilebert_tf.tasks import catalogue

RECIPES = ("float32", "dynamic_int8")
# Of an app's assets alone, which take one file.
APP_RECIPES = ("dynamic_int8",)


def package(model: str | os.PathLike, output: str | os.PathLike | None = None, *,
            android: str | os.PathLike | None = None, recipes: Sequence[str] | None = None,
            lengths: Sequence[int] | None = None, name: str | None = None,
            licence: str | None = None, base_model: str | None = None, task: str | None = None,
            data: str | os.PathLike | None = None, train: Sequence[str | os.PathLike] = (),
            dev: str | os.PathLike | None = None, test: str | os.PathLike | None = None,
            text: str | None = None, label: str | None = None, second_text: str | None = None,
            vocab: str | os.PathLike | None = None, calibrate: bool = False,
            samples: Sequence[str] = (), trained_on: str | None = None,
            track: running.Track = running.untracked, say: Callable[[str], None] = print) -> dict:
    """Export a model with several recipes, and write a folder with card, vocabulary and checksums.

    Args:
      model: a model directory; also one of an encoder, for the task similarity.
      output: the directory to write, replacing a package that is there; None for the app alone.
      android: the assets of the Android app, which get the smallest of the files.
      recipes: names in `export.RECIPES`, a file for each. None for float32 and dynamic_int8, or for
        dynamic_int8 alone if only the app gets a file.
      lengths: the sequence lengths of the files; see `export_model`.
      name: of the model, in file names and card; None for the output directory's name, or the model
        directory's if only the app gets a file.
      licence: of the weights, as the Hugging Face hub calls it.
      base_model: the Hugging Face id of the checkpoint that was fine-tuned.
      task, data, train, dev, text, label, second_text, vocab, calibrate: as of `export_model`; the
        files are scored on the dev set.
      test: a test file with labels, on which the files are scored too.
      samples: texts that a client offers to try the model with.
      trained_on: the data that the weights come from, with its terms, in words; for the card and
        the notice.
      track: shows the progress of a comparison; see `running.run.run`.
      say: takes a line about what is being done.
    Returns:
      the content of the package's model.json.
    Raises:
      FailedGate: for the first file that loses more than its recipe may; nothing is written.
      InputError: for anything wrong with the arguments, the model or the files.

    Example:
      >>> mb.package("runs/sst2", "out/sst2", data="glue/SST-2")["files"]  # doctest: +SKIP
    """
    check_path(model=model, **{name: given for name, given in (
        ("output", output), ("android", android), ("vocab", vocab)) if given is not None})
    if recipes is None:
        recipes = APP_RECIPES if output is None else RECIPES
    check_some(recipes=recipes)
    check_texts("samples", samples)
    if lengths is not None:
        check_lengths(lengths)
    names = tuple(dict.fromkeys(recipes))
    for recipe in names:  # before the seconds that loading a model takes
        known_recipes.get(recipe)
    model, output, android = Path(model), _path(output), _path(android)
    columns = catalogue.columns(text, label, second_text)
    export_model.check_columns(task, columns)
    _check_places(output, android, model, task, columns)
    from mobilebert_tf.export.package import write

    contents = export_model.load(model, task, columns, vocab)
    described = export_model.task_data(contents, data, train, dev, model, test)
    if described is None:
        raise InputError("name the task's data, or its training and dev files: what is packaged is "
                         "evaluated")
    details = write.Details(name=name or (output or model).resolve().name, source=model,
                            data=described, vocab=_path(vocab), licence=licence,
                            base_model=base_model,
                            samples=tuple(samples), trained_on=trained_on)
    return write.write(output, contents, details, names,
                       export_model.default_lengths(contents) if lengths is None
                       else tuple(lengths), track,
                       say, assets=android, calibrate=calibrate)


def _check_places(output, android, model, task, columns):
    """Raise InputError if nothing could be written."""
    if output is None and android is None:
        raise InputError("say where to: an output directory for a package, or an app's assets")
    if output is not None:
        package_directory.check_place(output)
    if android is not None:
        found = model_directory.description(model)
        name = task or found.get("task")
        if name is not None:
            given = catalogue.in_place_of(
                found["columns"] if found.get("task") == name else None, columns, model)
            app_assets.check(android, catalogue.of(name, given).kind.name)


def _path(given):
    return None if given is None else Path(given)
