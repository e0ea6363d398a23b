"""Datasets that TensorFlow does not tune while they run."""

import tensorflow as tf


def untuned(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Return a dataset whose iterators end at once.

    Otherwise the end of an iterator waits until the thread that tunes the dataset wakes up, which
    takes up to a minute. The training data needs no tuning: a step takes far longer than its batch.
    """
    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.with_options(options)
