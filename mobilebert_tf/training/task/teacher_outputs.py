"""TeacherOutputs: what a teacher said about the rows of a task, in memory."""

import numpy as np

from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.training import stage_losses
from mobilebert_tf.training.batch_entries import TEACHER
from mobilebert_tf.training.objectives import HEAD, OBJECTIVES
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.task.ragged import Ragged


class TeacherOutputs:
    """The teacher's outputs for all rows, as batches need them.

    Args:
      kind: of the teacher.
      kept: what `Kind.kept` returned, by name; and the states of [CLS] after a block, as
        `cls_states/3`. Floats or integers.
      place: the position of each row in `kept`, int `(rows,)`.
      lengths: tokens of each row.
    """

    def __init__(self, kind: Kind, kept: dict[str, Ragged], place: np.ndarray,
                 lengths: np.ndarray):
        self._kind, self._place, self._lengths = kind, place, lengths
        self._states = {int(name.split("/")[1]): values for name, values in kept.items()
                        if name.startswith(STATES)}
        self._logits = {name: values for name, values in kept.items()
                        if not name.startswith(STATES)}

    def names_for(self, stage: Stage) -> tuple[str, ...]:
        """Return the names of the teacher's outputs that a stage need not compute.

        Those are all or none: if one has to be computed, the teacher runs, and gives all.
        """
        blocks = cls_blocks(stage)
        return (stage_losses.outputs(stage)[1]
                if blocks is not None and set(blocks) <= self._states.keys() else ())

    def batch(self, rows: np.ndarray, width: int) -> dict[str, np.ndarray]:
        """Return the outputs for some rows as entries of a batch, float32."""
        at = self._place[rows]
        logits = self._kind.restored(
            {name: [values[one] for one in at] for name, values in self._logits.items()},
            self._lengths[rows], width)
        return {
            **{f"{TEACHER}/{HEAD}/{name}": values.astype(np.float32)
               for name, values in logits.items()},
            # As a block's output of one token: these states serve losses of the first one alone.
            **{f"{TEACHER}/block_outputs/{block}":
               np.stack([values[one] for one in at])[:, np.newaxis].astype(np.float32)
               for block, values in self._states.items()}}


STATES = "cls_states/"


def cls_blocks(stage: Stage) -> tuple[int, ...] | None:
    """Return the teacher's blocks whose states of [CLS] a stage compares.

    Returns:
      None if the stage needs more of the teacher than its logits and these states.
    """
    taught = [one for one in map(OBJECTIVES.get, stage.active_losses) if one.has_teacher]
    if any(one.output != HEAD and not one.first_token for one in taught):
        return None
    blocks = {pair[1] for one in taught if one.first_token for pair in stage.blocks}
    if not all(isinstance(block, int) for block in blocks):
        return None
    return tuple(sorted(blocks))
