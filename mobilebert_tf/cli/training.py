"""What `pretrain` and `distill` share: options, devices, and the end of a run."""

import os
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output
from mobilebert_tf.errors import InputError
from mobilebert_tf.reasons import reason


class Devices(str, Enum):
    one = "one"
    mirrored = "mirrored"
    workers = "workers"
    tpu = "tpu"


class Precision(str, Enum):
    float32 = "float32"
    mixed_bfloat16 = "mixed_bfloat16"


CorpusOption = Annotated[list[Path], typer.Option(
    help="Directory that `mobilebert corpus` made; given several times, all of them are mixed.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Of weights, order, masks and dropout.")]
AccumulationOption = Annotated[int, typer.Option(
    min=1, help="Parts of a batch that a device computes one after another, for less memory.")]
LogOption = Annotated[int, typer.Option(min=1, help="Steps between lines of metrics.jsonl.")]
CheckpointOption = Annotated[int, typer.Option(min=1, help="Steps between checkpoints.")]
KeepOption = Annotated[int, typer.Option(min=1, help="Checkpoints that are kept.")]
DevicesOption = Annotated[Devices, typer.Option(
    help="one: the first GPU or the CPU; mirrored: all GPUs of this machine; workers: the "
         "machines that TF_CONFIG names; tpu: the TPU that TPU_NAME names.")]
PrecisionOption = Annotated[Precision, typer.Option(
    help="mixed_bfloat16 computes in half the bits on hardware that has them.")]
DeterministicOption = Annotated[bool, typer.Option(
    "--deterministic", help="Same weights, bit for bit, from the same command on one machine; "
                            "slower on GPUs.")]


def start(devices: Devices, precision: Precision, deterministic: bool, seed: int):
    """Sets TensorFlow up before any model is built; returns the tf.distribute strategy."""
    import tensorflow as tf
    import tf_keras as keras

    if devices == Devices.workers and "TF_CONFIG" not in os.environ:
        raise InputError("--devices workers needs the environment variable TF_CONFIG, which names "
                         "all workers and which of them this is; the README has an example")
    keras.utils.set_random_seed(seed)
    if deterministic:
        tf.config.experimental.enable_op_determinism()
    keras.mixed_precision.set_global_policy(precision.value)
    try:
        return {Devices.one: tf.distribute.get_strategy,
                Devices.mirrored: tf.distribute.MirroredStrategy,
                Devices.workers: tf.distribute.MultiWorkerMirroredStrategy,
                Devices.tpu: _tpu}[devices]()
    except (ValueError, tf.errors.OpError) as error:
        raise InputError(f"--devices {devices.value} cannot be used here: "
                         f"{reason(error)}") from error


def say(line: str) -> None:
    output.progress.print(line, soft_wrap=True)


def finish(model: Path, directory: Path, json: Path | None, strategy) -> None:
    """Draws the curves, says where everything is, and writes the command's result."""
    from mobilebert_tf.training import curves
    from mobilebert_tf.training.loop import is_chief

    if not is_chief(strategy):
        return
    lines = curves.read(directory / "metrics.jsonl")
    curves.draw(lines, directory / "curves.png")
    output.results.print(f"model in {model}; curves in {directory / 'curves.png'}", soft_wrap=True)
    output.write_json(json, {"model": str(model), "last": lines[-1],
                             "validation": [line for line in lines
                                            if line["split"] == "validation"]})


def _tpu():
    import tensorflow as tf

    resolver = tf.distribute.cluster_resolver.TPUClusterResolver()
    tf.config.experimental_connect_to_cluster(resolver)
    tf.tpu.experimental.initialize_tpu_system(resolver)
    return tf.distribute.TPUStrategy(resolver)
