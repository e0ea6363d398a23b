"""What subcommands share: the consoles, the `--json` result and the verdicts of checks."""

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from mobilebert_tf.files import write_atomically
from mobilebert_tf.terminal.console import console

# Results go to standard output, progress and errors to standard error.
results = console()
progress = console(stderr=True)

JsonOption = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write the result to this file as JSON too.")]


def fail(word: str, sentence: str) -> None:
    """Print why a command ends, after a red word."""
    progress.print(Text.assemble((word, "red"), " ", sentence), soft_wrap=True)


def counter_name(name: str) -> str:
    """Return a counter's name in words: "skipped: empty files" for skipped_empty_files."""
    return name.replace("skipped_", "skipped: ").replace("_", " ")


def write_json(path: Path | None, result) -> None:
    """Write the result as JSON if `--json` was given."""
    if path is not None:
        text = json.dumps(result, indent=2, ensure_ascii=False) + "\n"
        # A file's name may be no text; its bytes become escapes.
        write_atomically(path, text.encode(errors="backslashreplace"))


def verdicts(checks, path: Path | None) -> None:
    """Print a sentence for each check and write `--json`; exit with 1 unless all passed."""
    for check in checks:
        results.print(check.sentence(), soft_wrap=True)
    write_json(path, {"checks": [
        {**dataclasses.asdict(check), "passed": check.passed} for check in checks]})
    if not all(check.passed for check in checks):
        raise typer.Exit(1)
