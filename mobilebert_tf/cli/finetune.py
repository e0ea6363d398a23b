"""`mobilebert finetune`: a task, from its official files to a model directory."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf import presets
from mobilebert_tf.cli import output, startup
from mobilebert_tf.data import glue
from mobilebert_tf.errors import InputError

EXAMPLES = """[bold]Examples[/bold]

mobilebert finetune --task sst2 --data glue/SST-2 --checkpoint all-MiniLM-L6-v2 --output runs/sst2

mobilebert finetune --task sst2 --data glue/SST-2 --preset mobilebert_nano --output runs/nano"""


def run(
    task: Annotated[str, typer.Option(help=f"The task: {' or '.join(glue.TASKS)}.")],
    data: Annotated[Path, typer.Option(help="Directory with the task's train.tsv and dev.tsv.")],
    output_directory: Annotated[Path, typer.Option(
        "--output", help="Directory for model, vocabulary, logs and run.json.")],
    preset: Annotated[str | None, typer.Option(
        help="Start from random weights of this preset.")] = None,
    checkpoint: Annotated[Path | None, typer.Option(
        help="Start from this Hugging Face or model directory.")] = None,
    vocab: Annotated[Path | None, typer.Option(
        help="Vocabulary; by default the checkpoint's, or for a preset one learned from the "
             "training texts.")] = None,
    pooler: Annotated[str | None, typer.Option(
        help="What the classifier reads instead of the model's own choice: first_token, "
             "scaled_first_token, mean or tanh.")] = None,
    learning_rate: Annotated[float, typer.Option(help="Peak learning rate.")] = 5e-5,
    batch_size: Annotated[int, typer.Option(min=1, help="Sequences a batch.")] = 32,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the training texts.")] = 3,
    length: Annotated[int, typer.Option(min=4, help="Longest sequence, in tokens.")] = 64,
    seed: Annotated[int, typer.Option(help="Of weights, dropout and order.")] = 1,
    json: output.JsonOption = None,
):
    """Fine-tune a model on a task; keeps the epoch whose dev score is best by its metric."""
    if (preset is None) == (checkpoint is None):
        raise InputError("give either --preset (random weights) or --checkpoint (a directory)")
    if preset is not None:
        presets.get(preset)  # a wrong name should not wait for TensorFlow
    startup.tensorflow()
    from mobilebert_tf.finetuning.classification import Settings
    from mobilebert_tf.finetuning.task import fine_tune_on_task

    settings = Settings(learning_rate=learning_rate, batch_size=batch_size, epochs=epochs,
                        length=length, seed=seed)
    result = fine_tune_on_task(
        task_name=task, data=data, preset=preset, checkpoint=checkpoint, vocab=vocab,
        pooler=pooler, settings=settings, directory=output_directory,
        say=output.progress.print)
    output.results.print(
        f"best epoch {result.best_epoch}: dev {result.metric} {result.score:.4f}")
    output.results.print(f"model in {output_directory}; next: mobilebert export "
                         f"{output_directory} --data {data} --output model.tflite", soft_wrap=True)
    output.write_json(json, dataclasses.asdict(result))
