"""Means over several batches, by hand."""

import pytest

from mobilebert_tf.training.measured import Measured


def test_each_loss_counts_its_own_places():
    measured = Measured({"masked_lm": 1.0, "next_sentence": 0.5})
    measured.add({"masked_lm": (4.0, 10), "next_sentence": (0.75, 2),
                  "masked_lm_accuracy": (0.5, 10)})
    measured.add({"masked_lm": (1.0, 30), "next_sentence": (0.0, 0),  # no pair
                  "masked_lm_accuracy": (0.1, 30)})
    means = measured.means()
    assert means == pytest.approx({
        "masked_lm": 1.75, "next_sentence": 0.75, "loss": 1.75 + 0.375, "masked_lm_accuracy": 0.2})
    assert list(means) == ["masked_lm", "next_sentence", "loss", "masked_lm_accuracy"]


def test_a_loss_without_a_place_in_any_batch_is_left_out():
    measured = Measured({"masked_lm": 2.0, "next_sentence": 1.0})
    for _ in range(2):
        measured.add({"masked_lm": (3.0, 5), "next_sentence": (0.0, 0)})
    assert measured.means() == {"masked_lm": 3.0, "loss": 6.0}
