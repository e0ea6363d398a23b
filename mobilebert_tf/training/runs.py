"""Whole runs, from the names that a user gives to a model directory."""

import dataclasses
import itertools
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf import kinds, model_directory, presets
from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.masking import Masking
from mobilebert_tf.errors import InputError
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.resuming import checkpoints
from mobilebert_tf.training import curves, stage_files
from mobilebert_tf.training.components import components
from mobilebert_tf.training.corpus_source import CorpusSource
from mobilebert_tf.training.devices import is_chief, needs_static_shapes
from mobilebert_tf.training.distillation_plan import DistillationPlan
from mobilebert_tf.training.fingerprint import fingerprint
from mobilebert_tf.training.loading import load, load_teacher
from mobilebert_tf.training.loop import Run
from mobilebert_tf.training.objectives import OBJECTIVES
from mobilebert_tf.training.preparation import prepared
from mobilebert_tf.training.pretraining_plan import PretrainingPlan
from mobilebert_tf.training.recipes.recipe_plan import RecipePlan
from mobilebert_tf.training.settings import TrainingSettings
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.starting import check_start_blocks, start, taken_over

Corpora = str | os.PathLike | Sequence[str | os.PathLike] | CorpusDirectory
# How much of the training texts is read to start a student's embedding.
_START_BATCHES, _START_BATCH_SIZE = 8, 128
_MODEL = "model"  # in the directory of a run


@dataclasses.dataclass(frozen=True)
class TrainingResult:
    """What a run wrote.

    Args:
      model: model directory with the trained weights.
      curves: PNG of the losses over the tokens seen.
      last: the last line of metrics.jsonl.
      validation: its lines with the means over the validation split, one for each stage.
    """

    model: Path
    curves: Path
    last: dict
    validation: list[dict]


def pretrain(model: str, directory: str | os.PathLike, *, corpus: Corpora,
             plan: PretrainingPlan | None = None, settings: TrainingSettings | None = None,
             strategy: tf.distribute.Strategy | None = None,
             say: Callable[[str], None] = print) -> TrainingResult | None:
    """Pre-train a model on a corpus: masked LM and next sentence.

    The same call again continues a run that was stopped.

    Args:
      model: a preset or a JSON file with an `EncoderConfig`, for random weights; or a model or
        Hugging Face directory to start from.
      directory: receives `model/`, `checkpoints/`, `logs/`, metrics.jsonl, stages.json, curves.png.
      corpus: a directory that `mobilebert corpus` made, or several that are mixed.
      plan: see `PretrainingPlan`.
      settings: see `TrainingSettings`.
      strategy: of tf.distribute, instead of `settings.devices`.
      say: takes each line about what is being done.
    Returns:
      What the run wrote; None in those workers that do not write.
    Raises:
      InputError: see `loading.load` and `loop.Run`; for a directory with a model that is not of an
        unfinished run; and for `plan.next_sentence` with a corpus of single sentences.
    """
    plan, settings = plan or PretrainingPlan(), settings or TrainingSettings()
    directory = _checked_directory(directory)
    corpus = _opened(corpus)
    _check_pairs(plan.losses, corpus, "set next_sentence to False")
    with prepared(settings, strategy) as strategy:
        with strategy.scope():
            student = load(model, corpus, _heads(plan.losses))
        say(f"{student.count_params():,} parameters, {student.encoder.count_params():,} of them in "
            "the encoder")
        if plan.next_sentence and "nsp" not in components(student):
            say(f"{model} has no next-sentence head: masked words alone are learned")
        return _trained(student, None, plan.stages(tuple(components(student))), corpus, directory,
                        settings, strategy, {"start": _start(model, student)})


