"""`mobilebert check-gpu`: what LiteRT's GPU accelerator makes of files."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import checks, output

EXAMPLES = """[bold]Examples[/bold]

mobilebert check-gpu sst2_float32.tflite

mobilebert check-gpu sst2_float32.tflite other.tflite --json gpu.json"""


def run(
    files: Annotated[list[Path], typer.Argument(help="Files to check.")],
    json: output.JsonOption = None,
):
    """Run files through LiteRT's GPU accelerator: exits with 1 unless it takes all, rightly.

    Vulkan runs in software (needs a Debian system, downloads 50 MB once), or on the driver that
    VK_ICD_FILENAMES names. Says nothing of a phone's latency.
    """
    from mobilebert_tf.export.verify import gpu

    found = gpu.check(files, say=lambda message: output.progress.print(message))
    checks.conclude(found, _sentence, json)


def _sentence(check):
    verdict = "passed" if check.passed else "failed"
    parts = ["fully accelerated" if check.fully_accelerated else "not fully accelerated",
             *(f"rejected {operation}" for operation in check.rejected)]
    if check.agreement is None:
        parts.append(f"it does not run: {check.problem}")
    else:
        parts.append(check.agreement.sentence(check.bound))
    return f"{verdict} {check.file} on {check.adapter or 'no GPU'}: {'; '.join(parts)}"
