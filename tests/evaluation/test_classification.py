import pytest

from mobilebert_tf.evaluation.classification import accuracy


def test_accuracy_is_the_part_that_is_right():
    assert accuracy([0, 1, 2, 2], [0, 1, 1, 2]) == 0.75


@pytest.mark.parametrize(("predicted", "labels"), [([0, 1], [0]), ([], [])])
def test_accuracy_of_different_numbers_or_none_is_refused(predicted, labels):
    with pytest.raises(ValueError, match="one entry an example"):
        accuracy(predicted, labels)
