"""KL divergence of softmax distributions of logits that are too many to be held at once."""

import tensorflow as tf

from mobilebert_tf.kinds.soft_labels import divergence

# Tokens whose logits are held at once: 31 MB of them for 30,522 pieces.
_ROWS = 256


def factored_divergence(student, teacher, weights, rows: int = _ROWS):
    """Return sum_i weights_i KL(teacher_i || student_i) of logits h M^T + b, chunk by chunk.

    At most `rows` rows of logits are in memory at a time. Each chunk's gradients are computed with
    its loss and added up, so no logits are computed twice. The memory is that of the factors and
    their gradients, not that of all logits.

    Args:
      student, teacher: (states `(n, h)`, matrix `(v, h)`, bias `(v,)`), float32, each with an h of
        its own.
      weights: float32 `(n,)`.
      rows: how many rows are computed at once.
    Returns:
      float32 scalar, with gradients for the three factors of the student alone.
    """
    states, matrix, bias = student
    count = tf.shape(states)[0]
    chunks = (count + rows - 1) // rows
    # Rows that fill the last chunk have no weight.
    others = [_in_chunks(values, chunks, rows) for values in (teacher[0], weights)]

    @tf.custom_gradient
    def total(states, matrix, bias):
        loss, *gradients = _summed(_in_chunks(states, chunks, rows), matrix, bias, *others,
                                   *teacher[1:])
        gradients[0] = tf.reshape(gradients[0], (-1, states.shape[-1]))[:count]
        return loss, lambda upstream: [upstream * gradient for gradient in gradients]

    return total(states, matrix, bias)


def _summed(states, matrix, bias, teacher_states, weights, teacher_matrix, teacher_bias):
    """Return (loss, gradients of states, matrix and bias); the rows are `(chunks, rows, ...)`."""
    chunks = tf.shape(states)[0]

    def add(index, loss, of_states, of_matrix, of_bias):
        rows, row_weights = states[index], weights[index]
        logits = tf.matmul(rows, matrix, transpose_b=True) + bias
        wanted = tf.matmul(teacher_states[index], teacher_matrix, transpose_b=True) + teacher_bias
        loss += tf.reduce_sum(row_weights * divergence(logits, wanted))
        of_logits = row_weights[:, tf.newaxis] * (tf.nn.softmax(logits) - tf.nn.softmax(wanted))
        return (index + 1, loss, of_states.write(index, tf.matmul(of_logits, matrix)),
                of_matrix + tf.matmul(of_logits, rows, transpose_a=True),
                of_bias + tf.reduce_sum(of_logits, 0))

    _, loss, of_states, of_matrix, of_bias = tf.while_loop(
        lambda index, *_: index < chunks, add,
        (0, 0.0, tf.TensorArray(tf.float32, chunks, element_shape=states.shape[1:]),
         tf.zeros_like(matrix), tf.zeros_like(bias)),
        parallel_iterations=1)
    return loss, of_states.stack(), of_matrix, of_bias


def _in_chunks(values, chunks, rows):
    """`(n, ...)` -> `(chunks, rows, ...)`, with zeros at the end."""
    missing = chunks * rows - tf.shape(values)[0]
    padded = tf.pad(values, [[0, missing], *[[0, 0]] * (values.shape.rank - 1)])
    return tf.reshape(padded, (chunks, rows, *values.shape[1:]))
