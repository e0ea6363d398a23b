"""The training loop: pre-training and every strategy of knowledge transfer are its stages."""

import contextlib
import math
import os
from collections.abc import Sequence
from pathlib import Path

import tensorflow as tf

from mobilebert_tf.errors import InputError
from mobilebert_tf.files import remove_unfinished
from mobilebert_tf.resuming.checkpoints import DIRECTORY, RunCheckpoints
from mobilebert_tf.resuming.position import Position
from mobilebert_tf.resuming.random_state import dropout_generators
from mobilebert_tf.resuming.stopping import Stopped, stop_signals
from mobilebert_tf.training import compatibility, devices, metrics_line, stage_files
from mobilebert_tf.training.measured import Measured
from mobilebert_tf.training.projections import Projections
from mobilebert_tf.training.reporting import Reporting
from mobilebert_tf.training.scoring import Scoring
from mobilebert_tf.training.settings import TrainingSettings
from mobilebert_tf.training.source import Source
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.step import TrainingStep


class Run:
    """Trains stages one after another; continues where an earlier run in the directory ended.

    Args:
      student: `Encoder`, `Pretrainer` or model of a task, built under the strategy after
        `make_dropout_restorable`. Its weights are trained in place.
      teacher: the same, or None if no stage needs one. Its weights do not change.
      stages: what is trained, in order.
      source: what it is trained on.
      directory: receives `checkpoints/`, `logs/` for TensorBoard, `metrics.jsonl` and
        `stages.json`. Workers of one run share it.
      settings: see `TrainingSettings`; here `devices`, `precision` and `deterministic` have no
        effect.
      strategy: of tf.distribute; None for one device.
      origin: JSON values that identify the weights that the models start with. A run with others
        cannot continue in this directory.
      scoring: scores the student after each epoch of a stage that learns what a task asks for, and
        at the end, and keeps the best one; None for a source without scores.
    Raises:
      InputError: for stages that do not fit the models, the source or the devices.
    """

    def __init__(self, *, student, teacher, stages: Sequence[Stage], source: Source,
                 directory: str | os.PathLike, settings: TrainingSettings,
                 strategy: tf.distribute.Strategy | None = None,
                 origin: dict | None = None, scoring: Scoring | None = None):
        self._strategy = strategy or tf.distribute.get_strategy()
        for stage in stages:
            compatibility.check_models(stage, student, teacher)
            compatibility.check_batch_size(stage, self._strategy.num_replicas_in_sync,
                                           settings.accumulation)
            compatibility.check_source(stage, source)
        self._student, self._teacher = student, teacher
        self._stages, self._source = tuple(stages), source
        self._directory, self._settings = Path(directory), settings
        self._scoring = scoring
        with self._strategy.scope():
            self._projections = Projections(self._stages, student, teacher, settings.seed)
        self._is_chief = devices.is_chief(self._strategy)
        self._reporting = Reporting(directory, stages, settings.log_every, self._is_chief)
        # What decides which weights the run ends with. How batches are cut, over devices and into
        # parts, may change: it changes rounding, and which units dropout drops.
        identity = {
            "student": student.config.to_dict(),
            "teacher": teacher.config.to_dict() if teacher is not None else None,
            "stages": stage_files.to_json(self._stages), **source.description, **(origin or {}),
            "seed": settings.seed, "clip_norm": settings.clip_norm,
            "precision": settings.precision}
        self._checkpoints = RunCheckpoints(self._directory / DIRECTORY, identity,
                                           settings.keep, self._is_chief)
        self._built = (None, None)  # (index of a stage, its step)

    def train(self) -> None:
        """Train all stages, or what is left of them.

        Raises:
          InputError: for a directory of another run or one that another process trains in, a source
            that cannot be read, a full disk, a loss that is not finite, or a lost worker.
          Stopped: after SIGINT or SIGTERM, when a checkpoint is written.
        """
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._checkpoints.opened())
            remove_unfinished(self._directory)
            position = self._checkpoints.restore(self._state, self._reporting.say)
            position = position or Position(0, 0)
            devices.check_agreement(self._strategy, position)
            self._reporting.start(position)
            self._keep_best(position)
            if self._is_chief:
                stage_files.save(self._directory / "stages.json", self._stages)
            stop = devices.agreed(self._strategy, stack.enter_context(stop_signals()))
            stack.enter_context(self._reporting)
            stack.enter_context(devices.worker_errors(self._strategy))
            while position.stage < len(self._stages):
                self._train_stage(position, stop)
                self._validate(position.stage)
                position = Position(position.stage + 1, 0)
                self._save(position, stop)

    def _train_stage(self, position, stop):
        """Train a stage from a position to its end, with checkpoints before the end."""
        index, stage = position.stage, self._stages[position.stage]
        batches = self._source.batches("train", stage, stage.batch_size,
                                       self._settings.seed + index)
        dataset = devices.distributed(self._strategy, batches, position.step)
        update = self._step(index).function(dataset.element_spec)
        self._reporting.building(index, "building the graph of the first step (once a stage)")
        iterator, steps_per_epoch = iter(dataset), batches.steps_per_epoch
        with batches.reading_errors():
            for step in range(position.step + 1, stage.steps + 1):
                position = Position(index, step)
                try:
                    scalars = update(next(iterator))
                except tf.errors.InvalidArgumentError as error:
                    if "finite" not in str(error.message):
                        raise
                    raise self._not_finite(position) from error
                self._step(index).averages.update()
                self._reporting.stepped(position, scalars)
                is_last = step == stage.steps
                is_scored = self._is_scored(position, steps_per_epoch)
                if is_last or is_scored or stop() or step % self._settings.checkpoint_every == 0:
                    # XLA drops the assertions of a step; weights that are lost are not saved.
                    if not all(math.isfinite(scalars[name]) for name in ("loss", "gradient_norm")):
                        raise self._not_finite(position)
                    if is_scored:
                        self._score(position)
                    if not is_last:
                        self._save(position, stop)
        self._step(index).averages.replace()

    def _is_scored(self, position, steps_per_epoch):
        stage, is_last = self._stages[position.stage], position.stage == len(self._stages) - 1
        return self._scoring is not None and (
            stage.has_labels and position.step % steps_per_epoch == 0
            or position.step == stage.steps and (stage.has_labels or is_last))

    def _score(self, position):
        """Write the dev scores of the student, with its averaged weights if there are some."""
        self._reporting.flush(position)
        self._reporting.building(position.stage, "dev set")
        with self._step(position.stage).averages.in_place():
            scores = self._scoring.scores()
        if scores is None:
            raise self._not_finite(position)
        self._reporting.scored(position, scores)

    def _keep_best(self, position):
        """Write the student if the checkpoint of this position is of the best scores so far.

        The checkpoint comes first: a process that is killed between the two writes the student
        when it continues.
        """
        lines = self._reporting.scores
        if not (lines and self._is_chief):
            return
        last = Position(lines[-1]["stage_index"], lines[-1]["step"])
        is_end = last.step == self._stages[last.stage].steps
        scored = Position(last.stage + 1, 0) if is_end else last
        best = max(lines, key=lambda line: line[self._scoring.metric])  # the first of equal ones
        if best is not lines[-1] or position != scored:
            return
        # At the end of a stage the averages have replaced the weights.
        with (self._step(position.stage).averages.in_place() if position.step
              else contextlib.nullcontext()):
            self._scoring.keep(metrics_line.scores(best))

    def _validate(self, index):
        """Report the means over the validation split."""
        replicas = self._strategy.num_replicas_in_sync
        examples = self._source.count("validation") // replicas * replicas
        if not examples or not self._settings.validation_steps:
            return
        stage = self._stages[index]
        self._reporting.building(index, "validation")
        # Parts of a training batch: a whole one may not fit into the memory.
        parts = self._settings.accumulation
        batches = self._source.batches(
            "validation", stage, min(stage.batch_size // parts, examples), self._settings.seed)
        dataset = devices.distributed(self._strategy, batches, 0)
        measure = self._step(index).measuring_function(dataset.element_spec)
        measured, iterator = Measured(stage.active_losses), iter(dataset)
        with batches.reading_errors():
            for _ in range(min(self._settings.validation_steps * parts, batches.steps_per_epoch)):
                measured.add(measure(next(iterator)))
        self._reporting.validated(index, measured.means())

    def _step(self, index):
        """Return the step of a stage. Its optimizers are kept until another stage needs a step."""
        if self._built[0] != index:
            self._built = (index, TrainingStep(
                self._stages[index], self._student, self._teacher, self._strategy,
                self._settings.clip_norm, self._settings.accumulation,
                self._source.teacher_output_names(self._stages[index]), self._projections))
        return self._built[1]

    def _state(self, position):
        """Return what a checkpoint of a position holds. A stage starts with new optimizers."""
        state = {"model": self._student, "dropout": dropout_generators(self._student)}
        if self._projections.layers:
            state["projections"] = self._projections
        if position.step:
            state["optimizers"] = self._step(position.stage).optimizers
            if self._stages[position.stage].ema_momentum:
                state["averages"] = self._step(position.stage).averages.state
        else:
            self._built = (None, None)
        return tf.train.Checkpoint(**state)

    def _save(self, position, stop):
        """Write a checkpoint and what it will not know of; end the run if a signal asked for it."""
        self._reporting.flush(position)
        self._checkpoints.save(position, self._state(position))
        self._keep_best(position)
        # After the last stage only the model is left to be written, which takes seconds.
        if stop() and position.stage < len(self._stages):
            self._reporting.say(
                f"stopped at stage {position.stage + 1} of {len(self._stages)}, step "
                f"{position.step:,}; run it again with the same arguments to continue")
            raise Stopped(stop())

    def _not_finite(self, position):
        newest = self._checkpoints.newest()
        kept = f"{newest} is kept" if newest else "there is no checkpoint yet"
        return InputError(
            f"stage {self._stages[position.stage].name!r}, step {position.step}: the loss or a "
            f"gradient is not finite ({kept}); start again in another directory with a lower "
            "learning rate or a longer warm-up")
