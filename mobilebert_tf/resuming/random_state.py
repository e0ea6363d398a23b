"""Dropout whose randomness is a variable, so that a checkpoint can hold it."""

import tf_keras as keras


def make_dropout_restorable() -> None:
    """From here on, models are built with dropout that draws from generators of their own.

    Without it Keras draws from a state that cannot be read, and a run that is continued would
    drop other units than one that never stopped.
    """
    keras.backend.experimental.enable_tf_random_generator()


def dropout_generators(model) -> list:
    """The generators of a model's dropout layers, as what `tf.train.Checkpoint` takes.

    Raises:
      ValueError: when the model was built before `make_dropout_restorable`.
    """
    found = []
    for layer in model._flatten_layers():  # Keras has no public walk through nested layers.
        if isinstance(layer, keras.layers.Dropout) and layer.rate:
            if getattr(layer._random_generator, "_generator", None) is None:
                raise ValueError(f"{layer.name} draws from a state that cannot be saved; call "
                                 "make_dropout_restorable before the model is built")
            found.append(layer._random_generator._generator)
    return found
