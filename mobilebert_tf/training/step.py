"""TrainingStep: one update of a stage, over one device or many."""

import tensorflow as tf

from mobilebert_tf.errors import InputError
from mobilebert_tf.optimization import build
from mobilebert_tf.optimization.schedule import WarmupLinearDecay
from mobilebert_tf.training import objectives
from mobilebert_tf.training.components import components
from mobilebert_tf.training.losses import even_weights
from mobilebert_tf.training.partial_model import partial_model
from mobilebert_tf.training.stages import Stage

_OPTIMIZERS = {"adamw": build.adamw, "lamb": build.lamb}
# By what is read of a teacher: the size that the student must share.
_COMPARED = {"block_outputs": ("hidden_size", "states of {} features"),
             "pooled_output": ("pooled_size", "states of {} features"),
             "attention_logits": ("num_heads", "the attention of {} heads"),
             "mlm_logits": ("vocab_size", "logits of {} pieces")}


class TrainingStep:
    """What a stage computes: student and teacher as far as it needs them, losses, updates.

    Losses and gradients are those of the whole batch however it is cut: over the devices of a
    strategy, and over `accumulation` parts one after another on each.

    Args:
      stage: what is trained, and by which losses.
      student: an `Encoder` or `Pretrainer`.
      teacher: the same; None where the stage has no loss that needs one.
      strategy: where student and teacher were built.
      clip_norm: what the gradients' global norm is clipped to.
      accumulation: parts that each device computes one after another.
    Attributes: `optimizers`, one for each learning rate of the stage.
    Raises:
      InputError: when the stage names components, blocks or outputs that a model does not have,
        compares what differs in size, or has a batch that cannot be cut into the parts.
    """

    def __init__(self, stage: Stage, student, teacher, strategy: tf.distribute.Strategy,
                 clip_norm: float = 1.0, accumulation: int = 1):
        check(stage, student, teacher)
        parts = strategy.num_replicas_in_sync * accumulation
        if stage.batch_size % parts:
            raise InputError(f"stage {stage.name!r} has a batch of {stage.batch_size}, which "
                             f"cannot be cut into {parts} equal parts, {accumulation} on each of "
                             f"{strategy.num_replicas_in_sync} devices")
        self._stage = stage
        self._strategy = strategy
        self._clip_norm = clip_norm
        self._accumulation = accumulation
        depths = (None, None) if stage.reads_whole_model else (
            max(pair[side] for pair in stage.blocks) + 1 for side in (0, 1))
        read_of_student, read_of_teacher = objectives.outputs(stage)
        with strategy.scope():
            student_depth, teacher_depth = depths
            self._student = partial_model(student, read_of_student, student_depth)
            self._teacher = (partial_model(teacher, read_of_teacher, teacher_depth)
                             if read_of_teacher else None)
            self._groups = _groups(stage, student)
            self.optimizers = [_OPTIMIZERS[stage.optimizer](
                variables, WarmupLinearDecay(stage.learning_rate * rate, stage.steps,
                                             stage.warmup_steps, stage.end_rate), clip_norm=None)
                for rate, variables in self._groups]
        self._variables = [variable for _, variables in self._groups for variable in variables]

    def function(self, batch_spec):
        """A tf.function that takes a batch of the strategy, updates, and returns scalars:

        every loss by its name, `loss`, `gradient_norm` (before clipping) and `tokens`, the real
        ones of the batch. When the loss or a gradient is not finite it raises
        `tf.errors.InvalidArgumentError` and changes nothing.
        """
        return self._over_devices(self._update, batch_spec)

    def measuring_function(self, batch_spec):
        """The same without an update or `gradient_norm`, dropout off, and with accuracies."""
        return self._over_devices(self._measure, batch_spec)

    def _over_devices(self, run_on_replica, batch_spec):
        @tf.function(input_signature=[batch_spec], autograph=False)
        def over_devices(batch):
            results = self._strategy.run(run_on_replica, args=(batch,))
            # Summed over devices already.
            return {name: self._strategy.experimental_local_results(value)[0]
                    for name, value in results.items()}

        return over_devices

    def _update(self, batch):
        counted, totals = self._counted(batch)
        gradients, terms = self._accumulated(batch, counted, totals)
        # A loss need not reach all of a component: attention's passes by the feed-forwards.
        reached = {variable.ref(): gradient for variable, gradient in
                   zip(self._variables, gradients, strict=True) if gradient is not None}
        context = tf.distribute.get_replica_context()
        summed = context.all_reduce(tf.distribute.ReduceOp.SUM,
                                    [list(reached.values()), terms])
        gradients, norm = tf.clip_by_global_norm(summed[0], self._clip_norm)
        by_variable = dict(zip(reached, gradients, strict=True))
        results = {**self._weighed(summed[1]), "gradient_norm": norm,
                   "tokens": totals["real"]}
        with tf.control_dependencies([
                tf.debugging.assert_all_finite(results["loss"], "the loss is not finite"),
                tf.debugging.assert_all_finite(norm, "a gradient is not finite")]):
            for optimizer, (_, variables) in zip(self.optimizers, self._groups, strict=True):
                optimizer.apply_gradients(
                    [(by_variable[variable.ref()], variable) for variable in variables
                     if variable.ref() in by_variable], skip_gradients_aggregation=True)
        return results

    def _measure(self, batch):
        counted, totals = self._counted(batch)
        weights = _divided(counted, totals)
        learned, taught = self._outputs(batch, training=False)
        terms, accuracies = tf.distribute.get_replica_context().all_reduce(
            tf.distribute.ReduceOp.SUM,
            (objectives.terms(self._stage, learned, taught, batch, weights),
             objectives.accuracies(learned, batch, weights)))
        return {**self._weighed(terms), **accuracies, "tokens": totals["real"]}

    def _counted(self, batch):
        """What counts in this device's rows, and how many of each that is in the whole batch."""
        counted = objectives.counted(batch, self._stage)
        sums = {name: tf.reduce_sum(values) for name, values in counted.items()}
        sums["real"] = tf.reduce_sum(tf.cast(batch["input_mask"], tf.float32))
        return counted, tf.distribute.get_replica_context().all_reduce(
            tf.distribute.ReduceOp.SUM, sums)

    def _accumulated(self, batch, counted, totals):
        """Gradients (None where no loss reaches) and loss terms, summed over the parts."""
        whole = {**batch, "counted": counted}
        if self._accumulation == 1:
            return self._gradients(whole, totals)
        size = batch["input_mask"].shape[0] // self._accumulation

        def part(index):
            return tf.nest.map_structure(
                lambda value: value[index * size : (index + 1) * size], whole)

        gradients, terms = self._gradients(part(0), totals)
        reached = [index for index, gradient in enumerate(gradients) if gradient is not None]

        def add(index, so_far):
            more, more_terms = self._gradients(part(index), totals)
            return index + 1, tf.nest.map_structure(
                tf.add, so_far, ([more[at] for at in reached], more_terms))

        _, (sums, terms) = tf.while_loop(
            lambda index, _: index < self._accumulation, add,
            (tf.constant(1), ([gradients[at] for at in reached], terms)))
        by_index = dict(zip(reached, sums, strict=True))
        return [by_index.get(index) for index in range(len(gradients))], terms

    def _gradients(self, part, totals):
        part = dict(part)
        weights = _divided(part.pop("counted"), totals)
        with tf.GradientTape() as tape:
            learned, taught = self._outputs(part, training=self._stage.dropout)
            terms = objectives.terms(self._stage, learned, taught, part, weights)
            loss = self._weighed(terms)["loss"]
        gradients = tape.gradient(loss, self._variables)
        # The word table's gradient of a gather has a row for each occurrence, and the norm is
        # that of their sums.
        return [gradient if gradient is None else tf.convert_to_tensor(gradient)
                for gradient in gradients], terms

    def _outputs(self, batch, training):
        """What the student and the teacher give, by name."""
        taught = {}
        if self._teacher is not None:
            ids = "input_word_ids" if self._stage.teacher_reads_masks else "original_word_ids"
            inputs = {**batch, "input_word_ids": batch[ids]}
            with tf.name_scope("teacher"):
                taught = tf.nest.map_structure(tf.stop_gradient, _call(
                    self._teacher, inputs, training=False))
        return _call(self._student, batch, training=training), taught

    def _weighed(self, terms):
        return {**terms, "loss": tf.add_n([
            self._stage.losses[name] * term for name, term in terms.items()])}