def distill(student: str, directory: str | os.PathLike, *, teacher: str, corpus: Corpora,
            plan: DistillationPlan | RecipePlan | None = None,
            stages: str | os.PathLike | Sequence[Stage] | None = None,
            blocks: Sequence[int] | None = None, start_blocks: Sequence[int] | None = None,
            teacher_pooler: str | None = None, student_pooler: str | None = None,
            settings: TrainingSettings | None = None,
            strategy: tf.distribute.Strategy | None = None,
            say: Callable[[str], None] = print) -> TrainingResult | None:
    """Distil a student from a teacher on plain text, by a strategy, a recipe or stages.

    The same call again continues a run that was stopped.

    Args:
      student: a preset or a JSON file with an `EncoderConfig`, to start as the plan says, by
        default from random blocks and the teacher's embedding and heads; or a model or Hugging
        Face directory, to start from its weights.
      directory: as for `pretrain`.
      teacher: a model or Hugging Face directory.
      corpus: as for `pretrain`.
      plan: see `DistillationPlan` and `RecipePlan`. With a corpus of single sentences it goes
        without `next_sentence`.
      stages: stages to train instead of the plan's, or a JSON file of them; every run writes its
        own as stages.json.
      blocks: for each block of the student that the plan compares, the teacher's block that it
        learns from, counted from 0, instead of the plan's. MobileBERT's plan compares all, and
        needs it if the numbers of blocks differ. `stages` name their own.
      start_blocks: for each block of a preset's student the teacher's block whose weights it starts
        from, instead of the plan's; empty for none.
      teacher_pooler, student_pooler: replace the models' own; see `EncoderConfig.pooler`.
      settings, strategy, say: as for `pretrain`.
    Returns:
      As `pretrain`.
    Raises:
      InputError: see `loading.load`, `loading.load_teacher`, `starting.start`,
        `stage_files.from_arguments` and `loop.Run`; for a directory with a model that is not of an
        unfinished run; for `blocks` that do not fit the student; and for `stages` with
        `next_sentence` and a corpus of single sentences.
    """
    plan, settings = plan or DistillationPlan(), settings or TrainingSettings()
    directory = _checked_directory(directory)
    corpus = _opened(corpus)
    check_start_blocks(student, start_blocks)
    stages = stage_files.from_arguments(stages, blocks)
    if stages is None:
        losses = _that_fit(plan.losses, corpus)
    else:
        losses = {name: weight for stage in stages for name, weight in stage.active_losses.items()}
        _check_pairs(losses, corpus, "leave it out of the stages")
    with prepared(settings, strategy) as strategy:
        with strategy.scope():
            taught_by = load_teacher(teacher, corpus, teacher_pooler)
            keras.utils.set_random_seed(settings.seed)
            trained = load(student, corpus, _heads(losses), student_pooler)
            origin = {"start": _start(student, trained), "teacher_weights": fingerprint(taught_by)}
            if presets.is_config(student):
                origin["taken_over"] = taken_over(trained, taught_by, plan, start_blocks)
                for line in start(trained, taught_by, plan,
                                  lambda: _texts_to_start_from(corpus, settings.seed),
                                  start_blocks):
                    say(line)
        say(f"teacher: {taught_by.encoder.count_params():,} parameters, student: "
            f"{trained.encoder.count_params():,}, without heads")
        if stages is None:
            stages = plan.stages_for(
                tuple(components(trained)), trained.config.num_blocks, taught_by.config.num_blocks,
                corpus.count("train"), blocks)
            stages = [dataclasses.replace(stage, losses=_that_fit(stage.losses, corpus))
                      for stage in stages]
        return _trained(trained, taught_by, stages, corpus, directory, settings, strategy, origin)


def _checked_directory(directory):
    """Return the path; raise InputError if a model lies there whose run cannot be continued.

    The run of a task keeps its model in the directory itself. Its records have the same names as
    those of a run over a corpus, which would replace them.
    """
    directory = Path(directory)
    is_begun = checkpoints.exist(directory / checkpoints.DIRECTORY)
    model_directory.check_unfinished(directory / _MODEL, is_begun)
    if model_directory.is_model_directory(directory):
        model_directory.check_unfinished(directory, is_begun)
    return directory


def _opened(corpus):
    if isinstance(corpus, CorpusDirectory):
        return corpus
    return CorpusDirectory.load_all([corpus] if isinstance(corpus, str | os.PathLike) else corpus)


def _that_fit(losses, corpus):
    """Return the losses without those over pairs if a corpus has single sentences alone.

    Single sentences have no labels for them, and the optimizer's weight decay would shrink the
    head.
    """
    return {name: weight for name, weight in losses.items()
            if OBJECTIVES[name].over != "pairs" or corpus.examples != "sentences"}


def _check_pairs(losses, corpus, remedy):
    """Raise InputError if losses ask for what `_that_fit` leaves out."""
    fitting = _that_fit(losses, corpus)
    for name, weight in losses.items():
        if weight and name not in fitting:
            raise InputError(f"{corpus.directory} has single sentences, which have no labels for "
                             f"{name}; {remedy}, or make a corpus of pairs")


def _heads(losses):
    """Return which heads a student needs for these losses."""
    outputs = {OBJECTIVES[name].output for name, weight in losses.items() if weight}
    return tuple(dict.fromkeys(head for output, head in (
        ("mlm_logits", "mlm"), ("logit_factors", "mlm"), ("nsp_logits", "nsp"))
        if output in outputs))


def _texts_to_start_from(corpus, seed):
    batches = CorpusBatches(corpus, "train", min(_START_BATCH_SIZE, corpus.count("train")),
                            Masking(0.0), seed)
    return list(itertools.islice(batches.dataset().as_numpy_iterator(), _START_BATCHES))


def _start(name, model):
    """Return what tells the weights that a model was loaded with; None for random ones."""
    return None if presets.is_config(name) else fingerprint(model)


def _trained(student, teacher, stages, corpus, directory, settings, strategy, origin):
    """Train the student; write the model and the curves."""
    stages = tuple(stage.in_steps(max(corpus.count("train") // stage.batch_size, 1))
                   for stage in stages)
    source = CorpusSource(corpus, static_shapes=needs_static_shapes(strategy))
    Run(student=student, teacher=teacher, stages=stages, source=source, directory=directory,
        settings=settings, strategy=strategy, origin=origin).train()
    if not is_chief(strategy):
        return None
    model_directory.save(directory / _MODEL, ModelDirectory(
        student, corpus.vocabulary(), kinds.of(student), corpus.lower_case))
    lines = curves.read(directory / "metrics.jsonl")
    curves.draw(lines, directory / "curves.png")
    return TrainingResult(directory / _MODEL, directory / "curves.png", lines[-1],
                          [line for line in lines if line["split"] == "validation"])
