"""`mobilebert distill`: a student of a teacher, by knowledge transfer."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import comma_lists, output, training
from mobilebert_tf.training.distillation_plan import DistillationPlan, Strategy
from mobilebert_tf.training.settings import TrainingSettings

EXAMPLES = """[bold]Examples[/bold]

mobilebert distill --teacher runs/ib_bert/model --student mobilebert --corpus corpus --transfer-steps 240000 --distillation-steps 500000 --batch-size 2048 --output runs/mobilebert

mobilebert distill --teacher all-MiniLM-L6-v2 --teacher-pooler mean --student mobilebert_mini --corpus sentences --stages stages.json --output runs/mini

The same command again continues a run that was stopped."""  # noqa: E501


def run(
    teacher: Annotated[str, typer.Option(help="Model or Hugging Face directory of the teacher.")],
    student: Annotated[str, typer.Option(
        help="Preset, to start from random blocks and the teacher's embedding and heads; or a "
             "directory, to start from its weights.")],
    corpus: training.CorpusOption,
    output_directory: training.OutputOption,
    strategy: Annotated[Strategy, typer.Option(
        help="auxiliary: transfer and distillation at once; joint: transfer to all blocks, then "
             "distillation; progressive: transfer block by block, then distillation.",
    )] = DistillationPlan.strategy,
    transfer_steps: Annotated[int, typer.Option(
        min=1, help="Updates of transfer.")] = DistillationPlan.transfer_steps,
    distillation_steps: Annotated[int, typer.Option(
        min=1, help="Updates of pre-training distillation.")] = DistillationPlan.distillation_steps,
    batch_size: training.BatchSizeOption = DistillationPlan.batch_size,
    stages: Annotated[Path | None, typer.Option(
        help="JSON file of stages instead of a strategy. Every run writes its own as stages.json, "
             "which can be edited.")] = None,
    blocks: Annotated[str | None, typer.Option(
        help="For each block of the student, the teacher's block that it learns from, counted "
             "from 0, such as 1,3,5. Needed if their numbers of blocks differ.")] = None,
    teacher_pooler: Annotated[str | None, typer.Option(
        help="How the teacher makes a sentence embedding, if its directory does not say: mean, "
             "first_token or tanh.")] = None,
    student_pooler: Annotated[str | None, typer.Option(
        help="The same for the student. Default: its preset's.")] = None,
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
    """Distil a student from a teacher: feature maps, attention, then soft labels."""
    blocks = comma_lists.numbers(blocks, "--blocks")
    from mobilebert_tf.training import runs

    training.tell(runs.distill(
        student, output_directory, teacher=teacher, corpus=corpus,
        plan=DistillationPlan(strategy=strategy, transfer_steps=transfer_steps,
                              distillation_steps=distillation_steps, batch_size=batch_size),
        stages=stages, blocks=blocks, teacher_pooler=teacher_pooler,
        student_pooler=student_pooler,
        settings=TrainingSettings(
            seed=seed, accumulation=accumulation, log_every=log_every,
            checkpoint_every=checkpoint_every, keep=keep, devices=devices, precision=precision,
            deterministic=deterministic),
        say=training.say), json)
