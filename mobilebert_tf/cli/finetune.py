"""`mobilebert finetune`: a task, from its files to a model directory."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf import freed_memory
from mobilebert_tf.checks import LEAST_LENGTH
from mobilebert_tf.cli import given_options, output, tasks, training
from mobilebert_tf.errors import InputError
from mobilebert_tf.finetuning.few_shot_settings import FewShotSettings
from mobilebert_tf.finetuning.settings import CLASS_WEIGHTS, FineTuningSettings
from mobilebert_tf.finetuning.start import POOLERS

EXAMPLES = """[bold]Examples[/bold]

mobilebert finetune --task sst2 --data glue/SST-2 --checkpoint all-MiniLM-L6-v2 --output runs/sst2

mobilebert finetune --task sst2 --data glue/SST-2 --preset mobilebert_nano --output runs/nano

mobilebert finetune --task squad --train train-v1.1.json --dev dev-v1.1.json --checkpoint models/mobilebert_mini --learning-rate 6e-4 --output runs/squad

mobilebert finetune --task classification --data mails --text body --label folder --checkpoint models/mobilebert_mini --learning-rate 1.5e-4 --output runs/mails

mobilebert finetune --task mrpc --data glue/MRPC --checkpoint models/mobilebert_mini --pooler segment_match --grid learning_rate=1e-4,3e-4 --grid seed=1,2,3 --output runs/mrpc

mobilebert finetune --task classification --data mails --text body --label folder --checkpoint models/mobilebert_mini --learning-rate 1.5e-4 --class-weights balanced --metric macro_f1 --output runs/rare

mobilebert finetune --task classification --data mails --text body --label folder --checkpoint models/mobilebert_mini --few-shot 16 --learning-rate 1.5e-4 --output runs/few

