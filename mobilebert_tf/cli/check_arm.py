"""`mobilebert check-arm`: whether files answer the same on an emulated Arm processor."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import checks, output

EXAMPLES = """[bold]Examples[/bold]

mobilebert check-arm sst2.tflite

mobilebert check-arm sst2.tflite other.tflite --json arm.json"""


def run(
    files: Annotated[list[Path], typer.Argument(help="Files to check.")],
    json: output.JsonOption = None,
):
    """Run files on an emulated Arm processor and here: exits with 1 where answers differ.

    Needs a Debian system and downloads 150 MB once. Says nothing of a phone's latency.
    """
    from mobilebert_tf.export.verify import emulated_arm

    found = emulated_arm.check(
        files, say=lambda message: output.progress.print(message))
    checks.conclude(found, _sentence, json)


def _sentence(check):
    verdict = "passed" if check.passed else "failed"
    start = f"{verdict} {check.file} on {check.processor}: "
    if check.agreement is None:
        return f"{start}it does not run: {check.problem}"
    return start + check.agreement.sentence(check.bound)
