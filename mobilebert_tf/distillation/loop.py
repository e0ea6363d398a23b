"""The training loop: pre-training and every strategy of knowledge transfer are its stages."""

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path

import tensorflow as tf

from mobilebert_tf.data.corpus_batches import CorpusBatches
from mobilebert_tf.data.corpus_directory import CorpusDirectory
from mobilebert_tf.data.masking import Masking
from mobilebert_tf.distillation import stages as stage_files
from mobilebert_tf.distillation.checkpoints import Position, RunCheckpoints
from mobilebert_tf.distillation.random_state import dropout_generators
from mobilebert_tf.distillation.reporting import Reporting
from mobilebert_tf.distillation.stages import Stage
from mobilebert_tf.distillation.training_step import TrainingStep
from mobilebert_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class Settings:
    """How a run goes, whatever its stages.

    Args:
      seed: of the order of the data and of masks; that of weights is the caller's.
      accumulation: parts of a device's batch that are computed one after another.
      clip_norm: what the gradients' global norm is clipped to.
      log_every: steps between lines of metrics.jsonl.
      checkpoint_every: steps between checkpoints.
      keep: checkpoints that stay.
      validation_steps: batches of the validation split at the end of each stage; 0 for none.
    """

    seed: int = 1
    accumulation: int = 1
    clip_norm: float = 1.0
    log_every: int = 20
    checkpoint_every: int = 200
    keep: int = 3
    validation_steps: int = 20


def train(*, student, teacher, stages: Sequence[Stage], corpus: CorpusDirectory,
          directory: str | os.PathLike, settings: Settings,
          strategy: tf.distribute.Strategy | None = None) -> None:
    """Runs stages one after another; continues where an earlier call with the same arguments ended.

    Args:
      student: `Encoder` or `Pretrainer`, built within the strategy's scope after
        `make_dropout_restorable`. Has the trained weights afterwards.
      teacher: the same, or None where no stage needs one. Never changes.
      stages: what is trained, in order.
      corpus: what it is trained on.
      directory: receives `checkpoints/`, `logs/` for TensorBoard, `metrics.jsonl` and
        `stages.json`. Workers of one run share it.
      settings: see `Settings`.
      strategy: of tf.distribute; None for one device.
    Raises:
      InputError: for stages that do not fit the models, a directory of another run, a corpus that
        cannot be read, or a loss that is no longer finite.
    """
    strategy = strategy or tf.distribute.get_strategy()
    is_chief = _is_chief(strategy)
    directory = Path(directory)
    reporting = Reporting(directory, stages, settings.log_every, is_chief)
    checkpoints = RunCheckpoints(directory / "checkpoints",
                                 _description(student, teacher, stages, corpus, settings),
                                 settings.keep, is_chief)
    steps = {}

    def step_of(index):
        if index not in steps:
            steps.clear()  # a stage's optimizers are of no use to the next
            steps[index] = TrainingStep(stages[index], student, teacher, strategy,
                                        settings.clip_norm, settings.accumulation)
        return steps[index]

    def state_at(position):
        state = {"model": student, "dropout": dropout_generators(student)}
        if position.step:
            state["optimizers"] = step_of(position.stage).optimizers
        return tf.train.Checkpoint(**state)

    position = checkpoints.restore(state_at, reporting.say) or Position(0, 0)
    reporting.start(position)
    stage_files.save(directory / "stages.json", tuple(stages))
    with reporting:
        while position.stage < len(stages):
            stage = stages[position.stage]
            batches = CorpusBatches(
                corpus, "train", stage.batch_size, Masking(stage.masking_rate,
                                                           whole_word=stage.whole_word),
                settings.seed + position.stage)
            training_step = step_of(position.stage)
            for done in _steps(training_step, stage, batches, position, strategy, reporting):
                if done.step % settings.checkpoint_every == 0 and done.step < stage.steps:
                    checkpoints.save(done, state_at(done))
            if settings.validation_steps:
                reporting.validated(position.stage, _validate(
                    training_step, stage, corpus, settings, strategy))
            position = Position(position.stage + 1, 0)
            checkpoints.save(position, state_at(position))


def _steps(training_step, stage, batches, position, strategy, reporting):
    """Runs the rest of a stage's steps; yields the position after each."""
    dataset = _distributed(strategy, batches, position.step)
    function = training_step.function(dataset.element_spec)
    step = position.step
    iterator = iter(dataset)
    with batches.reading_errors():
        while step < stage.steps:
            try:
                scalars = function(next(iterator))
            except tf.errors.InvalidArgumentError as error:
                if "finite" not in str(error.message):
                    raise
                raise InputError(
                    f"stage {stage.name!r}, step {step + 1}: the loss or a gradient is not finite; "
                    "the last checkpoint was kept; lower the learning rate or lengthen the "
                    "warm-up") from error
            step += 1
            reporting.stepped(Position(position.stage, step), scalars)
            yield Position(position.stage, step)


def _validate(training_step, stage, corpus, settings, strategy):
    """The mean of each scalar over batches of the validation split, weighted by tokens."""
    batches = CorpusBatches(corpus, "validation", min(
        stage.batch_size, _divisible(corpus.count("validation"), strategy)),
        Masking(stage.masking_rate, whole_word=stage.whole_word), settings.seed)
    dataset = _distributed(strategy, batches, 0)
    function = training_step.measuring_function(dataset.element_spec)
    sums, tokens = {}, 0.0
    iterator = iter(dataset)
    with batches.reading_errors():
        for _ in range(min(settings.validation_steps, batches.steps_per_epoch)):
            scalars = {name: float(value) for name, value in function(next(iterator)).items()}
            count = scalars.pop("tokens")
            tokens += count
            for name, value in scalars.items():
                sums[name] = sums.get(name, 0.0) + count * value
    return {name: value / tokens for name, value in sums.items()}


def _divisible(count, strategy):
    return count // strategy.num_replicas_in_sync * strategy.num_replicas_in_sync


def _distributed(strategy, batches, first_step):
    """The batches from a step on, each device's rows of each on that device."""
    replicas = strategy.num_replicas_in_sync

    def build(context):
        local = replicas // context.num_input_pipelines
        parts = [batches.dataset(first_step, context.input_pipeline_id * local + index, replicas)
                 for index in range(local)]
        if local == 1:
            return parts[0]
        return tf.data.Dataset.choose_from_datasets(parts, tf.data.Dataset.range(local).repeat())

    return strategy.distribute_datasets_from_function(build)


def _is_chief(strategy):
    resolver = strategy.cluster_resolver
    if resolver is None or resolver.task_type is None:
        return True
    return resolver.task_type == "chief" or (
        resolver.task_type == "worker" and resolver.task_id == 0
        and "chief" not in resolver.cluster_spec().as_dict())


def _description(student, teacher, stages, corpus, settings):
    """What makes a run this run: nothing else changes its weights."""
    return {
        "student": student.config.to_dict(),
        "teacher": teacher.config.to_dict() if teacher is not None else None,
        "stages": stage_files.to_json(tuple(stages)),
        "corpus": {"settings": corpus.settings, "counters": corpus.counters},
        "seed": settings.seed, "clip_norm": settings.clip_norm,
    }
