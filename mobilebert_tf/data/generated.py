"""Datasets from generators."""

from collections.abc import Callable, Iterator

import tensorflow as tf

from mobilebert_tf import freed_memory


def dataset(generate: Callable[[], Iterator], output_signature) -> tf.data.Dataset:
    """Return a dataset of what a generator yields, and let the process keep freed memory.

    With Python 3.11 and newer, the op of `from_generator` changes a setting of glibc for the whole
    process: freed buffers of more than 128 KB go back to the system (generator_dataset_op.cc of
    TensorFlow 2.21). This sets it again where the process has called `freed_memory.keep`.

    Args:
      generate: () -> an iterator over the elements.
      output_signature: of an element, as `from_generator` takes it.
    """
    def generated():
        # TensorFlow makes the op, which changes the setting, before it starts the generator.
        freed_memory.keep_again()
        yield from generate()

    return tf.data.Dataset.from_generator(generated, output_signature=output_signature)
