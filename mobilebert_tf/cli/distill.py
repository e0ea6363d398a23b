"""`mobilebert distill`: a student of a teacher, by knowledge transfer."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf import freed_memory
from mobilebert_tf.checks import LEAST_LENGTH
from mobilebert_tf.cli import batch, comma_lists, given_options, output, startup, tasks, training
from mobilebert_tf.errors import InputError
from mobilebert_tf.training.distillation_plan import DistillationPlan, Strategy
from mobilebert_tf.training.recipes import catalogue
from mobilebert_tf.training.recipes.recipe_plan import RecipePlan
from mobilebert_tf.training.settings import TrainingSettings
from mobilebert_tf.training.task.task_plan import TaskPlan

EXAMPLES = """[bold]Examples[/bold]

mobilebert distill --teacher runs/ib_bert/model --student mobilebert --corpus corpus --transfer-steps 240000 --distillation-steps 500000 --batch-size 2048 --output runs/mobilebert

mobilebert distill --recipe distilbert --teacher bert-base-uncased --student distilbert --corpus corpus --output runs/distilbert

mobilebert distill --teacher all-MiniLM-L6-v2 --teacher-pooler mean --student mobilebert_mini --corpus sentences --stages stages.json --output runs/mini

mobilebert distill --task sst2 --data glue/SST-2 --teacher runs/teacher --student models/mobilebert_mini --learning-rate 1.5e-4 --output runs/student

mobilebert distill --task sst2 --data glue/SST-2 --teacher runs/teacher --student models/mobilebert_mini --unlabelled reviews.jsonl.gz --by-sentence --learning-rate 1.5e-4 --ema-momentum 0.999 --output runs/student

mobilebert distill --task sst2 --data glue/SST-2 --teacher runs/teacher --student models/mobilebert_mini --learning-rate 1.5e-4 --cache teacher_outputs --cache-workers 8 --output runs/student

