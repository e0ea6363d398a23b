"""How the commands that check files elsewhere end."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import typer

from mobilebert_tf.cli import output


def conclude(checks, sentence: Callable, json: Path | None) -> None:
    """Prints a sentence for each check and writes `--json`; exits with 1 unless all passed."""
    for check in checks:
        output.results.print(sentence(check), soft_wrap=True)
    output.write_json(json, {"checks": [
        {**dataclasses.asdict(check), "passed": check.passed} for check in checks]})
    if not all(check.passed for check in checks):
        raise typer.Exit(1)
