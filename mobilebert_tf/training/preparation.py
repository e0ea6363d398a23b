"""What TensorFlow is told before the models of a run are built."""

import contextlib
from collections.abc import Iterator

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.precision import computing_in
from mobilebert_tf.resuming.random_state import make_dropout_restorable
from mobilebert_tf.training.devices import strategy_for
from mobilebert_tf.training.settings import TrainingSettings


@contextlib.contextmanager
def prepared(settings: TrainingSettings,
             strategy: tf.distribute.Strategy | None) -> Iterator[tf.distribute.Strategy]:
    """Set up TensorFlow before any model is built; give the strategy."""
    keras.utils.set_random_seed(settings.seed)
    if settings.deterministic:
        tf.config.experimental.enable_op_determinism()
    make_dropout_restorable()
    with computing_in(settings.precision):
        yield strategy or strategy_for(settings.devices)
