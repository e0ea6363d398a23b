"""`mobilebert distill`: a student of a teacher, by knowledge transfer."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import comma_lists, output, training
from mobilebert_tf.errors import InputError
from mobilebert_tf.training.distillation_plan import DistillationPlan, Strategy
from mobilebert_tf.training.recipes import catalogue
from mobilebert_tf.training.recipes.recipe_plan import RecipePlan
from mobilebert_tf.training.settings import TrainingSettings

EXAMPLES = """[bold]Examples[/bold]

mobilebert distill --teacher runs/ib_bert/model --student mobilebert --corpus corpus --transfer-steps 240000 --distillation-steps 500000 --batch-size 2048 --output runs/mobilebert

mobilebert distill --recipe distilbert --teacher bert-base-uncased --student distilbert --corpus corpus --output runs/distilbert

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
    recipe: Annotated[str | None, typer.Option(
        metavar="NAME", help="A published recipe instead of a strategy: "
                             f"{', '.join(catalogue.over('corpus'))}.")] = None,
    steps: Annotated[str | None, typer.Option(
        show_default="as published",
        help="With --recipe: updates of each of its stages, separated by commas.")] = None,
    batch_size: Annotated[int | None, typer.Option(
        min=1, show_default=f"{DistillationPlan.batch_size}, or the recipe's",
        help="Sequences per update, over all devices.")] = None,
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
    plan = _plan(recipe, comma_lists.numbers(steps, "--steps"), batch_size, strategy=strategy,
                 transfer_steps=transfer_steps, distillation_steps=distillation_steps)
    from mobilebert_tf.training import runs

    training.tell(runs.distill(
        student, output_directory, teacher=teacher, corpus=corpus,
        plan=plan, stages=stages, blocks=blocks, teacher_pooler=teacher_pooler,
        student_pooler=student_pooler,
        settings=TrainingSettings(
            seed=seed, accumulation=accumulation, log_every=log_every,
            checkpoint_every=checkpoint_every, keep=keep, devices=devices, precision=precision,
            deterministic=deterministic),
        say=training.say), json)


def _plan(recipe, steps, batch_size, **of_strategy):
    if recipe is not None:
        return RecipePlan(name=recipe, batch_size=batch_size, steps=steps)
    if steps is not None:
        raise InputError("--steps goes with --recipe; a strategy has --transfer-steps and "
                         "--distillation-steps")
    sizes = {} if batch_size is None else {"batch_size": batch_size}
    return DistillationPlan(**of_strategy, **sizes)
