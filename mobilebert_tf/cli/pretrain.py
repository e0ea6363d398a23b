"""`mobilebert pretrain`: masked LM and next sentence, without a teacher."""

from typing import Annotated

import typer

from mobilebert_tf import freed_memory
from mobilebert_tf.cli import output, training
from mobilebert_tf.training.pretraining_plan import PretrainingPlan
from mobilebert_tf.training.settings import TrainingSettings
from mobilebert_tf.training.stage import Optimizer

EXAMPLES = """[bold]Examples[/bold]

mobilebert pretrain --model ib_bert_mini --corpus corpus --steps 20000 --output runs/ib_bert

mobilebert pretrain --model mobilebert-uncased --corpus corpus --steps 1000 --learning-rate 1e-4 --output runs/domain

The same command again continues a run that was stopped."""  # noqa: E501


def run(
    model: Annotated[str, typer.Option(
        help="Preset or JSON file of a config, for random weights; or a directory to start from.")],
    corpus: training.CorpusOption,
    output_directory: training.OutputOption,
    steps: Annotated[int, typer.Option(min=1, help="Updates.")] = PretrainingPlan.steps,
    batch_size: training.BatchSizeOption = PretrainingPlan.batch_size,
    learning_rate: Annotated[float, typer.Option(
        help="Peak learning rate.")] = PretrainingPlan.learning_rate,
    optimizer: Annotated[Optimizer, typer.Option(
        help="lamb suits large batches.")] = PretrainingPlan.optimizer,
    whole_word: Annotated[bool, typer.Option(
        "--whole-word", help="Mask all pieces of a word together.")] = PretrainingPlan.whole_word,
    next_sentence: Annotated[bool, typer.Option(
        help="Train a next-sentence head too; needs a corpus of pairs.",
    )] = PretrainingPlan.next_sentence,
    seed: training.SeedOption = TrainingSettings.seed,
    accumulation: training.AccumulationOption = TrainingSettings.accumulation,
    log_every: training.LogOption = TrainingSettings.log_every,
    checkpoint_every: training.CheckpointOption = TrainingSettings.checkpoint_every,
    keep: training.KeepOption = TrainingSettings.keep,
    devices: training.DevicesOption = TrainingSettings.devices,
    precision: training.PrecisionOption = TrainingSettings.precision,
    deterministic: training.DeterministicOption = TrainingSettings.deterministic,
    json: output.JsonOption = None,
):
    """Pre-train a model on a corpus: masked LM and next sentence."""
    freed_memory.keep()
    from mobilebert_tf.training import runs

    training.tell(runs.pretrain(
        model, output_directory, corpus=corpus,
        plan=PretrainingPlan(steps=steps, batch_size=batch_size, learning_rate=learning_rate,
                             optimizer=optimizer, whole_word=whole_word,
                             next_sentence=next_sentence),
        settings=TrainingSettings(
            seed=seed, accumulation=accumulation, log_every=log_every,
            checkpoint_every=checkpoint_every, keep=keep, devices=devices, precision=precision,
            deterministic=deterministic),
        say=training.say), json)
