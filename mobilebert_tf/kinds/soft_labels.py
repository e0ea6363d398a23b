"""Divergences between the answers of a student and of its teacher, one for each place."""


def divergence(student_logits, teacher_logits):
    """Return KL(teacher || student) over the last axis, exactly 0 for equal logits.

    TensorFlow's cross-entropy kernel is slow for rows as short as those of attention: it takes as
    long as the rest of a training step. So this is written out.

    Args:
      student_logits, teacher_logits: `(..., n)`, of any float type.
    Returns:
      float32 `(...)`.
    """
    import tensorflow as tf

    student_logits, teacher_logits = (tf.cast(logits, tf.float32)
                                      for logits in (student_logits, teacher_logits))
    teacher_sum = tf.reduce_logsumexp(teacher_logits, axis=-1, keepdims=True)
    student_sum = tf.reduce_logsumexp(student_logits, axis=-1, keepdims=True)
    probabilities = tf.exp(teacher_logits - teacher_sum)
    difference = teacher_logits - student_logits
    return (tf.reduce_sum(probabilities * difference, axis=-1)
            - tf.squeeze(teacher_sum - student_sum, axis=-1))


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
