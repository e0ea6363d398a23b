"""Weights of models: random ones, those of a directory, and whether two models have the same."""

import numpy as np


def randomize(model, seed=0, matrices=0.15, vectors=0.15):
    """Give a model weights for which no layer is an identity, and return it.

    Args:
      model: a Keras model or layer.
      seed: of the random numbers.
      matrices: standard deviation of the weights of two and more axes.
      vectors: that of the others. They lie around 0, and gammas of norms around 1.
    """
    random = np.random.default_rng(seed)
    for variable in model.weights:
        center = 1.0 if "gamma" in variable.name else 0.0
        deviation = matrices if len(variable.shape) > 1 else vectors
        variable.assign(random.normal(center, deviation, variable.shape))
    return model


def saved_weights(directory):
    """The weights of the model in a model directory."""
    from mobilebert_tf import model_directory

    return model_directory.load(directory).model.get_weights()


def same(some, others):
    """Whether two lists of weights are equal to the last bit."""
    return all(np.array_equal(one, other) for one, other in zip(some, others, strict=True))
