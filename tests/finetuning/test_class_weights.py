import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from mobilebert_tf.finetuning.class_weights import balanced


def test_every_class_weighs_the_same_by_hand():
    # 6 examples of 3 classes, of which there are 3, 2 and 1.
    assert balanced([0, 2, 0, 1, 0, 2]) == {
        0: pytest.approx(6 / (3 * 3)), 1: pytest.approx(6 / (3 * 1)), 2: pytest.approx(6 / (3 * 2))}


def test_the_weights_of_examples_are_scikit_learns():
    labels = np.random.default_rng(1).choice(5, size=200, p=[.5, .3, .1, .06, .04])
    weights = balanced(labels.tolist())
    assert [weights[label] for label in labels] == pytest.approx(
        compute_sample_weight("balanced", labels).tolist())
    assert np.mean([weights[label] for label in labels]) == pytest.approx(1)


def test_a_class_without_examples_weighs_nothing_special():
    assert balanced([0, 2]) == {0: 1.0, 1: 1.0, 2: 1.0}
