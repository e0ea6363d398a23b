"""What subcommands share: the consoles, the `--json` result and the verdicts of checks."""

import dataclasses
import json
import math
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
    """Write the result as JSON if `--json` was given; null for numbers that are not finite."""
    if path is not None:
        text = json.dumps(_writable(result), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        # A file's name may be no text; its bytes become escapes.
        write_atomically(path, text.encode(errors="backslashreplace"))


def _writable(value):
    """A result with None for each number that is not finite, which JSON cannot hold."""
    if isinstance(value, dict):
        return {key: _writable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def verdicts(checks, path: Path | None) -> None:
    """Print a sentence for each check and write `--json`; exit with 1 unless all passed."""
    for check in checks:
        results.print(check.sentence(), soft_wrap=True)
    write_json(path, {"checks": [
        {**dataclasses.asdict(check), "passed": check.passed} for check in checks]})
    if not all(check.passed for check in checks):
        raise typer.Exit(1)
