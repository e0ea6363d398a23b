"""The training loop: pre-training and every strategy of knowledge transfer are its stages."""

import contextlib
import dataclasses
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import tensorflow as tf

from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.masking import Masking
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import remove_unfinished
from mobilebert_tf.reasons import reason
from mobilebert_tf.resuming.checkpoints import Position, RunCheckpoints
from mobilebert_tf.resuming.random_state import dropout_generators
from mobilebert_tf.training import stages as stage_files
from mobilebert_tf.training.reporting import Reporting
from mobilebert_tf.training.stages import Stage
from mobilebert_tf.training.step import TrainingStep, check
from mobilebert_tf.training.stopping import Stopped, stop_signals


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
      InputError: for stages that do not fit the models, the corpus or the devices, a directory of
        another run or one that is written to, a corpus that cannot be read, a full disk, a loss
        that is no longer finite, or a worker that is gone.
      Stopped: after SIGINT or SIGTERM, when a checkpoint is written.
    """
    strategy = strategy or tf.distribute.get_strategy()
    for stage in stages:
        check(stage, student, teacher)
        _check_batch(stage, corpus, strategy, settings)
    reports = is_chief(strategy)
    directory = Path(directory)
    reporting = Reporting(directory, stages, settings.log_every, reports)
    checkpoints = RunCheckpoints(directory / "checkpoints",
                                 _description(student, teacher, stages, corpus, settings),
                                 settings.keep, reports)
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
        else:
            steps.clear()  # a stage starts with moments of zero
        return tf.train.Checkpoint(**state)

    def save(position):
        checkpoints.save(position, state_at(position))
        if stop():
            reporting.say(f"stopped at stage {position.stage + 1} of {len(stages)}, step "
                          f"{position.step:,}; the same command continues there")
            raise Stopped(stop())

    with contextlib.ExitStack() as stack:
        stack.enter_context(checkpoints.opened())
        remove_unfinished(directory)
        position = checkpoints.restore(state_at, reporting.say) or Position(0, 0)
        _check_agreement(strategy, position)
        reporting.start(position)
        if reports:
            stage_files.save(directory / "stages.json", tuple(stages))
        stop = stack.enter_context(stop_signals())
        stack.enter_context(reporting)
        stack.enter_context(_worker_errors(strategy))
        while position.stage < len(stages):
            stage = stages[position.stage]
            batches = _batches(corpus, "train", stage, stage.batch_size,
                               settings.seed + position.stage)
            training_step = step_of(position.stage)
            for done in _steps(training_step, stage, batches, position, strategy, reporting,
                               checkpoints):
                if done.step < stage.steps and (
                        stop() or done.step % settings.checkpoint_every == 0):
                    reporting.flush(done)
                    save(done)
            if settings.validation_steps and _divisible(corpus.count("validation"), strategy):
                reporting.building(position.stage, "validation")
                reporting.validated(position.stage, _validate(
                    training_step, stage, corpus, settings, strategy))
            position = Position(position.stage + 1, 0)
            save(position)


def _steps(training_step, stage, batches, position, strategy, reporting, checkpoints):
    """Runs the rest of a stage's steps; yields the position after each."""
    dataset = _distributed(strategy, batches, position.step)
    function = training_step.function(dataset.element_spec)
    step = position.step
    iterator = iter(dataset)
    reporting.building(position.stage, "building the graph of the first step (once a stage)")
    with batches.reading_errors():
        while step < stage.steps:
            try:
                scalars = function(next(iterator))
            except tf.errors.InvalidArgumentError as error:
                if "finite" not in str(error.message):
                    raise
                newest = checkpoints.newest()
                kept = f"{newest} is kept" if newest else "there is no checkpoint yet"
                raise InputError(
                    f"stage {stage.name!r}, step {step + 1}: the loss or a gradient is not finite "
                    f"({kept}); start again in another directory with a lower learning rate or a "
                    "longer warm-up") from error
            step += 1
            reporting.stepped(Position(position.stage, step), scalars)
            yield Position(position.stage, step)


def _validate(training_step, stage, corpus, settings, strategy):
    """The mean of each scalar over batches of the validation split, weighted by tokens."""
    size = min(stage.batch_size, _divisible(corpus.count("validation"), strategy))
    batches = _batches(corpus, "validation", stage, size, settings.seed)
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


def _batches(corpus, split, stage, batch_size, seed):
    return CorpusBatches(corpus, split, batch_size,
                         Masking(stage.masking_rate, whole_word=stage.whole_word), seed,
                         stage.replacement_rate)


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


def is_chief(strategy: tf.distribute.Strategy) -> bool:
    """Whether this process is the one of a run's that reports and writes."""
    if not _has_workers(strategy):
        return True
    resolver = strategy.cluster_resolver
    return resolver.task_type == "chief" or (
        resolver.task_type == "worker" and resolver.task_id == 0
        and "chief" not in resolver.cluster_spec().as_dict())


def _has_workers(strategy):
    """Whether other processes run the same code; a TPU's resolver names a task too, but is none."""
    return isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy) and (
        strategy.cluster_resolver is not None
        and strategy.cluster_resolver.task_type is not None)


def _check_batch(stage, corpus, strategy, settings):
    parts = strategy.num_replicas_in_sync * settings.accumulation
    if stage.batch_size % parts:
        raise InputError(f"stage {stage.name!r} has batches of {stage.batch_size}, which "
                         f"{strategy.num_replicas_in_sync} devices in {settings.accumulation} "
                         "parts each cannot share equally")
    if corpus.count("train") < stage.batch_size:
        raise InputError(f"stage {stage.name!r} has batches of {stage.batch_size:,}, and train of "
                         f"{corpus.directory} has {corpus.count('train'):,} examples")


def _check_agreement(strategy, position):
    """That all workers found the same checkpoint: those with disks of their own do not."""
    if not _has_workers(strategy):
        return
    found = strategy.gather(strategy.run(
        lambda: tf.constant([[position.stage, position.step]])), axis=0).numpy()
    if (found != found[0]).any():
        raise InputError("the workers found different checkpoints, at the stages and steps "
                         f"{found.tolist()}; they need one directory that all of them see")


@contextlib.contextmanager
def _worker_errors(strategy) -> Iterator[None]:
    """What happens to the others when a worker is gone, as one sentence."""
    try:
        yield
    except (tf.errors.UnavailableError, tf.errors.AbortedError, tf.errors.CancelledError,
            tf.errors.DeadlineExceededError, tf.errors.InternalError) as error:
        if not _has_workers(strategy):
            raise
        raise InputError(f"a worker is gone ({reason(error)}); run the same commands again on all "
                         "of them to continue from the last checkpoint") from error


def _description(student, teacher, stages, corpus, settings):
    """What makes a run this run: nothing else changes its weights."""
    return {
        "student": student.config.to_dict(),
        "teacher": teacher.config.to_dict() if teacher is not None else None,
        "stages": stage_files.to_json(tuple(stages)),
        "corpus": {"settings": corpus.settings, "counters": corpus.counters},
        "seed": settings.seed, "clip_norm": settings.clip_norm,
    }
