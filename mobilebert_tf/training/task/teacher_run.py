"""TeacherRun: a teacher on the rows of a task, with its outputs as the arrays of a file."""

import functools
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from mobilebert_tf import kinds
from mobilebert_tf.data.features.batches import width_for
from mobilebert_tf.errors import InputError
from mobilebert_tf.training.objectives import HEAD
from mobilebert_tf.training.partial_model import partial_model
from mobilebert_tf.training.task.ragged import Ragged
from mobilebert_tf.training.task.task_rows import TaskRows
from mobilebert_tf.training.task.teacher_outputs import STATES

# Tokens of a batch, padding included. More are no faster on a CPU and take more memory.
_BATCH_TOKENS = 8192
# The name of an array's lengths of rows begins with the array's.
LENGTHS = "/lengths"


class TeacherRun:
    """Computes a teacher's logits, and its states of [CLS].

    The teacher computes in its own precision; logits are returned as `Kind.kept_type`, states in
    half precision.

    Args:
      teacher: a model of a task.
      length: the most tokens of a row.
      pad_id: the vocabulary's id of [PAD].
      blocks: those blocks, counted from 0, whose states of [CLS] are computed.
    """

    def __init__(self, teacher, length: int, pad_id: int, blocks: Sequence[int] = ()):
        self._teacher, self._kind = teacher, kinds.of(teacher)
        self._length, self._pad_id, self._blocks = length, pad_id, tuple(blocks)
        self._graphs = {}

    def arrays(self, rows: TaskRows) -> dict[str, np.ndarray]:
        """Return the outputs for rows of ascending width, by name, and the lengths of their rows.

        Raises:
          InputError: if an output is not finite in the precision in which it is returned.
        """
        kept = {}
        for width, batch in self._batches(rows):
            for name, values in self._outputs(rows, batch, width).items():
                kept.setdefault(name, []).extend(values)
        arrays = {}
        for name, values in kept.items():
            one = Ragged.of(values)
            if one.values.dtype.kind == "f":
                kept_type = np.float16 if name.startswith(STATES) else self._kind.kept_type
                with np.errstate(over="ignore"):
                    one = Ragged.cut(one.values.astype(kept_type), one.lengths)
                if not np.isfinite(one.values).all():
                    raise InputError(
                        "the teacher gives numbers that are not finite, or too large for "
                        f"{np.dtype(kept_type)}, in which they are kept; it cannot teach")
            arrays[name], arrays[name + LENGTHS] = one.values, one.lengths
        return arrays

    def _batches(self, rows):
        """Yield (width, numbers of rows): rows of ascending width in batches of one width each."""
        widths = np.array([width_for(tokens, self._length) for tokens in rows.ids.lengths])
        for width in map(int, np.unique(widths)):
            equal, size = np.flatnonzero(widths == width), max(1, _BATCH_TOKENS // width)
            yield from ((width, equal[start : start + size])
                        for start in range(0, len(equal), size))

    def _outputs(self, rows, batch, width):
        """Run the teacher on rows of one width; return arrays for each row, by name."""
        # One graph for all widths would be slower.
        if width not in self._graphs:
            self._graphs[width] = self._graph(width)
        found = self._graphs[width](rows.inputs(batch, width, self._pad_id))
        logits = {name: values.numpy() for name, values in found[HEAD].items()}
        return {**self._kind.kept(logits, rows.ids.lengths[batch]),
                **{f"{STATES}{block}": list(states.numpy())
                   for block, states in zip(self._blocks, found["states"], strict=True)}}

    def _graph(self, width):
        shapes = {name: tf.TensorSpec((None, width), tf.int32)
                  for name in ("input_word_ids", "input_mask", "input_type_ids")}

        def run(inputs):
            outputs = self._model(inputs, training=False)
            return {HEAD: outputs[HEAD],
                    # A model may compute in bfloat16, which NumPy and the files do not have.
                    "states": [tf.cast(outputs["block_outputs"][block][:, 0], tf.float32)
                               for block in self._blocks]}

        return tf.function(run, input_signature=[shapes], autograph=False)

    @functools.cached_property
    def _model(self):
        return partial_model(self._teacher, (HEAD, *(("block_outputs",) if self._blocks else ())))
