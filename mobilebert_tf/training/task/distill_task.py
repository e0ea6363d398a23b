"""distill_task: a student of a teacher on a task, from the names that a user gives."""

import dataclasses
import functools
import json
import os
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf import model_directory, presets
from mobilebert_tf.augmentation.augment_examples import augment_examples
from mobilebert_tf.augmentation.settings import AugmentationSettings
from mobilebert_tf.checks import check_length
from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import sha256, write_atomically
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.resuming import checkpoints
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.terminal.progress import Progress, track
from mobilebert_tf.terminal.waiting import waiting
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.training import compatibility, stage_files
from mobilebert_tf.training.components import components
from mobilebert_tf.training.devices import is_chief, needs_static_shapes
from mobilebert_tf.training.fingerprint import fingerprint
from mobilebert_tf.training.loop import Run
from mobilebert_tf.training.preparation import prepared
from mobilebert_tf.training.recipes.recipe_plan import RecipePlan
from mobilebert_tf.training.settings import TrainingSettings
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.starting import check_start_blocks, start, taken_over
from mobilebert_tf.training.task import task_models
from mobilebert_tf.training.task.task_examples import TaskExamples
from mobilebert_tf.training.task.task_plan import TaskPlan
from mobilebert_tf.training.task.task_result import TaskResult
from mobilebert_tf.training.task.task_scoring import TaskScoring
from mobilebert_tf.training.task.task_source import TaskSource
from mobilebert_tf.training.task.teacher_cache import TeacherCache
from mobilebert_tf.training.task.teacher_outputs import cls_blocks

_RUN = "run.json"
# In the directory of the cache.
_CACHE, _OUTPUTS, _AUGMENTED = "cache", "teacher_outputs", "augmented"


