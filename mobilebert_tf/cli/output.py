"""What every subcommand shares: the consoles and the `--json` result."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from mobilebert_tf.files import write_atomically

# No emoji: texts are shown as they are, ":b:" too.
# Results go to standard output; what is being done goes to standard error.
results = Console(highlight=False, emoji=False)
progress = Console(stderr=True, highlight=False, emoji=False)

JsonOption = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write the result to this file as JSON too.")]


def write_json(path: Path | None, result) -> None:
    """Writes the result as JSON where `--json` was given."""
    if path is not None:
        write_atomically(path, json.dumps(result, indent=2, ensure_ascii=False).encode() + b"\n")
