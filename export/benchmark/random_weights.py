"""Models of a preset with random weights: right for latency, useless for answers."""

import numpy as np

from mobilebert_tf import presets
from mobilebert_tf.models.classifier import Classifier
from mobilebert_tf.models.encoder import Encoder

_CALIBRATION_EXAMPLES = 8


def classifier(preset: str) -> Classifier:
    """Return a two-class `Classifier` of random weights, the same at every call."""
    return _randomized(Classifier(Encoder(presets.get(preset)), 2))


def encoder(preset: str) -> Encoder:
    """Return an `Encoder` of random weights, the same at every call."""
    return _randomized(Encoder(presets.get(preset)))


# By kind: a classifier computes its last block only for [CLS], an encoder for every token.
MODELS = {"classification": classifier, "encoding": encoder}


def calibration(preset: str, length: int) -> dict[str, np.ndarray]:
    """Return random tokens of many lengths, for recipes that learn ranges of activations.

    Such ranges fit no text. The time that kernels take does not depend on them.
    """
    config = presets.get(preset)
    random = np.random.default_rng(0)
    # From a short sentence to one that fills the sequence.
    real = random.integers(min(8, length), length + 1, (_CALIBRATION_EXAMPLES, 1))
    mask = (np.arange(length) < real).astype(np.int32)
    ids = random.integers(0, config.vocab_size, mask.shape, np.int32)
    return {"input_word_ids": ids * mask, "input_mask": mask,
            "input_type_ids": np.zeros_like(mask)}


def _randomized(model):
    """Give a model random weights, including norms and biases.

    A converter folds gamma = 1 and beta = 0 away, and the file would be faster than that of a
    trained model.
    """
    random = np.random.default_rng(0)
    for variable in model.variables:
        deviation = 0.02 if len(variable.shape) > 1 else 0.1
        center = 1.0 if "gamma" in variable.name else 0.0
        variable.assign(random.normal(center, deviation, variable.shape))
    return model
