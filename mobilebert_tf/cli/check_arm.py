"""`mobilebert check-arm`: check that files answer the same on an emulated Arm processor."""

from typing import Annotated

import typer

from mobilebert_tf.cli import output

EXAMPLES = """[bold]Examples[/bold]

mobilebert check-arm sst2.tflite

mobilebert check-arm sst2.tflite other.tflite --json arm.json"""


def run(
    files: Annotated[list[str], typer.Argument(
        help="Files to check, packages, or names of shipped models.")],
    json: output.JsonOption = None,
):
    """Run files on an emulated Arm processor and here; exit with 1 if answers differ.

    Needs a Debian system and downloads 150 MB once. Measures no latency.
    """
    from mobilebert_tf.export.verify import emulated_arm
    from mobilebert_tf.inference import shipped

    found = emulated_arm.check([*map(shipped.resolve, files)], say=output.progress.print)
    output.verdicts(found, json)
