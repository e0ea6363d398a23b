"""The losses and accuracies of a stage, from the outputs of student and teacher and a batch."""

import tensorflow as tf

from mobilebert_tf.training import batch_entries, losses
from mobilebert_tf.training.objectives import EMBEDDING, OBJECTIVES
from mobilebert_tf.training.stage import Stage


def _tokens(batch, stage):
    mask = tf.cast(batch["input_mask"], tf.float32)
    return tf.ones_like(mask) if stage.count_padding else mask


# Name -> (batch, stage) -> float32, 1 for each place that counts and 0 for the others.
PLACES = {
    "tokens": _tokens,  # (b, s)
    "predictions": lambda batch, stage: batch["masked_weights"],  # (b, p)
    "pairs": lambda batch, stage: tf.cast(batch["next_sentence_labels"] >= 0, tf.float32),  # (b,)
    "labels": lambda batch, stage: batch["label_weights"],  # (b,) or (b, s); see `Kind.places`
    "soft_labels": lambda batch, stage: batch["soft_label_weights"],  # the same
    "sequences": lambda batch, stage: tf.ones_like(batch["input_mask"][:, 0], tf.float32),  # (b,)
}
# Output -> (name of its accuracy, labels, places).
_ACCURACIES = {"mlm_logits": ("masked_lm_accuracy", "masked_ids", "predictions"),
               "nsp_logits": ("next_sentence_accuracy", "next_sentence_labels", "pairs")}


def outputs(stage: Stage) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the outputs that the stage reads, of the student and of the teacher."""
    used = [OBJECTIVES[name] for name in stage.active_losses]
    return tuple(_sorted_outputs(objectives, stage, side) for side, objectives in enumerate(
        (used, [one for one in used if one.has_teacher])))


def alike_outputs(stage: Stage) -> tuple[str, ...]:
    """Return those outputs of the teacher that are compared as they are, without a projection."""
    return _sorted_outputs([one for one in map(OBJECTIVES.get, stage.active_losses)
                            if one.has_teacher and not one.projects], stage, 1)


def _sorted_outputs(objectives, stage, side):
    read = {one.output for one in objectives if not one.compares_blocks}
    read.update(one.output_of(pair[side]) for one in objectives if one.compares_blocks
                for pair in one.pairs(stage.blocks))
    return tuple(sorted(read))


def counted(batch: dict, stage: Stage) -> dict[str, tf.Tensor]:
    """Return 1 or 0 for each place, by the name of the places, for those that the stage reads."""
    names = sorted({OBJECTIVES[name].over for name in stage.active_losses})
    return {name: PLACES[name](batch, stage) for name in names}


def totals(batch: dict, stage: Stage) -> dict[str, tf.Tensor]:
    """Return how many places of each kind count, and as `real` how many tokens are not padding."""
    sums = {name: tf.reduce_sum(places) for name, places in counted(batch, stage).items()}
    return {**sums, "real": tf.reduce_sum(tf.cast(batch["input_mask"], tf.float32))}


def weights(batch: dict, stage: Stage, totals: dict[str, tf.Tensor]) -> dict[str, tf.Tensor]:
    """Return weights of the places of a batch, or of a part of it.

    Args:
      batch: the batch or the part.
      totals: those of the whole batch; the weights of all its parts add up to 1.
    """
    return {name: losses.even_weights(places, totals[name])
            for name, places in counted(batch, stage).items()}


def terms(stage: Stage, student_outputs: dict, teacher_outputs: dict, batch: dict,
          weights: dict[str, tf.Tensor], kind=None, projections=None) -> dict[str, tf.Tensor]:
    """Return each loss of the stage by name, a scalar, before the stage's weight is applied.

    Args:
      student_outputs, teacher_outputs: by name; see `outputs`.
      batch: holds the labels of the losses that read labels.
      weights: of the places; see `weights`.
      kind: of the student, if a loss is its kind's.
      projections: the run's `Projections`, if a loss projects.
    """
    found = {}
    for name in stage.active_losses:
        objective, places = OBJECTIVES[name], weights[OBJECTIVES[name].over]
        loss = _of_kind(kind, objective, batch) if objective.of_kind else getattr(losses, name)
        options = {**{option: getattr(stage, option) for option in objective.options},
                   **{entry: batch[entry] for entry in objective.entries}}
        if objective.compares_blocks:
            pairs = objective.pairs(stage.blocks)
            found[name] = tf.add_n([
                loss(_of_block(student_outputs, objective, student),
                     _of_block(teacher_outputs, objective, teacher), places, **options,
                     **({"project": projections.of(stage, student)} if objective.projects else {}))
                for student, teacher in pairs]) / len(pairs)
        else:
            target = (batch_entries.nested(batch)[objective.labels] if objective.labels
                      else teacher_outputs[objective.output])
            found[name] = loss(student_outputs[objective.output], target, places, **options)
    return found


def _of_kind(kind, objective, batch):
    """Return a loss of `Objective.of_kind` as a function like those of `losses.py`."""
    of_places = getattr(kind, objective.of_kind)

    def loss(output, target, weights, mean_over_classes=False, **options):
        classes = kind.summed_classes(output) if mean_over_classes else 1
        return tf.reduce_sum(
            weights * of_places(output, target, batch["input_mask"], **options)) / classes

    return loss


def _of_block(outputs, objective, block):
    output = outputs[objective.output_of(block)]
    return output if block == EMBEDDING else output[block]


def places_of(name: str) -> str:
    """Return the name of the places that a loss or an accuracy is the mean over."""
    return {accuracy: places for accuracy, _, places in _ACCURACIES.values()}.get(name) or (
        OBJECTIVES[name].over)


def accuracies(student_outputs: dict, batch: dict,
               weights: dict[str, tf.Tensor]) -> dict[str, tf.Tensor]:
    """Return the part of masked tokens, and of next sentences, that the student predicts.

    Only for the heads whose logits the stage reads. Arguments as for `terms`.
    """
    found = {}
    for output, (name, labels, places) in _ACCURACIES.items():
        if output in student_outputs:
            predicted = tf.argmax(student_outputs[output], -1, output_type=batch[labels].dtype)
            found[name] = tf.reduce_sum(
                weights[places] * tf.cast(predicted == batch[labels], tf.float32))
    return found
