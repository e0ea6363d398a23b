"""`mobilebert distill`: a student of a teacher, by knowledge transfer."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output, training
from mobilebert_tf.errors import InputError

EXAMPLES = """[bold]Examples[/bold]

mobilebert distill --teacher runs/ib_bert/model --student mobilebert --corpus corpus --transfer-steps 240000 --distillation-steps 500000 --batch-size 2048 --output runs/mobilebert

mobilebert distill --teacher all-MiniLM-L6-v2 --teacher-pooler mean --student mobilebert_mini --corpus sentences --stages stages.json --output runs/mini

The same command again continues a run that was stopped."""  # noqa: E501


class Strategy(str, Enum):
    auxiliary = "auxiliary"
    joint = "joint"
    progressive = "progressive"


def run(
    teacher: Annotated[str, typer.Option(help="Model or Hugging Face directory of the teacher.")],
    student: Annotated[str, typer.Option(
        help="Preset, to start from random blocks and the teacher's embedding and heads; or a "
             "directory, to start from its weights.")],
    corpus: training.CorpusOption,
    output_directory: Annotated[Path, typer.Option(
        "--output", help="Directory of the run: model/, checkpoints/, logs/, metrics.jsonl.")],
    strategy: Annotated[Strategy, typer.Option(
        help="auxiliary: transfer and distillation at once; joint: transfer to all blocks, then "
             "distillation; progressive: transfer block by block, then distillation.",
    )] = Strategy.progressive,
    transfer_steps: Annotated[int, typer.Option(min=1, help="Updates of transfer.")] = 10_000,
    distillation_steps: Annotated[int, typer.Option(
        min=1, help="Updates of pre-training distillation.")] = 10_000,
    batch_size: Annotated[int, typer.Option(min=1, help="Sequences an update, in all.")] = 64,
    stages: Annotated[Path | None, typer.Option(
        help="JSON file of stages instead of a strategy; every run writes its own as stages.json, "
             "which can be edited.")] = None,
    blocks: Annotated[str | None, typer.Option(
        help="Which block of the teacher each of the student learns from, counted from 0, such as "
             "1,3,5; needed where their numbers differ.")] = None,
    teacher_pooler: Annotated[str | None, typer.Option(
        help="What the teacher's sentence embedding is, where the directory does not say: mean, "
             "first_token or tanh.")] = None,
    student_pooler: Annotated[str | None, typer.Option(
        help="The same for the student; by default its preset's.")] = None,
    seed: training.SeedOption = 1,
    accumulation: training.AccumulationOption = 1,
    log_every: training.LogOption = 20,
    checkpoint_every: training.CheckpointOption = 200,
    keep: training.KeepOption = 3,
    devices: training.DevicesOption = training.Devices.one,
    precision: training.PrecisionOption = training.Precision.float32,
    deterministic: training.DeterministicOption = False,
    json: output.JsonOption = None,
):
    """Distil a student from a teacher: feature maps, attention, then soft labels."""
    run_on = training.start(devices, precision, deterministic, seed)
    from mobilebert_tf.data.corpus.directory import CorpusDirectory
    from mobilebert_tf.training import runs
    from mobilebert_tf.training import stages as recipes
    from mobilebert_tf.training.loop import Settings

    from_file = recipes.load(stages) if stages is not None else None

    def make_stages(components, learner, taught_by):
        if from_file is not None:
            return from_file
        plan = recipes.Plan(transfer_steps=transfer_steps, batch_size=batch_size,
                            distillation_steps=distillation_steps)
        return recipes.STRATEGIES[strategy.value](
            components, _pairs(blocks, learner.config.num_blocks, taught_by.config.num_blocks),
            plan)

    used = ({name for stage in from_file for name in stage.active_losses} if from_file
            else set(recipes.PUBLISHED_DISTILLATION))
    heads = (*(("mlm",) if any(name.startswith("masked_lm") for name in used) else ()),
             *(("nsp",) if "next_sentence" in used else ()))
    path = runs.distill(
        teacher=runs.Model(teacher, teacher_pooler), student=runs.Model(student, student_pooler),
        make_stages=make_stages, heads=heads, corpus=CorpusDirectory.load_all(corpus),
        directory=output_directory, strategy=run_on, say=training.say,
        settings=Settings(seed=seed, accumulation=accumulation, log_every=log_every,
                          checkpoint_every=checkpoint_every, keep=keep))
    training.finish(path, output_directory, json, run_on)


def _pairs(blocks, of_student, of_teacher):
    """(student's block, teacher's block) of every block of the student."""
    if blocks is None:
        if of_student != of_teacher:
            raise InputError(f"the student has {of_student} blocks and the teacher {of_teacher}; "
                             "name the teacher's block for each of the student's with --blocks")
        return tuple((index, index) for index in range(of_student))
    try:
        named = [int(part) for part in blocks.split(",")]
    except ValueError:
        raise InputError(f"--blocks takes numbers, such as 1,3,5. Received: {blocks}") from None
    if len(named) != of_student:
        raise InputError(f"--blocks names {len(named)} blocks, the student has {of_student}")
    return tuple(enumerate(named))
