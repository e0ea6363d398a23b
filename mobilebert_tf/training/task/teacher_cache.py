"""TeacherCache: a teacher's outputs for the rows of a task, computed once and kept on disk."""

import functools
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import tensorflow as tf
from safetensors import SafetensorError
from safetensors.numpy import load, save

from mobilebert_tf import kinds, records
from mobilebert_tf.data.features.batches import width_for
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import remove_unfinished, write_atomically
from mobilebert_tf.reasons import reason
from mobilebert_tf.resuming.lock import locked
from mobilebert_tf.training.objectives import HEAD
from mobilebert_tf.training.partial_model import partial_model
from mobilebert_tf.training.task.task_rows import Ragged, TaskRows
from mobilebert_tf.training.task.teacher_outputs import STATES, TeacherOutputs

_DESCRIPTION = "cache.json"
# Rows of a file: a killed process loses less than one of them.
_SHARD_ROWS = 4096
# Tokens of a batch, padding included. More are no faster on a CPU and take more memory.
_BATCH_TOKENS = 8192
_LENGTHS = "/lengths"


class TeacherCache:
    """Files with a teacher's logits, and its [CLS] states, for the rows of a task.

    The rows are sorted by length, so that a batch is hardly wider than its rows. Floats are kept
    in half precision. `cache.json` tells which teacher, rows and length the files belong to; a
    cache that is filled again after a kill has the same bytes as one that was filled at once.

    Args:
      directory: of the files; several runs may share it.
      teacher: a model of a task.
      rows: the rows.
      length: the most tokens of a row.
      pad_id: the vocabulary's id of [PAD].
      blocks: those blocks, counted from 0, whose states of [CLS] are kept.
    """

    def __init__(self, directory: str | os.PathLike, teacher, rows: TaskRows, length: int,
                 pad_id: int, blocks: Sequence[int] = ()):
        self._directory, self._teacher, self._rows = Path(directory), teacher, rows
        self._kind, self._pad_id = kinds.of(teacher), pad_id
        self._blocks = tuple(blocks)
        self._description = {
            "teacher": fingerprint(teacher), "rows": rows.fingerprint(), "length": length,
            "count": len(rows), "blocks": list(self._blocks), "kind": self._kind.name}
        self._widths = np.array([width_for(tokens, length) for tokens in rows.ids.lengths])
        self._order = np.argsort(self._widths, kind="stable")

    @property
    def description(self) -> dict:
        """JSON values that tell the teacher, the rows and what is kept of each."""
        return self._description

    def filled(self, show: Callable[[int, int], None] = lambda done, total: None,
               say: Callable[[str], None] = lambda line: None) -> TeacherOutputs:
        """Compute what is missing, and return all outputs.

        Args:
          show: takes how many rows are done, and of how many.
          say: takes a line about waiting for another process.
        Raises:
          InputError: for a cache of another teacher, other rows or another length, a damaged file,
            and a place that cannot be written; if the teacher's outputs are not finite.
        """
        with locked(self._directory, f"another process fills {self._directory}", say):
            self._check()
            remove_unfinished(self._directory)
            shards = [self._order[start : start + _SHARD_ROWS]
                      for start in range(0, len(self._order), _SHARD_ROWS)]
            missing = [number for number in range(len(shards)) if not self._path(number).exists()]
            done = len(self._order) - sum(len(shards[number]) for number in missing)
            for number in missing:
                show(done, len(self._order))
                write_atomically(self._path(number), save(self._computed(shards[number])))
                done += len(shards[number])
            show(done, len(self._order))
            return self._read(shards)

    def _check(self):
        path = self._directory / _DESCRIPTION
        if not path.exists():
            write_atomically(path, json.dumps(self._description, indent=2).encode() + b"\n")
            return
        found = records.read(path, dict)
        for name, what in (("teacher", "another teacher"), ("kind", "another kind of teacher"),
                           ("length", "another length"), ("rows", "other data"),
                           ("count", "other data"), ("blocks", "other blocks of the teacher")):
            if found.get(name) != self._description[name]:
                raise InputError(f"{self._directory} holds a teacher's outputs for {what}; name "
                                 "another directory for them, or remove this one")

    def _path(self, number):
        return self._directory / f"outputs-{number:05d}.safetensors"

    def _computed(self, rows):
        """Return the arrays of a file."""
        kept = {}
        for batch in self._batches(rows):
            for name, values in self._outputs(batch).items():
                kept.setdefault(name, []).extend(values)
        arrays = {}
        for name, values in kept.items():
            one = Ragged.of(values)
            if one.values.dtype.kind == "f":
                with np.errstate(over="ignore"):
                    one = Ragged.cut(one.values.astype(np.float16), one.lengths)
                if not np.isfinite(one.values).all():
                    raise InputError("the teacher gives numbers that are not finite, or beyond "
                                     "half precision, and cannot teach")
            arrays[name], arrays[name + _LENGTHS] = one.values, one.lengths
        return arrays

    def _batches(self, rows):
        """Cut rows of ascending width into batches of one width each."""
        widths = self._widths[rows]
        for width in np.unique(widths):
            equal, size = rows[widths == width], max(1, _BATCH_TOKENS // width)
            yield from (equal[start : start + size] for start in range(0, len(equal), size))

    def _outputs(self, rows):
        """Run the teacher on rows of one width; return arrays for each row, by name."""
        width = int(self._widths[rows[0]])
        found = self._run(width)(self._rows.inputs(rows, width, self._pad_id))
        logits = {name: values.numpy() for name, values in found[HEAD].items()}
        return {**self._kind.kept(logits, self._rows.ids.lengths[rows]),
                **{f"{STATES}{block}": list(states.numpy())
                   for block, states in zip(self._blocks, found["states"], strict=True)}}

    @functools.cache  # noqa: B019, the cache and its graphs are used once a run
    def _run(self, width):
        """Return the graph for rows of a width. One for all widths would be slower."""
        shapes = {name: tf.TensorSpec((None, width), tf.int32)
                  for name in ("input_word_ids", "input_mask", "input_type_ids")}

        def run(inputs):
            outputs = self._model(inputs, training=False)
            return {HEAD: outputs[HEAD],
                    "states": [outputs["block_outputs"][block][:, 0] for block in self._blocks]}

        return tf.function(run, input_signature=[shapes], autograph=False)

    @functools.cached_property
    def _model(self):
        return partial_model(self._teacher, (HEAD, *(("block_outputs",) if self._blocks else ())))

    def _read(self, shards):
        found = {}
        for number, rows in enumerate(shards):
            path = self._path(number)
            try:
                arrays = load(path.read_bytes())
                names = [name for name in arrays if not name.endswith(_LENGTHS)]
                for name in names:
                    lengths = arrays[name + _LENGTHS]
                    if len(lengths) != len(rows) or lengths.sum() != len(arrays[name]):
                        raise ValueError("it has other rows")
                    found.setdefault(name, []).append((arrays[name], lengths))
            except (OSError, SafetensorError, LookupError, ValueError) as error:
                raise InputError(f"{path} is damaged; remove it, and it is computed again "
                                 f"({reason(error)})") from error
        kept = {name: Ragged.cut(*map(np.concatenate, zip(*parts, strict=True)))
                for name, parts in found.items()}
        return TeacherOutputs(self._kind, kept, np.argsort(self._order),
                              self._rows.ids.lengths)


def fingerprint(model) -> str:
    """Return a hash of a model's config and weights."""
    # The name counts the models of the process.
    config = {name: value for name, value in model.get_config().items() if name != "name"}
    found = hashlib.sha256(json.dumps(config, sort_keys=True).encode())
    for weights in model.get_weights():
        found.update(weights.tobytes())
    return found.hexdigest()
