"""The head of a classifier by logistic regression on the encoder's pooled outputs."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from sklearn.linear_model import LogisticRegression

from mobilebert_tf.models.classifier import Classifier

_BATCH_SIZE = 32
_STEPS = 1000


def fit(classifier: Classifier, inputs: dict[str, np.ndarray], labels: Sequence[int]) -> None:
    """Fit the head to rows; the classifier's softmax equals the regression's `predict_proba`.

    The pooled outputs are divided by one number, the root mean square of their lengths (L2). After
    that they have length 1 on average, which suits the regression's penalty. The kernel takes the
    division in exactly. A division of each row by its own length would need a layer of its own in
    every exported file. Where a pooled output is not finite, the head stays as it is.

    Args:
      classifier: its encoder is read and its head is set.
      inputs: the encoder's, int32 `(rows, seq)` each.
      labels: the class of each row; all classes must occur.
    """
    features = pooled(classifier.encoder, inputs)
    if not np.isfinite(features).all():
        # The encoder diverged. Its dev scores show it; the regression would end in a traceback.
        return
    scale = float(np.sqrt(np.mean(np.sum(features ** 2, axis=1))))
    regression = LogisticRegression(max_iter=_STEPS).fit(features / scale, labels)
    kernel, bias = regression.coef_.T / scale, regression.intercept_
    if classifier.num_classes == 2:
        # One logit z for two classes: the softmax of -z/2 and z/2 is its sigmoid.
        kernel, bias = kernel * [-0.5, 0.5], bias * [-0.5, 0.5]
    classifier.head.set_weights([kernel, bias])


def pooled(encoder, inputs: dict[str, np.ndarray]) -> np.ndarray:
    """Compute the pooled outputs of rows, float64 `(rows, features)`."""
    count = len(inputs["input_word_ids"])
    return np.concatenate([
        encoder({name: tf.constant(values[start:start + _BATCH_SIZE])
                 for name, values in inputs.items()}, training=False)["pooled_output"].numpy()
        for start in range(0, count, _BATCH_SIZE)]).astype(np.float64)