The same command again continues a run that was stopped."""  # noqa: E501


_DEFAULTS, _FEW = FineTuningSettings(), FewShotSettings()


def _default(name):
    return (f" By default {getattr(_DEFAULTS, name):g}, or {getattr(_FEW, name):g} with "
            "--few-shot.")


ClassWeights = Enum("ClassWeights", [(name, name) for name in CLASS_WEIGHTS], type=str)
_CLASS_WEIGHTS = ClassWeights(_DEFAULTS.class_weights)


OutputDirectoryOption = Annotated[Path, typer.Option(
    "--output", help="Directory for model, vocabulary, logs and run.json.")]
PresetOption = Annotated[str | None, typer.Option(
    help="Start from random weights of this preset, or of the config in a JSON file.")]
CheckpointOption = Annotated[Path | None, typer.Option(
    help="Start from this Hugging Face or model directory.")]
VocabOption = Annotated[Path | None, typer.Option(
    help="Vocabulary; by default the checkpoint's, or for a preset one learned from the "
             "training texts.")]
CasedOption = Annotated[bool, typer.Option(
    "--cased", help="With --preset: keep case and accents.")]
PoolerOption = Annotated[str | None, typer.Option(
    help="Replace the pooler, which the classifier reads. segment_match is for pairs of texts. "
         f"Known are {', '.join(POOLERS)}.")]
LearningRateOption = Annotated[float | None, typer.Option(
    help="Peak learning rate." + _default("learning_rate"))]
BatchSizeOption = Annotated[int | None, typer.Option(
    min=1, help="Sequences a batch; pairs of them with --few-shot." + _default("batch_size"))]
EpochsOption = Annotated[int | None, typer.Option(
    min=1, help="Passes over the training data." + _default("epochs"))]
LengthOption = Annotated[int | None, typer.Option(
    min=LEAST_LENGTH, help="The most tokens of a sequence; by default the task's.",
    )]
EmaMomentumOption = Annotated[float, typer.Option(
    help="Score and keep moving averages of the weights with this momentum. 0.999 averages "
             "the last thousand steps, or the last ninth of a shorter run. 0 for none.",
    )]
PatienceOption = Annotated[int | None, typer.Option(
    min=1, help="Stop after so many epochs without a better dev score.",
    )]
ClassWeightsOption = Annotated[ClassWeights, typer.Option(
    help="Classification: balanced weights an example in the loss by how rare its class is, "
             "so that all classes count the same.")]
MetricOption = Annotated[str | None, typer.Option(
    help="The dev score that chooses the epoch, such as macro_f1; by default the task's.",
    )]
SeedOption = Annotated[int, typer.Option(
    help="Seed for weights, dropout and order.")]
FewShotOption = Annotated[int | None, typer.Option(
    min=2, metavar="N", help="Classification: learn from N rows of each class, drawn with the "
                             "seed: contrastive pairs, then a logistic regression, as in SetFit. "
                             "Meant for N from 8 to 64.")]
GridOption = Annotated[list[str] | None, typer.Option(
    metavar="NAME=VALUES", help="Try all combinations of values, such as learning_rate=1e-4,3e-4; "
                                "may be given several times. The value paper stands for the "
                                "search space that MobileBERT's authors report.")]


def run(
    context: typer.Context,
    task: tasks.TaskOption,
    output_directory: OutputDirectoryOption,
    data: tasks.DataOption = None,
    train: tasks.TrainOption = None,
    dev: tasks.DevOption = None,
    text: tasks.TextOption = None,
    second_text: tasks.SecondTextOption = None,
    label: tasks.LabelOption = None,
    preset: PresetOption = None,
    checkpoint: CheckpointOption = None,
    vocab: VocabOption = None,
    cased: CasedOption = False,
    pooler: PoolerOption = None,
    learning_rate: LearningRateOption = None,
    batch_size: BatchSizeOption = None,
    epochs: EpochsOption = None,
    length: LengthOption = _DEFAULTS.length,
    ema_momentum: EmaMomentumOption = _DEFAULTS.ema_momentum,
    precision: training.PrecisionOption = _DEFAULTS.precision,
    patience: PatienceOption = _DEFAULTS.patience,
    class_weights: ClassWeightsOption = _CLASS_WEIGHTS,
    metric: MetricOption = _DEFAULTS.metric,
    seed: SeedOption = _DEFAULTS.seed,
    few_shot: FewShotOption = None,
    grid: GridOption = None,
    json: output.JsonOption = None,
):
    """Fine-tune a model on a task; keep the epoch with the best dev score."""
    freed_memory.keep()
    from mobilebert_tf.finetuning import search
    from mobilebert_tf.finetuning.fine_tune import fine_tune

    both = given_options.among(context, *search.axes(grid or ()))
    if both:
        raise InputError(f"--grid tries values for {' and '.join(both)}: leave the option out")
    given = {"learning_rate": learning_rate, "batch_size": batch_size, "epochs": epochs,
             "length": length, "ema_momentum": ema_momentum, "patience": patience, "seed": seed,
             "class_weights": class_weights.value, "metric": metric, "precision": precision,
             "rows": few_shot}
    make = FineTuningSettings if few_shot is None else FewShotSettings
    settings = make(**{name: value for name, value in given.items() if value is not None})
    found = fine_tune(
        task, output_directory, data=data, train=train or (), dev=dev, text=text, label=label,
        second_text=second_text, preset=preset, checkpoint=checkpoint, vocab=vocab, pooler=pooler,
        cased=cased, settings=settings, grid=grid or (), say=_say,
        say_left_out=tasks.say_left_out)
    if found.rows:
        output.results.print(search.table(found.rows))
    result = found.result
    output.results.print(f"best epoch {result.best_epoch} by {result.metric}: dev " + ", ".join(
        f"{name} {score:.4f}" for name, score in result.scores.items()))
    output.results.print(f"model in {found.model}; next: mobilebert evaluate or mobilebert export "
                         f"{found.model}", soft_wrap=True)
    output.write_json(json, {**found.to_json(), **tasks.left_out(found.left_out)})


def _say(line):
    output.progress.print(line, soft_wrap=True)