def distill_task(student: str, directory: str | os.PathLike, *, teacher: str, task: str,
                 data: str | os.PathLike | None = None,
                 train: Sequence[str | os.PathLike] = (), dev: str | os.PathLike | None = None,
                 text: str | None = None, label: str | None = None, second_text: str | None = None,
                 unlabelled: Sequence[str | os.PathLike] = (), by_sentence: bool = False,
                 augment: int = 0, augmenter: str | os.PathLike | None = None,
                 plan: TaskPlan | RecipePlan | None = None,
                 stages: str | os.PathLike | Sequence[Stage] | None = None,
                 blocks: Sequence[int] | None = None,
                 start_blocks: Sequence[int] | None = None, length: int | None = None,
                 metric: str | None = None, cache: str | os.PathLike | None = None,
                 cache_workers: int = 1, beam_flags: Sequence[str] = (),
                 teacher_pooler: str | None = None, student_pooler: str | None = None,
                 settings: TrainingSettings | None = None,
                 strategy: tf.distribute.Strategy | None = None,
                 say: Callable[[str], None] = print,
                 say_left_out: Callable[[Sequence[LeftOut]], None] = lambda rows: None,
                 ) -> TaskResult | None:
    """Distil a student from a teacher on a task; keep the epoch whose dev score is best.

    The same call again continues a run that was stopped.

    Args:
      student: a preset or a JSON file with an `EncoderConfig`, to start as the plan says, by
        default from random blocks and the teacher's embedding; or a model or Hugging Face
        directory, whose head is used if it is of the task.
      directory: receives the best student as a model directory, run.json, `checkpoints/`, `logs/`,
        metrics.jsonl, stages.json and curves.png.
      teacher: a model or Hugging Face directory, fine-tuned on the task.
      task: a name in `tasks.catalogue.names()`.
      data: the directory with the task's files; or tfds:glue/sst2 and the like.
      train, dev: files instead of the directory's.
      text, label, second_text: the columns of your own table.
      unlabelled: files of texts without labels, which have soft labels alone; see
        `plain_texts.read`. The columns are those of your own table; else text and second_text, or
        question and context.
      by_sentence: cut the unlabelled texts into sentences. Otherwise a text that is longer than
        `length` loses its end.
      augment: how many new examples to try for each training example; they keep its label. See
        `augment_examples`.
      augmenter: a model or Hugging Face directory with a masked-LM head, which makes them.
      plan: see `TaskPlan`, and `RecipePlan` with the source "task".
      stages: stages to train instead of the plan's, or a JSON file of them. They may have epochs
        for steps.
      blocks: for each block of the student that the recipe compares, the teacher's block that it
        is compared with, counted from 0, instead of the recipe's. `stages` name their own.
      start_blocks: for each block of a preset's student the teacher's block whose weights it starts
        from, instead of the plan's; empty for none.
      length: the most tokens of a row; None for the teacher's.
      metric: the dev score that chooses; None for the task's.
      cache: directory of the teacher's outputs and the new examples, which several runs may share;
        None for one in `directory`.
      cache_workers: processes that compute the teacher's outputs, by an Apache Beam job on its
        local runner; 1 computes them in this process.
      beam_flags: Apache Beam's own flags, such as `--runner`, for that job.
      teacher_pooler, student_pooler: replace the models' own; see `EncoderConfig.pooler`.
      settings: see `TrainingSettings`.
      strategy: of tf.distribute, instead of `settings.devices`.
      say: takes each line about what is being done.
      say_left_out: takes the rows of the files that are left out, before training starts.
    Returns:
      What the run wrote; None in those workers that do not write.
    Raises:
      InputError: for anything wrong with the arguments or in the files, before training starts; and
        see `task_models`, `TeacherCache` and `loop.Run`.
    """
    plan, settings, directory = plan or TaskPlan(), settings or TrainingSettings(), Path(directory)
    cache = Path(cache or directory / _CACHE)
    if bool(augment) != (augmenter is not None):
        raise InputError("augment and augmenter go together: how many new examples, and the "
                         "model with a masked-LM head that makes them")
    if by_sentence and not unlabelled:
        raise InputError("by_sentence cuts the unlabelled texts, and none are given")
    check_length(length)
    model_directory.check_unfinished(
        directory, checkpoints.exist(directory / checkpoints.DIRECTORY))
    check_start_blocks(student, start_blocks)
    stages = stage_files.from_arguments(stages, blocks)
    examples = TaskExamples.read(
        catalogue.data(catalogue.of(task, catalogue.columns(text, label, second_text)), data,
                       train, dev),
        unlabelled, by_sentence)
    metric = examples.task.metric(metric)
    say_left_out(examples.left_out)
    with prepared(settings, strategy) as strategy:
        with strategy.scope():
            taught_by = task_models.load_teacher(teacher, examples.task, teacher_pooler)
            keras.utils.set_random_seed(settings.seed)
            contents = task_models.load_student(student, examples.task, taught_by, length,
                                                student_pooler)
        stages_for = functools.partial(
            _stages, stages, plan, contents.model, taught_by.model, blocks,
            devices=strategy.num_replicas_in_sync, accumulation=settings.accumulation)
        stages_for(len(examples.train))  # refused before new examples are made for hours
        examples = _with_new_ones(examples, augment, augmenter, cache / _AUGMENTED, plan, say)
        say(_sizes(taught_by, contents, examples))
        with waiting("Tokenizing"):
            scoring = TaskScoring(contents, examples.task, examples.dev, metric, directory)
            rows = examples.rows(Tokenizer(contents.vocabulary, contents.lower_case),
                                 contents.length)
        chosen = None
        if presets.is_config(student):
            chosen = taken_over(contents.model, taught_by.model, plan, start_blocks)
            for line in start(contents.model.encoder, taught_by.model.encoder, plan,
                              lambda: task_models.texts_to_start_from(contents, rows),
                              start_blocks):
                say(line)
        stages = stages_for(len(rows))
        for stage in stages:
            compatibility.check_count(stage, f"the task {examples.task.name}", len(rows))
        asked = {**_asked(examples, student, chosen, teacher, taught_by, rows), "metric": metric,
                 "augment": augment, "augmenter": augmenter and str(augmenter),
                 "by_sentence": by_sentence, "teacher_pooler": teacher_pooler}
        source = TaskSource(
            examples.task.name, rows, contents.length, contents.vocabulary.pad_id, asked,
            _outputs(stages, taught_by.model, rows, contents, cache / _OUTPUTS, say,
                     functools.partial(
                         _job, workers=cache_workers, beam_flags=tuple(beam_flags),
                         teacher=str(Path(teacher).absolute()), task=examples.task,
                         pooler=teacher_pooler, precision=settings.precision)),
            needs_static_shapes(strategy))
        Run(student=contents.model, teacher=taught_by.model, stages=stages, source=source,
            directory=directory, settings=settings, strategy=strategy, scoring=scoring).train()
        if not is_chief(strategy):
            return None
        result = TaskResult.of(directory, metric, examples.left_out)
        _write_record(directory, asked, contents, stages, settings, result)
        return result