def _call(model, batch, training):
    return model({name: batch[name] for name in model.input}, training=training)


def _divided(counted, totals):
    return {name: even_weights(values, totals[name]) for name, values in counted.items()}


def _groups(stage, student):
    """[(rate, variables)]: one group for each different rate, in the order of components."""
    groups = {}
    for name, variables in components(student).items():
        if stage.rates.get(name):
            groups.setdefault(stage.rates[name], []).extend(variables)
    return list(groups.items())


def check(stage: Stage, student, teacher) -> None:
    """InputError when a stage names what the models do not have, or compares what differs."""
    unknown = sorted(set(stage.rates) - set(components(student)))
    if unknown:
        raise InputError(f"stage {stage.name!r} trains {', '.join(unknown)}, which the student "
                         f"does not have; it has {', '.join(components(student))}")
    if stage.has_teacher and teacher is None:
        raise InputError(f"stage {stage.name!r} needs a teacher")
    for side, (role, model) in enumerate((("student", student), ("teacher", teacher))):
        if model is None:
            continue
        for pair in stage.blocks:
            if not 0 <= pair[side] < model.config.num_blocks:
                raise InputError(f"stage {stage.name!r} compares block {pair[side]} of the "
                                 f"{role}, which has {model.config.num_blocks}, counted from 0")
        for output in objectives.outputs(stage)[side]:
            if output == "mlm_logits" and getattr(model, "mlm_head", None) is None:
                raise InputError(f"stage {stage.name!r} needs a {role} with a masked-LM head")
            if output == "nsp_logits" and getattr(model, "nsp_head", None) is None:
                raise InputError(f"stage {stage.name!r} needs a {role} with a next-sentence head")
    for output in objectives.outputs(stage)[1]:
        size, what = _COMPARED[output]
        ours, theirs = getattr(student.config, size), getattr(teacher.config, size)
        if ours != theirs:
            raise InputError(f"stage {stage.name!r} compares {what.format(ours)} with "
                             f"{what.format(theirs)}")
