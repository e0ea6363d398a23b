"""The README and the documentation: their commands and Python run, their links and names exist."""

import ast
import dataclasses
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import typer

import mobilebert_tf as mb
from mobilebert_tf.cli.main import app
from mobilebert_tf.text.learning import learn_vocabulary

REPOSITORY = Path(__file__).parents[1]
# The pages in the order of the site. Their commands run in this order, in one directory.
PAGES = ["README.md", *(f"docs/{name}" for name in re.findall(
    r": (\w+\.md)$", (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))]
ELSEWHERE = ["CONTRIBUTING.md", "android_demo/README.md", "models/README.md",
             "web_demo/README.md", "web_demo/core/README.md"]
# Options of other programs.
FOREIGN = {"--dask_npartitions", "--durations", "--extra-index-url", "--local-dir", "--logdir",
           "--num_threads", "--pictures", "--slow", "--strict"}
# What the pages of the reference show one by one.
REFERENCE = re.findall(
    r"^::: (mobilebert_tf[\w.]*)$",
    "".join(page.read_text(encoding="utf-8") for page in (REPOSITORY / "docs/api").glob("*.md")),
    re.MULTILINE)
COMMANDS = typer.main.get_command(app).commands
WORDS = {1: ["good", "fine", "warm"], 0: ["bad", "dull", "cold"]}


def text_of(page):
    return (REPOSITORY / page).read_text(encoding="utf-8")


def code_blocks(page, *languages):
    """The code blocks of a page in these languages, those in lists too; "" is no language."""
    found = re.findall(r"^( *)```(\w*)\n(.*?)^\1```$", text_of(page), re.MULTILINE | re.DOTALL)
    return [re.sub(f"^{indent}", "", code, flags=re.MULTILINE)
            for indent, language, code in found if language in languages]


def commands_of(page, *languages):
    """The lines of code blocks, those that end in a backslash joined with the next."""
    code = "\n".join(code_blocks(page, *languages)).replace("\\\n", " ")
    return [line for line in code.splitlines() if line.strip()]


def spans_of(page):
    """The pieces of code inside sentences."""
    return [" ".join(span.split()) for span in
            re.findall(r"`([^`]+)`", re.sub(r"(?ms)^ *```.*?^ *```$", "", text_of(page)))]


def parse(command):
    """Parse a command line as the command itself does; an error says what is wrong."""
    _, name, *arguments = shlex.split(command, comments=True)
    assert name in COMMANDS, command
    if arguments != ["--help"]:
        COMMANDS[name].make_context(name, arguments)


def load(path):
    """The module in a file of the repository that cannot be imported by a name."""
    specification = importlib.util.spec_from_file_location(Path(path).stem, REPOSITORY / path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES + ELSEWHERE)
def test_commands_exist_with_their_options(page):
    for command in commands_of(page, "sh", ""):
        if command.startswith("mobilebert "):
            parse(command)


@pytest.mark.parametrize("command", ["mobilebert nothing", "mobilebert presets --nothing",
                                     "mobilebert distill --output runs/student"])
def test_a_wrong_command_is_found(command):
    with pytest.raises(Exception, match="nothing|Missing parameter"):
        parse(command)


@pytest.mark.parametrize("page", PAGES + ELSEWHERE)
def test_options_in_sentences_exist(page):
    known = {option for command in COMMANDS.values() for parameter in command.params
             for option in (*parameter.opts, *parameter.secondary_opts)} | FOREIGN | {"--help"}
    for span in spans_of(page):
        assert set(re.findall(r"(?<!\S)--[a-z][\w-]*", span)) <= known, span
        if span.startswith("mobilebert ") and "COMMAND" not in span:
            assert span.split()[1] in COMMANDS, span


# What `make web-page` writes.
MADE = ("web_demo/page/dist",)


def programs_of(page):
    """The files and folders of the repository that commands and sentences begin with."""
    folders = r"docs|tests|android_demo|web_demo|\.ci"
    return re.findall(rf"^(?:python )?((?:{folders})/[\w/.]+)", code_of(page), re.MULTILINE)


def targets_of(page):
    return re.findall(r"^make ([a-z-]+)", code_of(page), re.MULTILINE)


def code_of(page):
    """Commands, and the pieces of code inside sentences."""
    return "\n".join([*commands_of(page, "sh", ""), *spans_of(page)])


@pytest.mark.parametrize("page", PAGES + ELSEWHERE)
def test_programs_and_targets_exist(page):
    for program in programs_of(page):
        assert program in MADE or (REPOSITORY / program).exists(), program
    targets = re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    for target in targets_of(page):
        assert target in targets, target


def test_the_search_for_commands_options_programs_and_targets_finds_some():
    """A page may have none of them."""
    pages = PAGES + ELSEWHERE
    assert sum(command.startswith("mobilebert ") for page in pages
               for command in commands_of(page, "sh", "")) > 50
    assert sum(span.startswith("--") for page in pages for span in spans_of(page)) > 50
    for found_in in (programs_of, targets_of):
        assert sum(len(found_in(page)) for page in pages) > 10, found_in.__name__


def test_the_readme_shows_what_its_two_commands_print():
    """The shipped files make the numbers; other processors round the last digits otherwise."""
    shown = code_blocks("README.md", "text")[0]
    printed = "".join(run(["bash", "-c", command], REPOSITORY)
                      for command in commands_of("README.md", "sh")[:2])
    number = r"\d\.\d{4}"
    assert re.sub(number, "", printed) == re.sub(number, "", shown)
    assert [float(one) for one in re.findall(number, printed)] == pytest.approx(
        [float(one) for one in re.findall(number, shown)], abs=0.003)


# MkDocs checks the links of its own pages.
@pytest.mark.parametrize("page", ["README.md", *ELSEWHERE])
def test_links_lead_to_files(page):
    links = re.findall(r"\]\(([^)\s#]+)", text_of(page))
    for link in links:
        assert link.startswith("https://") or (REPOSITORY / page).parent.joinpath(link).exists(), (
            link)


def test_the_readme_is_short():
    assert len(text_of("README.md").splitlines()) <= 180


def test_every_command_is_shown():
    shown = {command.split()[1] for page in PAGES for command in commands_of(page, "sh")
             if command.startswith("mobilebert ")}
    assert shown | {"quickstart"} == set(COMMANDS)  # `make quickstart` runs that one


@pytest.mark.parametrize("page", [page for page in PAGES if code_blocks(page, "python")])
def test_python_names_exist(page):
    tree = ast.parse("\n".join(code_blocks(page, "python")))
    chains = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    chains |= {span.partition("(")[0] for span in spans_of(page)}
    names = [chain for chain in sorted(chains) if re.fullmatch(r"mb(\.\w+)+", chain)]
    assert names
    for name in names:
        found = mb
        for part in name.split(".")[1:]:
            assert hasattr(found, part), name
            found = getattr(found, part)


@pytest.mark.parametrize("package", ["mobilebert_tf", "mobilebert_tf.checkpoints",
                                     "mobilebert_tf.export", "mobilebert_tf.text"])
def test_the_reference_has_all_public_names(package):
    hooks, module = load("docs/hooks.py"), importlib.import_module(package)
    public = {name for name in module.__all__ if name != "__version__"
              and not isinstance(getattr(module, name), types.ModuleType)}
    assert set(hooks.public_names(package)) == public
    pages = "".join(path.read_text() for path in (REPOSITORY / "docs/api").glob("*.md"))
    assert f"::: public names of {package}\n" in pages


def test_the_table_of_layers_is_that_of_the_imports():
    """No layer may import one of the table's same row or of a row below."""
    section = text_of("docs/architecture.md").partition("## Layers")[2].partition("\n## ")[0]
    rows = [re.findall(r"`(\w+)`", line.split("|")[1])
            for line in section.splitlines() if line.startswith("| `")]
    row_of = {layer: number for number, row in enumerate(rows) for layer in row}
    allowed = load("tests/test_imports.py").ALLOWED
    assert set(row_of) == set(allowed)
    for layer, imports in allowed.items():
        for name in imports - {layer}:
            assert row_of[name] < row_of[layer], f"{layer} may import {name}"


def test_the_citation_names_this_version():
    assert f"\nversion: {mb.__version__}\n" in text_of("CITATION.cff")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory with small stand-ins for the data and the encoder that the pages use."""
    directory = tmp_path_factory.mktemp("docs")
    random = np.random.default_rng(1)
    labels = random.integers(2, size=256)
    texts = [" ".join(random.choice(WORDS[label], 3)) for label in labels]
    tables = {
        "glue/SST-2/{}.tsv": "sentence\tlabel\n" + _lines("{}\t{}", texts, labels),
        "mails/{}.csv": "body,folder\n" + _lines("{},{}", texts, labels),
        "emotions/{}.csv": "text,labels\n" + _lines("{},{}", texts, [
            ("joy", "joy|love", "anger")[number % 3] for number in range(len(texts))]),
    }
    for name, content in tables.items():
        for split in ("train", "dev"):
            path = directory / name.format(split)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    (directory / "reviews.jsonl").write_text("".join(
        json.dumps({"text": text, "label": ("negative", "positive")[label]}) + "\n"
        for text, label in zip(texts, labels, strict=True)))
    (directory / "texts").mkdir()
    for number in range(8):
        (directory / "texts" / f"{number}.txt").write_text(f"It is {number}. Good.\n\nFine.\n" * 9)
    _put_models(directory / "models", texts)
    return directory


def _lines(pattern, *columns):
    return "\n".join(pattern.format(*cells) for cells in zip(*columns, strict=True)) + "\n"


def _put_models(models, texts):
    """The shipped files as they are, and a tiny encoder of random weights for mobilebert_mini."""
    vocabulary = learn_vocabulary([*texts, "abcdefghijklmnopqrstuvwxyz'"], 120)
    config = dataclasses.replace(mb.presets.get("micro"), vocab_size=len(vocabulary),
                                 max_positions=128)
    mb.checkpoints.save_huggingface(mb.Encoder(config), models / "mobilebert_mini")
    vocabulary.save(models / "mobilebert_mini" / "vocab.txt")
    for path in (REPOSITORY / "models").glob("mobilebert_*_*"):
        (models / path.name).symlink_to(path)


def run(arguments, place):
    environment = os.environ | {
        "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}
    done = subprocess.run(arguments, cwd=place, env=environment, text=True, capture_output=True)
    assert done.returncode == 0, f"{arguments[-1]}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("name", REFERENCE)
def test_what_the_reference_shows_exists(name):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        module, _, member = name.rpartition(".")
        assert hasattr(importlib.import_module(module), member)


def test_the_reference_shows_something():
    assert len(REFERENCE) > 30


@pytest.mark.slow
def test_commands_and_python_run_in_order(place):
    ran = 0
    for page in PAGES:
        for command in commands_of(page, "sh"):
            run(["bash", "-c", command], place)
            ran += 1
        code = "\n".join(code_blocks(page, "python"))
        if "to_tflite" in code:
            code += "\nassert 24e6 < len(result.model) < 26.5e6, len(result.model)\n"
        if code:
            run([sys.executable, "-c", code], place)
            ran += 1
    assert ran >= 30
