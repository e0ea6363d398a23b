"""Divergences between the answers of a student and of its teacher, one for each place."""


def divergence(student_logits, teacher_logits):
    """Return KL(teacher || student) over the last axis, exactly 0 for equal logits.

    Only the student's logits have a gradient: softmax(student) - softmax(teacher).

    Value and gradient are computed from the two softmaxes. Self-attention needs the same two, and
    TensorFlow computes equal nodes of a graph once. TensorFlow's own cross-entropy is slow for rows
    as short as those of attention: it takes as long as the rest of a training step.

    Args:
      student_logits, teacher_logits: `(..., n)`, of any float type.
    Returns:
      float32 `(...)`.
    """
    import tensorflow as tf

    student_logits, teacher_logits = (tf.cast(logits, tf.float32)
                                      for logits in (student_logits, teacher_logits))

    @tf.custom_gradient
    def of_student(student_logits):
        student, teacher = tf.nn.softmax(student_logits), tf.nn.softmax(teacher_logits)
        log_sums = _log_sum(teacher_logits, teacher) - _log_sum(student_logits, student)
        values = tf.reduce_sum(teacher * (teacher_logits - student_logits), -1) - log_sums
        return values, lambda upstream: upstream[..., tf.newaxis] * (student - teacher)

    return of_student(student_logits)


def _log_sum(logits, probabilities):
    """Return log(sum(exp(logits))) from the logits' softmax, whose largest value is never tiny."""
    import tensorflow as tf

    return tf.reduce_max(logits, -1) - tf.math.log(tf.reduce_max(probabilities, -1))


def softmax_divergence(student_logits, teacher_logits, temperature: float):
    """Return temperature^2 * KL(teacher || student) over the last axis; 0 for equal logits.

    The square keeps the size of the gradients. Source: Hinton et al. 2015 (arXiv:1503.02531),
    section 2. Its mean over places is DistilBERT's loss (torch's `batchmean`).

    Args:
      student_logits, teacher_logits: float `(..., classes)`.
      temperature: divides both logits; above 0.
    Returns:
      float32 `(...)`.
    """
    import tensorflow as tf

    return temperature**2 * divergence(*(tf.cast(logits, tf.float32) / temperature
                                         for logits in (student_logits, teacher_logits)))


def sigmoid_divergence(student_logits, teacher_logits, temperature: float):
    """Return temperature^2 * KL(teacher || student), averaged over independent yes-or-no classes.

    A class is a Bernoulli variable with the probability sigmoid(logit / temperature).

    Args: see `softmax_divergence`.
    """
    import tensorflow as tf

    student, teacher = (tf.cast(logits, tf.float32) / temperature
                        for logits in (student_logits, teacher_logits))
    each = (
        tf.sigmoid(teacher) * (tf.math.log_sigmoid(teacher) - tf.math.log_sigmoid(student))
        + tf.sigmoid(-teacher) * (tf.math.log_sigmoid(-teacher) - tf.math.log_sigmoid(-student)))
    return temperature**2 * tf.reduce_mean(each, axis=-1)