The same command again continues a run that was stopped."""  # noqa: E501


_OF_A_PLAN = ("epochs", "label_weight", "temperature", "ema_momentum")
_OF_A_TASK = (*_OF_A_PLAN, "data", "train", "dev", "text", "second_text", "label", "unlabelled",
              "by_sentence", "augment", "augmenter", "length", "metric", "cache", "cache_workers",
              "beam_flag")
_OF_A_STRATEGY = ("strategy", "transfer_steps", "distillation_steps")
_IN_STAGES = ("steps", "batch_size", "learning_rate", "blocks")


def run(
    context: typer.Context,
    teacher: Annotated[str, typer.Option(help="Model or Hugging Face directory of the teacher.")],
    student: Annotated[str, typer.Option(
        help="Preset or JSON file of a config, to start from random blocks and the teacher's "
             "embedding and heads, unless a recipe starts otherwise; or a directory, to start "
             "from its weights.")],
    output_directory: training.OutputOption,
    corpus: Annotated[list[Path] | None, typer.Option(
        help="Directory that `mobilebert corpus` made. Give it several times to mix several.",
    )] = None,
    task: Annotated[str | None, typer.Option(
        help=f"Distil on a task, instead of a corpus, from a teacher that is fine-tuned on it: "
             f"{tasks.HELP}")] = None,
    data: tasks.DataOption = None,
    train: tasks.TrainOption = None,
    dev: tasks.DevOption = None,
    text: tasks.TextOption = None,
    second_text: tasks.SecondTextOption = None,
    label: tasks.LabelOption = None,
    unlabelled: Annotated[list[Path] | None, typer.Option(
        metavar="FILE", help="With --task: texts without labels, for soft labels alone: .txt with "
                             "a text on each line; or .jsonl, .csv, .tsv with a column text (or "
                             "--text). May be given several times.")] = None,
    by_sentence: Annotated[bool, typer.Option(
        "--by-sentence", help="Cut the texts of --unlabelled into sentences.")] = False,
    augment: Annotated[int, typer.Option(
        min=0, help="With --task: new examples to try for each training example, by TinyBERT's "
                    "augmentation; needs --augmenter.")] = 0,
    augmenter: Annotated[Path | None, typer.Option(
        help="Model or Hugging Face directory with a masked-LM head, for --augment.")] = None,
    epochs: Annotated[int, typer.Option(
        min=1, help="With --task: passes over the rows.")] = TaskPlan.epochs,
    learning_rate: Annotated[float | None, typer.Option(
        show_default=f"{TaskPlan.learning_rate}, or the recipe's",
        help="With --task or --recipe: peak learning rate, of every stage of a recipe. Published "
             "rates are for long runs.")] = None,
    label_weight: Annotated[float, typer.Option(
        help="With --task: weight of the labels beside the soft labels, whose weight is 1.",
    )] = TaskPlan.label_weight,
    temperature: Annotated[float, typer.Option(
        help="With --task: divides the logits of student and teacher.")] = TaskPlan.temperature,
    ema_momentum: Annotated[float, typer.Option(
        help="With --task: score and keep moving averages of the weights with this momentum; 0 "
             "for none.")] = TaskPlan.ema_momentum,
    length: Annotated[int | None, typer.Option(
        min=LEAST_LENGTH,
        help="With --task: the most tokens of a row; by default the teacher's.")] = None,
    metric: Annotated[str | None, typer.Option(
        help="With --task: the dev score that chooses the epoch; by default the task's.")] = None,
    cache: Annotated[Path | None, typer.Option(
        help="With --task: directory of the teacher's outputs, which several runs may share; by "
             "default one in the output directory.")] = None,
    cache_workers: Annotated[int, typer.Option(
        min=1, rich_help_panel=batch.PANEL,
        help="With --task: processes that compute the teacher's outputs, by an Apache Beam job; 1 "
             "computes them in this process.")] = 1,
    beam_flag: batch.BeamFlagOption = None,
    strategy: Annotated[Strategy, typer.Option(
        help="auxiliary: transfer and distillation at once; joint: transfer to all blocks, then "
             "distillation; progressive: transfer block by block, then distillation.",
    )] = DistillationPlan.strategy,
    transfer_steps: Annotated[int, typer.Option(
        min=1, help="Updates of transfer.")] = DistillationPlan.transfer_steps,
    distillation_steps: Annotated[int, typer.Option(
        min=1, help="Updates of pre-training distillation.")] = DistillationPlan.distillation_steps,
    recipe: Annotated[str | None, typer.Option(
        metavar="NAME", help="A published recipe. Over a corpus, instead of a strategy: "
                             f"{', '.join(catalogue.names_for('corpus'))}. With --task: "
                             f"{', '.join(catalogue.names_for('task'))}.")] = None,
    steps: Annotated[str | None, typer.Option(
        show_default="the recipe's",
        help="With --recipe: updates of each of its stages, separated by commas.")] = None,
    batch_size: Annotated[int | None, typer.Option(
        min=1, show_default=f"{DistillationPlan.batch_size}, or the recipe's; "
                            f"{TaskPlan.batch_size} with --task",
        help="Sequences per update, over all devices.")] = None,
    stages: Annotated[Path | None, typer.Option(
        help="JSON file of stages instead of a strategy. Every run writes its own as stages.json, "
             "which can be edited.")] = None,
    blocks: Annotated[str | None, typer.Option(
        help="For each block of the student that is compared, the teacher's block that it learns "
             "from, counted from 0, such as 1,3,5. A strategy compares all blocks, and needs this "
             "if the numbers of blocks differ.")] = None,
    start_blocks: Annotated[str | None, typer.Option(
        show_default="the recipe's",
        help="For each block of a preset's student, the teacher's block whose weights it starts "
             "from, counted from 0, such as 0,4,7,11. Their sizes must be equal.")] = None,
    teacher_pooler: Annotated[str | None, typer.Option(
        help="How the teacher makes a sentence embedding, if its directory does not say: mean "
             "or first_token.")] = None,
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
    """Distil a student from a teacher: by a strategy, by a recipe, or on a task."""
    freed_memory.keep()
    if (corpus is None) == (task is None):
        raise InputError("give either --corpus, for distillation on plain text, or --task")
    _check_given(context, task, recipe, stages)
    blocks = comma_lists.numbers(blocks, "--blocks")
    common = {"teacher": teacher, "stages": stages, "blocks": blocks, "say": training.say,
              "start_blocks": comma_lists.numbers(start_blocks, "--start-blocks"),
              "teacher_pooler": teacher_pooler, "student_pooler": student_pooler,
              "settings": TrainingSettings(
                  seed=seed, accumulation=accumulation, log_every=log_every,
                  checkpoint_every=checkpoint_every, keep=keep, devices=devices,
                  precision=precision, deterministic=deterministic)}
    steps = comma_lists.numbers(steps, "--steps")
    sizes = {name: value for name, value in (("batch_size", batch_size),
                                             ("learning_rate", learning_rate))
             if value is not None}
    if task is None:
        if learning_rate is not None and recipe is None:
            raise InputError("--learning-rate goes with --task or --recipe; the learning rates of "
                             "a strategy are in --stages")
        plan = _plan("corpus", recipe, steps, sizes, lambda **sizes: DistillationPlan(
            strategy=strategy, transfer_steps=transfer_steps,
            distillation_steps=distillation_steps, **sizes))
        from mobilebert_tf.training import runs

        training.tell(runs.distill(student, output_directory, corpus=corpus, plan=plan, **common),
                      json)
        return
    plan = _plan("task", recipe, steps, sizes, lambda **sizes: TaskPlan(
        epochs=epochs, label_weight=label_weight, temperature=temperature,
        ema_momentum=ema_momentum, **sizes))
    if cache_workers > 1 or beam_flag:
        startup.beam("batch")
    from mobilebert_tf.training.task.distill_task import distill_task

    _tell(distill_task(
        student, output_directory, task=task, data=data, train=train or (), dev=dev, text=text,
        label=label, second_text=second_text, unlabelled=unlabelled or (),
        by_sentence=by_sentence, augment=augment, augmenter=augmenter, length=length,
        metric=metric, cache=cache, cache_workers=cache_workers, beam_flags=beam_flag or (),
        plan=plan,
        say_left_out=tasks.say_left_out, **common), json)


def _check_given(context, task, recipe, stages):
    """Raise InputError for an option that would mean nothing beside others."""
    for is_so, names, why in (
            (task is None, _OF_A_TASK, "goes with --task"),
            (task is not None, _OF_A_STRATEGY, "is for distillation on a --corpus"),
            (recipe is not None, (*_OF_A_PLAN, *_OF_A_STRATEGY),
             "means nothing beside --recipe, which has values of its own"),
            (stages is not None, (*_OF_A_PLAN, *_OF_A_STRATEGY, *_IN_STAGES),
             "means nothing beside --stages, where each stage has its own values")):
        given = given_options.among(context, *names) if is_so else ()
        if given:
            raise InputError(f"{given[0]} {why}; leave it out")


def _plan(source, recipe, steps, sizes, without_recipe):
    if recipe is not None:
        return RecipePlan(name=recipe, source=source, steps=steps, **sizes)
    if steps is not None:
        raise InputError("--steps goes with --recipe; a strategy has --transfer-steps and "
                         "--distillation-steps, a task has --epochs")
    return without_recipe(**sizes)


def _tell(result, json):
    """Print what a run on a task gave; None has nothing to tell."""
    if result is None:
        return
    output.results.print(
        f"best at step {result.best['step']:,} of {result.best['stage']} by {result.metric}: dev "
        + ", ".join(f"{name} {score:.4f}" for name, score in result.scores.items()))
    output.results.print(f"model in {result.model}; next: mobilebert evaluate or mobilebert export "
                         f"{result.model}", soft_wrap=True)
    output.write_json(json, {**result.to_json(), **tasks.left_out(result.left_out)})
