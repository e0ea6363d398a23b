"""A classifier of a preset with weights as no training left them: for latency, not for answers."""

import numpy as np

from ... import presets
from ...models.classifier import Classifier
from ...models.encoder import Encoder


def classifier(preset: str) -> Classifier:
    """A two-class `Classifier` of random weights, the same at every call.

    Norms and biases are random too: a converter folds gamma = 1 and beta = 0 away, which no
    trained model would let it do, and the file would look faster than it is.
    """
    random = np.random.default_rng(0)
    model = Classifier(Encoder(presets.get(preset)), 2)
    for variable in model.variables:
        deviation = 0.02 if len(variable.shape) > 1 else 0.1
        center = 1.0 if "gamma" in variable.name else 0.0
        variable.assign(random.normal(center, deviation, variable.shape))
    return model
