"""Class weights in the loss, for classes of unequal size."""

from collections.abc import Sequence

import numpy as np


def balanced(labels: Sequence[int]) -> dict[int, float]:
    """Compute weights with which all classes count the same, by scikit-learn.

    A class with `count` of n examples gets n / (classes * count), so that the mean weight of the
    examples is 1. Source: King and Zeng 2001, as in scikit-learn.

    Args:
      labels: class ids of the training examples; at least one.
    Returns:
      the weight by class id, up to the greatest id; 1 for a class without examples.

    Example:
      >>> balanced([0, 0, 0, 2])
      {0: 0.6666666666666666, 1: 1.0, 2: 2.0}
    """
    from sklearn.utils.class_weight import compute_class_weight

    classes = np.unique(labels)
    weights = np.ones(classes[-1] + 1)
    weights[classes] = compute_class_weight("balanced", classes=classes, y=np.asarray(labels))
    return dict(enumerate(weights.tolist()))
