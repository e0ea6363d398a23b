"""`mobilebert check-gpu`: check files with LiteRT's GPU accelerator."""

from typing import Annotated

import typer

from mobilebert_tf.cli import output

EXAMPLES = """[bold]Examples[/bold]

mobilebert check-gpu sst2_float32.tflite

mobilebert check-gpu sst2_float32.tflite other.tflite --json gpu.json"""


def run(
    files: Annotated[list[str], typer.Argument(
        help="Files to check, packages, or names of shipped models.")],
    json: output.JsonOption = None,
):
    """Run files on LiteRT's GPU accelerator; exit with 1 if it rejects operations or is wrong.

    Vulkan runs in software (needs a Debian system, downloads 50 MB once), or on the driver that
    VK_ICD_FILENAMES names. Measures no latency.
    """
    from mobilebert_tf.export.verify import gpu
    from mobilebert_tf.inference import shipped

    found = gpu.check([*map(shipped.resolve, files)], say=output.progress.print)
    output.verdicts(found, json)