def _with_new_ones(examples, draws, augmenter, cache, plan, say):
    """Return the examples with the augmented ones, if there are to be some."""
    if draws:
        return dataclasses.replace(examples, train=augment_examples(
            examples.train, augmenter, AugmentationSettings(draws=draws), cache=cache,
            track=track, say=say))
    if isinstance(plan, RecipePlan) and plan.recipe.augments:
        say(f"the recipe {plan.name} was published with augmented examples, and there are none "
            "without augment")
    return examples


def _sizes(teacher, student, examples):
    more = "" if examples.unlabelled is None else f"{len(examples.unlabelled):,} unlabelled, "
    return (f"teacher: {teacher.model.count_params():,} parameters, student: "
            f"{student.model.count_params():,}; tokenizing {len(examples.train):,} training, "
            f"{more}{len(examples.dev):,} dev examples")


def _stages(stages, plan, student, teacher, blocks, count, *, devices, accumulation):
    """Return the stages of the plan, or the user's, with steps for epochs.

    Raises:
      InputError: for a stage that does not fit the models or a task, or whose batch cannot be cut.
    """
    if stages is None:
        sizes = student.config.num_blocks, teacher.config.num_blocks
        stages = plan.stages_for(tuple(components(student)), *sizes, count, blocks)
    for stage in stages:
        if stage.whole_word or stage.replacement_rate or not stage.teacher_reads_masks:
            raise InputError(f"stage {stage.name!r} masks or replaces tokens, which is for a "
                             "corpus; leave out whole_word, replacement_rate and "
                             "teacher_reads_masks")
        compatibility.check_models(stage, student, teacher)
        compatibility.check_batch_size(stage, devices, accumulation)
    return tuple(stage.in_steps(max(count // stage.batch_size, 1)) for stage in stages)


def _outputs(stages, teacher, rows, contents: ModelDirectory, directory, say, job):
    """Return the teacher's outputs; None if every stage runs the teacher, or has none."""
    needed = [cls_blocks(stage) for stage in stages if stage.has_teacher]
    if all(blocks is None for blocks in needed):
        return None
    reads = {"length": contents.length, "pad_id": contents.vocabulary.pad_id,
             "blocks": tuple(sorted({block for blocks in needed for block in blocks or ()}))}
    kept = TeacherCache(directory, teacher, rows, **reads)
    with Progress("Teacher", len(rows), "rows", "building its graph") as progress:
        return kept.filled(lambda done, total: progress.update(done), say,
                           job(weights=kept.description["teacher"], **reads))


def _job(workers, beam_flags, **facts):
    """Return what writes the files of a teacher's outputs; None for this process."""
    if workers == 1 and not beam_flags:
        return None
    try:
        from mobilebert_tf.training.task.teacher_job import TeacherJob
    except ImportError as error:
        raise InputError("computing the teacher's outputs in several processes needs apache-beam: "
                         "install the extra `batch`") from error
    return TeacherJob(workers=workers, beam_flags=beam_flags, **facts).write


def _asked(examples, student, chosen, teacher, taught_by, rows):
    """Return what tells a run from others, besides stages and settings, as JSON values."""
    models = {str(path): sha256(path) for path in (
        () if presets.is_config(student) else model_directory.files(student))}
    return {"task": examples.task.name, "columns": examples.task.columns,
            "files": list(map(str, examples.files)),
            "unlabelled": examples.unlabelled and {
                "files": list(map(str, examples.unlabelled_files)),
                "examples": len(examples.unlabelled)},
            **dict(zip(("preset", "checkpoint"), (str(student), None) if presets.is_config(student)
                       else (None, str(student)), strict=True)),
            "taken_over": chosen,
            "teacher": str(teacher), "teacher_weights": fingerprint(taught_by.model),
            "rows": rows.fingerprint(), "sha256": {**examples.digests(), **models}}


def _write_record(directory, asked, contents, stages, settings, result):
    write_atomically(directory / _RUN, json.dumps({
        **asked, "length": contents.length, "stages": stage_files.to_json(stages),
        "settings": dataclasses.asdict(settings),
        "config": contents.model.config.to_dict(),
        "result": {"metric": result.metric, "scores": result.scores, "best": result.best,
                   "scorings": result.scorings},
        "seconds": round(result.seconds),
        "versions": {name: metadata.version(name)
                     for name in ("mobilebert-tf", "tensorflow", "tf-keras")},
    }, indent=2).encode() + b"\n")
