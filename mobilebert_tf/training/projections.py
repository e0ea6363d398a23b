"""Projections: from a student's states to the width of its teacher's, for the time of training."""

from collections.abc import Callable, Sequence

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.training.objectives import EMBEDDING, OBJECTIVES, Block
from mobilebert_tf.training.stage import Stage


class Projections(tf.Module):
    """states W + b: one W and b for the embedding's output, one for the outputs of all blocks.

    They belong to a run, not to the student: its stages share them, its checkpoints hold them, and
    the student is saved without them. Only those that a stage uses are built.

    Source: Jiao et al. 2020 (arXiv:1909.10351), equations 8 and 9, W_h and W_e. The bias and the
    single projection of `Stage.share_projection` are those of its code. The initial weights have
    its standard deviation, but are truncated as BERT's are.

    Args:
      stages: of the run.
      student, teacher: their models; the teacher may be None if no stage projects.
      seed: for the initial weights, which are then the same whenever a run starts.
    """

    def __init__(self, stages: Sequence[Stage], student, teacher, seed: int = 0):
        super().__init__(name="projections")
        used = {_name(stage, pair[0]) for stage in stages if _projects(stage)
                for pair in stage.blocks}
        self.layers = {}
        for index, name in enumerate(("states", EMBEDDING)):
            if name in used:
                self.layers[name] = _dense(name, student.config, teacher.config, seed + index)

    def variables_of(self, stage: Stage) -> list[tf.Variable]:
        """Return what a stage trains of them."""
        used = {_name(stage, pair[0]) for pair in stage.blocks} if _projects(stage) else ()
        return [variable for name, layer in self.layers.items() if name in used
                for variable in layer.trainable_variables]

    def of(self, stage: Stage, block: Block) -> Callable[[tf.Tensor], tf.Tensor]:
        """Return the projection of a student's block: `(b, s, width)` -> `(b, s, other width)`."""
        return self.layers[_name(stage, block)]


def _projects(stage):
    return any(OBJECTIVES[name].projects for name in stage.active_losses)


def _name(stage, block):
    return EMBEDDING if block == EMBEDDING and not stage.share_projection else "states"


def _dense(name, student, teacher, seed):
    layer = keras.layers.Dense(
        teacher.hidden_size, dtype="float32", name=f"projection_{name}",
        kernel_initializer=keras.initializers.TruncatedNormal(
            stddev=student.initializer_range, seed=seed))
    with tf.name_scope(layer.name):
        layer.build((None, None, student.hidden_size))
    return layer
