"""Accumulation: a batch in parts, one after another, for a step that needs less memory."""

from collections.abc import Callable

import tensorflow as tf


def accumulated(compute: Callable[[dict], object], batch: dict, parts: int):
    """Return the sum of `compute(part)` over equal parts of a batch.

    Args:
      compute: batch -> nested tensors, of the same structure and shapes for each part.
      batch: tensors whose first dimension is a static multiple of `parts`.
      parts: at least 1.
    """
    if parts == 1:
        return compute(batch)
    # A slice at an index that is a tensor would have no static size.
    stacked = {name: _stacked(rows, parts) for name, rows in batch.items()}

    def part(index):
        return {name: tf.gather(rows, index) for name, rows in stacked.items()}

    def add(index, sums):
        return index + 1, tf.nest.map_structure(tf.add, sums, compute(part(index)))

    first = compute(part(0))
    # Nothing else orders the parts, and parts at the same time take the memory of a whole batch.
    with tf.control_dependencies(tf.nest.flatten(first)):
        second = tf.identity(1)
    _, sums = tf.while_loop(lambda index, _: index < parts, add, (second, first),
                            parallel_iterations=1)
    return sums


def _stacked(rows, parts):
    """Reshape `(b, ...)` to `(parts, b / parts, ...)`."""
    size = rows.shape[0] // parts
    stacked = tf.reshape(rows, tf.concat([[parts, size], tf.shape(rows)[1:]], axis=0))
    return tf.ensure_shape(stacked, [parts, size, *rows.shape[1:]])
