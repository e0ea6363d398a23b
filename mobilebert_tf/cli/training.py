"""What `pretrain` and `distill` share: options, and how a result is told."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.checks import MOST_SEED
from mobilebert_tf.cli import output
from mobilebert_tf.training.settings import Devices, Precision

CorpusOption = Annotated[list[Path], typer.Option(
    help="Directory that `mobilebert corpus` made. Give it several times to mix several.")]
OutputOption = Annotated[Path, typer.Option(
    "--output", help="Directory of the run: model/, checkpoints/, logs/, metrics.jsonl. With "
                     "--task, it is itself the model directory.")]
BatchSizeOption = Annotated[int, typer.Option(
    min=1, help="Sequences per update, over all devices.")]
SeedOption = Annotated[int, typer.Option(
    min=0, max=MOST_SEED,
    help="Seed for the initial weights, the order of the data, masks and dropout.")]
AccumulationOption = Annotated[int, typer.Option(
    min=1, help="Parts of a batch that a device computes one after another, to save memory.")]
LogOption = Annotated[int, typer.Option(min=1, help="Steps between lines of metrics.jsonl.")]
CheckpointOption = Annotated[int, typer.Option(min=1, help="Steps between checkpoints.")]
KeepOption = Annotated[int, typer.Option(min=1, help="How many checkpoints are kept.")]
DevicesOption = Annotated[Devices, typer.Option(
    help="one: the first GPU or the CPU; mirrored: all GPUs of this machine; workers: the "
         "machines that TF_CONFIG names; tpu: the TPU that TPU_NAME names (never tried on a real "
         "one; the training step is tested to compile with XLA).")]
PrecisionOption = Annotated[Precision, typer.Option(
    help="mixed_bfloat16 computes in 16 bits and keeps weights in 32; slow on processors without "
         "bfloat16.")]
DeterministicOption = Annotated[bool, typer.Option(
    "--deterministic", help="Train the same weights, bit for bit, from the same command on one "
                            "machine; slower on GPUs.")]


def say(line: str) -> None:
    output.progress.print(line, soft_wrap=True)


def tell(result, json: Path | None) -> None:
    """Print where the results of a run are and write `--json`; None has nothing to tell."""
    if result is None:
        return
    output.results.print(f"model in {result.model}; curves in {result.curves}", soft_wrap=True)
    output.write_json(json, {"model": str(result.model), "last": result.last,
                             "validation": result.validation})

