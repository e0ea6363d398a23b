"""TrainingStep: one update of a stage."""

from collections.abc import Collection

import tensorflow as tf

from mobilebert_tf import kinds
from mobilebert_tf.optimization import build
from mobilebert_tf.optimization.averages import Averages
from mobilebert_tf.optimization.schedule import WarmupLinearDecay
from mobilebert_tf.training import batch_entries, stage_losses
from mobilebert_tf.training.accumulation import accumulated
from mobilebert_tf.training.compatibility import check_batch_size, check_models
from mobilebert_tf.training.components import components
from mobilebert_tf.training.devices import on_each_device, sum_over_devices
from mobilebert_tf.training.measured import COUNT
from mobilebert_tf.training.partial_model import partial_model
from mobilebert_tf.training.projections import Projections
from mobilebert_tf.training.stage import Stage

_OPTIMIZERS = {"adamw": build.adamw, "lamb": build.lamb}


class TrainingStep:
    """What a stage computes: student and teacher as far as it needs them, losses, updates.

    Losses and gradients are those of the whole batch, however it is cut: over the devices of a
    strategy, and into `accumulation` parts one after another on each device.

    Args:
      stage: what is trained, and by which losses.
      student: an `Encoder`, a `Pretrainer` or a model of a task.
      teacher: the same; None if the stage has no loss that needs a teacher.
      strategy: the strategy that student and teacher were built under; None for one device.
      clip_norm: the gradients are clipped to this global norm.
      accumulation: parts that each device computes one after another.
      given: outputs of the teacher that the batches hold; they are not computed.
      projections: of the run; the stage trains those that it uses at the peak of its rate. None for
        a stage without a loss that projects.
    Attributes:
      optimizers: one for each learning rate of the stage; with `averages` all that a step
        remembers.
      averages: of the trained variables; of none without `ema_momentum`.
    Raises:
      InputError: when the stage needs what a model does not have, compares outputs of different
        sizes, trains only what no loss of it depends on, or has a batch that cannot be cut into
        equal parts.
    """

    def __init__(self, stage: Stage, student, teacher,
                 strategy: tf.distribute.Strategy | None = None, clip_norm: float = 1.0,
                 accumulation: int = 1, given: Collection[str] = (),
                 projections: Projections | None = None):
        strategy = strategy or tf.distribute.get_strategy()
        check_models(stage, student, teacher)
        check_batch_size(stage, strategy.num_replicas_in_sync, accumulation)
        self._stage = stage.with_relation_heads(student.config.num_heads)
        self._strategy = strategy
        self._clip_norm = clip_norm
        self._accumulation = accumulation
        self._kind = kinds.of(student)
        student_reads, teacher_reads = stage_losses.outputs(stage)
        teacher_reads = tuple(name for name in teacher_reads if name not in given)
        student_blocks, teacher_blocks = stage.num_blocks
        student_projected, teacher_projected = stage.compared_blocks
        self._projections = projections
        groups = _groups(stage, student)
        own = [] if projections is None else projections.variables_of(stage)
        if own:
            groups.setdefault(1.0, []).extend(own)
        with strategy.scope():
            self._student = partial_model(
                student, student_reads, student_blocks, student_projected)
            self._teacher = partial_model(
                teacher, teacher_reads, teacher_blocks, teacher_projected
            ) if teacher_reads else None
            self.optimizers = [_OPTIMIZERS[stage.optimizer](
                variables, WarmupLinearDecay(stage.learning_rate * rate, stage.steps,
                                             stage.warmup_steps, stage.end_rate), clip_norm=None)
                for rate, variables in groups.items()]
        # (variable, its optimizer) of all trained variables.
        self._trained = [(variable, optimizer) for optimizer, variables in zip(
            self.optimizers, groups.values(), strict=True) for variable in variables]
        with strategy.scope():
            self.averages = Averages([variable for variable, _ in self._trained]
                                     if stage.ema_momentum else (), stage.ema_momentum)

    def function(self, batch_spec):
        """Return a tf.function that takes a batch, updates the student and returns scalars.

        The scalars are every loss by its name, `loss`, `gradient_norm` (before clipping) and
        `tokens`, which are not padding; and as `places/predictions` how many masked tokens the
        batch has, and likewise of the other places that the losses are means over. A loss without
        a place is 0. When the loss or a gradient is not finite, the function raises
        `tf.errors.InvalidArgumentError` and changes nothing. Compiled by XLA it does not raise, but
        returns what is not finite.
        """
        return on_each_device(self._strategy, self._update, batch_spec)

    def measuring_function(self, batch_spec):
        """Return a tf.function that takes a batch and returns its losses and accuracies by name.

        Each is a float32 (mean, places): the places of the batch that it is the mean over. Dropout
        is off, and nothing is updated. `Measured` takes them together.
        """
        return on_each_device(self._strategy, self._measure, batch_spec)

    def _update(self, batch):
        totals = sum_over_devices(stage_losses.totals(batch, self._stage))
        gradients, terms = sum_over_devices(accumulated(
            lambda part: self._gradients(part, totals), batch, self._accumulation))
        clipped, norm = tf.clip_by_global_norm(list(gradients.values()), self._clip_norm)
        loss = self._weighted_sum(terms)
        with tf.control_dependencies([
                tf.debugging.assert_all_finite(loss, "the loss is not finite"),
                tf.debugging.assert_all_finite(norm, "a gradient is not finite")]):
            self._apply(dict(zip(gradients, clipped, strict=True)))
        return {**terms, "loss": loss, "gradient_norm": norm, "tokens": totals.pop("real"),
                **{f"{COUNT}{name}": count for name, count in totals.items()}}

    def _gradients(self, batch, totals):
        """Return ({index of a trained variable: its gradient}, losses by name) of a batch."""
        teacher_outputs = self._teacher_outputs(batch)
        with tf.GradientTape() as tape:
            student_outputs = _call(self._student, batch, training=self._stage.dropout)
            terms = stage_losses.terms(self._stage, student_outputs, teacher_outputs, batch,
                                       stage_losses.weights(batch, self._stage, totals),
                                       self._kind, self._projections)
            loss = self._weighted_sum(terms)
        gradients = tape.gradient(loss, [variable for variable, _ in self._trained])
        # A loss need not reach every variable: attention's does not reach the feed-forwards after
        # it. Sparse gradients have a row for each occurrence; the norm needs their sums.
        return {index: tf.convert_to_tensor(gradient) for index, gradient in enumerate(gradients)
                if gradient is not None}, terms

    def _apply(self, gradients):
        for optimizer in self.optimizers:
            optimizer.apply_gradients(
                [(gradient, self._trained[index][0]) for index, gradient in gradients.items()
                 if self._trained[index][1] is optimizer], skip_gradients_aggregation=True)

    def _measure(self, batch):
        totals = sum_over_devices(stage_losses.totals(batch, self._stage))
        weights = stage_losses.weights(batch, self._stage, totals)
        teacher_outputs = self._teacher_outputs(batch)
        student_outputs = _call(self._student, batch, training=False)
        means = sum_over_devices({
            **stage_losses.terms(self._stage, student_outputs, teacher_outputs, batch, weights,
                                 self._kind, self._projections),
            **stage_losses.accuracies(student_outputs, batch, weights)})
        return {name: tf.stack([mean, totals[stage_losses.places_of(name)]])
                for name, mean in means.items()}

    def _teacher_outputs(self, batch):
        given = batch_entries.nested(batch).get(batch_entries.TEACHER, {})
        if self._teacher is None:
            return given
        batch = {**batch, "input_word_ids": batch[self._stage.teacher_word_ids]}
        with tf.name_scope("teacher"):
            outputs = _call(self._teacher, batch, training=False)
            return {**tf.nest.map_structure(tf.stop_gradient, outputs), **given}

    def _weighted_sum(self, terms):
        return tf.add_n([self._stage.losses[name] * term for name, term in terms.items()])


def _call(model, batch, training):
    return model({name: batch[name] for name in model.input}, training=training)


def _groups(stage, student):
    """Return {rate: variables} of the trained components, in the order of the components."""
    groups = {}
    for name, variables in components(student).items():
        if stage.rates.get(name):
            groups.setdefault(stage.rates[name], []).extend(variables)
    return groups
