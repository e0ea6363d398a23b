"""Divergences between the answers of a student and of its teacher, one for each place."""


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

    student, teacher = (tf.nn.log_softmax(tf.cast(logits, tf.float32) / temperature)
                        for logits in (student_logits, teacher_logits))
    return temperature**2 * tf.reduce_sum(tf.exp(teacher) * (teacher - student), axis=-1)


def sigmoid_divergence(student_logits, teacher_logits, temperature: float):
    """Return the same for classes that are each on their own: the mean of their KL divergences.

    A class is a Bernoulli variable with the probability sigmoid(logit / temperature).

    Args: see `softmax_divergence`.
    """
    import tensorflow as tf

    student, teacher = (tf.cast(logits, tf.float32) / temperature
                        for logits in (student_logits, teacher_logits))
    divergence = (
        tf.sigmoid(teacher) * (tf.math.log_sigmoid(teacher) - tf.math.log_sigmoid(student))
        + tf.sigmoid(-teacher) * (tf.math.log_sigmoid(-teacher) - tf.math.log_sigmoid(-student)))
    return temperature**2 * tf.reduce_mean(divergence, axis=-1)
