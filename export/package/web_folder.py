"""A folder that any static host serves: the web page, with models beside it."""

import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

import mobilebert_tf
from mobilebert_tf import files, kinds, records
from mobilebert_tf.checks import check_path, check_several
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.package import directory as package_directory
from mobilebert_tf.export.package import model_folder
from mobilebert_tf.files import directory_written_atomically, write_atomically

LIST = "models.json"
_INDEX = "index.html"
# LiteRT.js's files have their version in the name of their folder.
_RUNTIME = "litert-*"
# Where the page is in a checkout, once it is built.
_BUILT = "web_demo/page/dist"


class _Listed(msgspec.Struct):
    folder: str


class _List(msgspec.Struct):
    """The field of models.json that tells an earlier page's folders."""

    models: list[_Listed]


def package_web(directory: str | os.PathLike, models: Sequence[str | os.PathLike],
                page: str | os.PathLike | None = None) -> dict:
    """Write a folder with the web page and models, which runs them in the browser.

    Args:
      directory: the folder to write; one that this function wrote is replaced as a whole.
      models: packages (of each the smallest file is taken) and exported files.
      page: the built page; None for `web_demo/page/dist` of the checkout.
    Returns:
      the content of models.json: `models`, each with its name, kind, folder, size, score and
        samples.
    Raises:
      InputError: if the page is not built, or the directory is in it; for a model that the page has
        no tab for, two of the same name and recipe, or none; and if the folder cannot be written.

    Example:
      >>> mb.package_web("out/web", ["models/mobilebert_mini_sst2"])  # doctest: +SKIP
    """
    check_path(directory=directory)
    check_several(models=models)
    for model in models:
        check_path(model=model)
    page, directory = find_page(page), Path(directory)
    if directory.resolve().is_relative_to(page.resolve()):
        raise InputError(f"{directory} is in the page {page}, which would be copied into itself: "
                         "name another folder")
    _check_place(directory, {one.name for one in page.iterdir()})
    if not models:
        raise InputError("name at least one package or .tflite file for the page")
    folders = {}
    for model in models:
        facts, members = model_folder.of_path(Path(model))
        _check_kind(facts)
        folder = f"models/{_plain(facts['name'])}-{_plain(facts['files'][0]['recipe'])}"
        if folder in folders:
            raise InputError(f"two of the models are {facts['name']} by "
                             f"{facts['files'][0]['recipe']}: name one of them")
        folders[folder] = facts, members
    listed = {"models": [_entry(folder, *found) for folder, found in folders.items()]}
    with directory_written_atomically(directory) as temporary:
        shutil.copytree(page, temporary, dirs_exist_ok=True)
        for folder, (_, members) in folders.items():
            (temporary / folder).mkdir(parents=True)
            for name, content in members.items():
                write_atomically(temporary / folder / name, content)
        write_atomically(temporary / LIST, package_directory.to_json(listed).encode())
    return listed


def find_page(given: str | os.PathLike | None = None) -> Path:
    """Return the directory of the built page; None looks for it in the checkout.

    Raises:
      InputError: if it is not there, or has models beside it already.
    """
    page = (Path(mobilebert_tf.__file__).parents[1] / _BUILT) if given is None else Path(given)
    if not (page / _INDEX).is_file():
        raise InputError(f"there is no built page in {page}: run `make web-page` in a checkout of "
                         "the project, which needs Node, and name its web_demo/page/dist with "
                         "--page")
    if is_web_folder(page):
        raise InputError(f"{page} is a page with models, as --web writes it: name the page that "
                         "`make web-page` built")
    return page


def is_web_folder(directory: Path) -> bool:
    """Return whether there is a folder of `package_web` at the path."""
    return (directory / _INDEX).is_file() and (directory / LIST).is_file()


def _check_place(directory, names):
    """Raise InputError if replacing the directory would delete what is not of an earlier page.

    The page's own folders, such as `assets`, are not looked into.

    Args:
      names: of what lies at the top of the page.
    """
    what = "the web page"
    if not is_web_folder(directory):
        files.check_replaceable(directory, set(), what)
        return
    older = {one.name for one in directory.glob(_RUNTIME)}
    files.check_replaceable(directory, {*names, *older, "models", LIST}, what)
    folders = [Path(one.folder).name for one in records.read(directory / LIST, _List).models]
    files.check_only(directory / "models", set(folders), what)
    for folder in folders:
        files.check_only(directory / "models" / folder, model_folder.NAMES, what)


def _check_kind(facts):
    kind = kinds.get(facts["kind"])
    if not kind.in_page:
        raise InputError(f"{facts['name']} is a model for {kind.name}, which the web page has no "
                         "tab for: leave it out")
    if facts.get("pairs") and not kind.app_reads_pairs:
        raise InputError(f"{facts['name']} reads pairs of texts, and the web page classifies "
                         "single ones: leave it out")


def _entry(folder, facts, members):
    """What the page shows of a model before it loads it."""
    file = facts["files"][0]
    gate = file.get("gate") or {}
    score = {"task": gate.get("task"), "metric": gate.get("metric"),
             "value": gate.get("file_score")}
    return {"name": facts["name"], "kind": facts["kind"], "folder": folder,
            # Browsers keep a model until this changes.
            "version": hashlib.sha256(b"".join(
                members[name] for name in sorted(members))).hexdigest()[:16],
            "bytes": file["bytes"], "recipe": file["recipe"],
            "score": None if None in score.values() else score,
            "samples": facts.get("samples", [])}


def _plain(name):
    """A name of a folder that needs no escapes in an address."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)
