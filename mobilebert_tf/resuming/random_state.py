"""Dropout with a random state that a checkpoint can hold."""

import tf_keras as keras


def make_dropout_restorable() -> None:
    """Build all models from now on with dropout that has its own random generators.

    By default Keras draws from a state that cannot be read. A run that is continued would then
    drop other units than a run that never stopped.
    """
    keras.backend.experimental.enable_tf_random_generator()


def dropout_generators(model) -> list:
    """Return the generators of a model's dropout layers, which `tf.train.Checkpoint` can hold.

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
