import numpy as np
import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation.regression import pearson, spearman

# What is said on stderr beside a score would read as part of it.
pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize(("predicted", "labels", "expected", "expected_of_ranks"), [
    # Deviations -1 0 1 and -2 -1 3: 5 / sqrt(2 * 14).
    ((1.0, 2.0, 3.0), (0.0, 1.0, 5.0), 5 / np.sqrt(28), 1.0),
    # Ranks 1 2 3 4 and 1 2.5 2.5 4: deviations -1.5 -0.5 0.5 1.5 and -1.5 0 0 1.5.
    ((0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 1.0, 2.0), 3 / np.sqrt(5 * 2), 4.5 / np.sqrt(5 * 4.5)),
    ((3.0, 1.0), (0.0, 5.0), -1.0, -1.0),
    ((7.0, 7.0, 7.0), (0.0, 1.0, 5.0), 0.0, 0.0),
    ((1.0, np.nan, 3.0), (0.0, 1.0, 5.0), 0.0, 0.0),
    ((1.0, 2.0, np.inf), (0.0, 1.0, 5.0), 0.0, 0.0),
])
def test_correlations_by_hand(predicted, labels, expected, expected_of_ranks):
    found = pearson(predicted, labels), spearman(predicted, labels)
    assert [type(score) for score in found] == [float, float]
    assert found == (pytest.approx(expected, abs=1e-12),
                     pytest.approx(expected_of_ranks, abs=1e-12))


def test_predictions_that_are_nearly_the_same_or_huge_get_a_number_and_no_warning():
    labels = (0.0, 1.0, 5.0)
    for predicted in ((1.0, 1.0 + 1e-15, 1.0), (1e308, -1e308, 1e308)):
        assert np.isfinite([pearson(predicted, labels), spearman(predicted, labels)]).all()


@pytest.mark.parametrize("score", [pearson, spearman])
def test_labels_that_are_all_the_same_score_nobody(score):
    with pytest.raises(InputError, match="every one of the 3 labels is 2.5; a correlation needs"):
        score([1.0, 2.0, 3.0], [2.5, 2.5, 2.5])


@pytest.mark.parametrize("score", [pearson, spearman])
@pytest.mark.parametrize(("predicted", "labels"), [
    ([0.0, 1.0], [0.0]), ([], []), ([[0.0], [1.0]], [[0.0], [1.0]])])
def test_different_numbers_or_none_are_refused(score, predicted, labels):
    with pytest.raises(ValueError, match="one number an example"):
        score(predicted, labels)
