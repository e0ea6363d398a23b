"""Objectives: which outputs a stage's losses read, and how they are called."""

import dataclasses
from collections.abc import Callable

import tensorflow as tf

from mobilebert_tf.training import losses
from mobilebert_tf.training.stages import Stage


@dataclasses.dataclass(frozen=True)
class Objective:
    """A loss bound to what it reads.

    `outputs`: of the student, and of the teacher where `has_teacher`, as `partial_model` names
    them. `loss`: (learned, taught, batch, weights, stage) -> scalar.
    """

    outputs: tuple[str, ...]
    has_teacher: bool
    loss: Callable


def _over_blocks(loss, output):
    """The mean of a loss over the stage's pairs of blocks."""
    def compute(learned, taught, batch, weights, stage):
        return tf.add_n([loss(learned[output][student], taught[output][teacher], weights["tokens"])
                         for student, teacher in stage.blocks]) / len(stage.blocks)

    return Objective((output,), True, compute)


OBJECTIVES = {
    "feature_map": _over_blocks(losses.feature_map, "block_outputs"),
    "normalized_feature_map": _over_blocks(losses.normalized_feature_map, "block_outputs"),
    "feature_mean": _over_blocks(losses.feature_mean, "block_outputs"),
    "feature_variance": _over_blocks(losses.feature_variance, "block_outputs"),
    "attention": _over_blocks(losses.attention, "attention_logits"),
    "masked_lm": Objective(
        ("mlm_logits",), False, lambda learned, taught, batch, weights, stage: losses.masked_lm(
            learned["mlm_logits"], batch["masked_ids"], weights["predictions"])),
    "next_sentence": Objective(
        ("nsp_logits",), False,
        lambda learned, taught, batch, weights, stage: losses.next_sentence(
            learned["nsp_logits"], batch["next_sentence_labels"], weights["pairs"])),
    "masked_lm_distillation": Objective(
        ("mlm_logits",), True,
        lambda learned, taught, batch, weights, stage: losses.masked_lm_distillation(
            learned["mlm_logits"], taught["mlm_logits"], weights["predictions"],
            stage.temperature)),
    "sentence_embedding": Objective(
        ("pooled_output",), True,
        lambda learned, taught, batch, weights, stage: losses.sentence_embedding(
            learned["pooled_output"], taught["pooled_output"], weights["sequences"])),
}


def outputs(stage: Stage) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the stage reads of the student, and what of the teacher."""
    used = [OBJECTIVES[name] for name in stage.active_losses]
    return (tuple(sorted({name for one in used for name in one.outputs})),
            tuple(sorted({name for one in used if one.has_teacher for name in one.outputs})))


def counted(batch: dict, stage: Stage) -> dict:
    """What counts in the means over each kind of place, float32: 1 or 0."""
    mask = tf.cast(batch["input_mask"], tf.float32)
    return {
        "tokens": tf.ones_like(mask) if stage.count_padding else mask,  # (b, s)
        "predictions": batch["masked_weights"],  # (b, p)
        "pairs": tf.cast(batch["next_sentence_labels"] >= 0, tf.float32),  # (b,)
        "sequences": tf.ones_like(mask[:, 0]),  # (b,)
    }


def terms(stage: Stage, learned: dict, taught: dict, batch: dict, weights: dict) -> dict:
    """Name -> scalar of every loss of the stage, before its weight in the stage.

    Args:
      learned, taught: outputs by name.
      batch: of `CorpusBatches`.
      weights: of `counted`, divided so that each adds up to 1 over the whole batch.
    """
    return {name: OBJECTIVES[name].loss(learned, taught, batch, weights, stage)
            for name in stage.active_losses}


def accuracies(learned: dict, batch: dict, weights: dict) -> dict:
    """Name -> scalar: the part of masked tokens, and of next sentences, that the student predicts.

    Of those heads that the stage reads; arguments as for `terms`.
    """
    found = {}
    if "mlm_logits" in learned:
        found["masked_lm_accuracy"] = _accuracy(
            learned["mlm_logits"], batch["masked_ids"], weights["predictions"])
    if "nsp_logits" in learned:
        found["next_sentence_accuracy"] = _accuracy(
            learned["nsp_logits"], batch["next_sentence_labels"], weights["pairs"])
    return found


def _accuracy(logits, labels, weights):
    equal = tf.argmax(logits, axis=-1, output_type=labels.dtype) == labels
    return tf.reduce_sum(weights * tf.cast(equal, weights.dtype))
