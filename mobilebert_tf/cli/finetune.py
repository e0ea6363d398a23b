"""`mobilebert finetune`: a task, from its files to a model directory."""

import dataclasses
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output, startup, tasks

EXAMPLES = """[bold]Examples[/bold]

mobilebert finetune --task sst2 --data glue/SST-2 --checkpoint all-MiniLM-L6-v2 --output runs/sst2

mobilebert finetune --task sst2 --data glue/SST-2 --preset mobilebert_nano --output runs/nano

mobilebert finetune --task squad --train train-v1.1.json --dev dev-v1.1.json \\
--checkpoint models/mobilebert_mini --output runs/squad

mobilebert finetune --task classification --data mails --text body --label folder \\
--checkpoint models/mobilebert_mini --output runs/mails

mobilebert finetune --task mrpc --data glue/MRPC --checkpoint models/mobilebert_mini \\
--pooler segment_match --grid learning_rate=1e-4,3e-4 --grid seed=1,2,3 --output runs/mrpc

mobilebert finetune --task classification --data mails --text body --label folder \\
--checkpoint models/mobilebert_mini --class-weights balanced --metric macro_f1 --output runs/rare

The same command again continues a run that was stopped."""


class ClassWeights(str, Enum):
    none = "none"
    balanced = "balanced"


def run(
    task: tasks.TaskOption,
    output_directory: Annotated[Path, typer.Option(
        "--output", help="Directory for model, vocabulary, logs and run.json.")],
    data: tasks.DataOption = None,
    train: tasks.TrainOption = None,
    dev: tasks.DevOption = None,
    text: tasks.TextOption = None,
    text_pair: tasks.PairOption = None,
    label: tasks.LabelOption = None,
    preset: Annotated[str | None, typer.Option(
        help="Start from random weights of this preset.")] = None,
    checkpoint: Annotated[Path | None, typer.Option(
        help="Start from this Hugging Face or model directory.")] = None,
    vocab: Annotated[Path | None, typer.Option(
        help="Vocabulary; by default the checkpoint's, or for a preset one learned from the "
             "training texts.")] = None,
    pooler: Annotated[str | None, typer.Option(
        help="What the classifier reads instead of the model's own choice: first_token, "
             "scaled_first_token, mean, tanh, or, for pairs of texts, segment_match.")] = None,
    learning_rate: Annotated[float, typer.Option(help="Peak learning rate.")] = 5e-5,
    batch_size: Annotated[int, typer.Option(min=1, help="Sequences a batch.")] = 32,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the training data.")] = 3,
    length: Annotated[int | None, typer.Option(
        min=4, help="The most tokens of a sequence; by default the task's.")] = None,
    ema_momentum: Annotated[float, typer.Option(
        help="Score and keep averages of the weights, with this momentum: 0.999 averages the last "
             "thousand steps, or of fewer about the last ninth. 0 for none.")] = 0.0,
    patience: Annotated[int | None, typer.Option(
        min=1, help="Stop after so many epochs without a better dev score.")] = None,
    class_weights: Annotated[ClassWeights, typer.Option(
        help="Classification: balanced weighs an example in the loss by how rare its class is, so "
             "that all classes count the same.")] = ClassWeights.none,
    metric: Annotated[str | None, typer.Option(
        help="The dev score that chooses the epoch, instead of the task's own: macro_f1 and the "
             "like.")] = None,
    seed: Annotated[int, typer.Option(help="Of weights, dropout and order.")] = 1,
    grid: Annotated[list[str] | None, typer.Option(
        metavar="NAME=VALUES", help="Try all combinations: learning_rate=1e-4,3e-4 and the like, "
                                    "given several times; or paper.")] = None,
    json: output.JsonOption = None,
):
    """Fine-tune a model on a task; keeps the epoch whose dev score is best by its metric."""
    from mobilebert_tf import model_directory
    from mobilebert_tf.finetuning import search
    from mobilebert_tf.finetuning.settings import FineTuningSettings
    from mobilebert_tf.finetuning.start import Start
    from mobilebert_tf.tasks import catalogue

    start = Start(preset=preset, checkpoint=checkpoint, vocab=vocab, pooler=pooler)
    if checkpoint is not None:
        model_directory.description(checkpoint)
    task_data = catalogue.data(catalogue.of(task, tasks.options(text, text_pair, label)),
                               data, train or (), dev)
    settings = FineTuningSettings(learning_rate=learning_rate, batch_size=batch_size, epochs=epochs,
                        length=length, ema_momentum=ema_momentum, patience=patience, seed=seed,
                        class_weights=class_weights.value, metric=metric)
    tried = search.grid(settings, grid or [])
    for one in tried:
        one.check(task_data.task)
    left_out = _read(task_data)  # what is wrong in the files should not wait for TensorFlow
    startup.tensorflow()
    from mobilebert_tf.finetuning.run import fine_tune

    def say(line):
        output.progress.print(line, soft_wrap=True)

    def one(settings, directory):
        return fine_tune(task_data, start, settings, directory, say)

    if grid:
        rows = search.run(one, tried, output_directory, say)
        output.results.print(search.table(rows))
        best = search.best(rows)
        result, model = best.result, best.directory
    else:
        rows, result, model = [], one(settings, output_directory), output_directory
    output.results.print(f"best epoch {result.best_epoch} by {result.metric}: dev " + ", ".join(
        f"{name} {score:.4f}" for name, score in result.scores.items()))
    output.results.print(f"model in {model}; next: mobilebert evaluate or mobilebert export "
                         f"{model}", soft_wrap=True)
    output.write_json(json, {"model": str(model), **dataclasses.asdict(result),
                             **tasks.left_out(left_out), "grid": [
        {"settings": dataclasses.asdict(row.settings), "model": str(row.directory),
         "best_epoch": row.result and row.result.best_epoch,
         "scores": row.result and row.result.scores} for row in rows]})


def _read(data):
    """The rows of training and dev files that are left out."""
    task, train, dev = data.for_training
    left_out = (*task.left_out(train), *task.left_out(dev))
    tasks.say_left_out(left_out)
    return left_out
