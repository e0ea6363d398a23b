"""Datasets from generators."""

from collections.abc import Callable, Iterator

import tensorflow as tf

from mobilebert_tf import freed_memory


def dataset(generate: Callable[[], Iterator], output_signature) -> tf.data.Dataset:
    """Return `tf.data.Dataset.from_generator` of these, which leaves freed memory as it was.

    With Python 3.11 and newer, TensorFlow's op makes glibc give all buffers of more than 128 KB
    back to the system, for the whole process (generator_dataset_op.cc of 2.21).
    """
    def generated():
        freed_memory.keep_again()  # the op is there before its generator starts
        yield from generate()

    return tf.data.Dataset.from_generator(generated, output_signature=output_signature)
