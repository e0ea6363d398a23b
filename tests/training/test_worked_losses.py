"""Worked values of the published losses, apart from this project; wrong versions are seen.

`t` and `s` are logits of a teacher and a student for two rows of three classes. The losses here are
divergences: a published cross-entropy with soft labels is one plus the teacher's entropy, which has
no gradient.
"""

import math

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf import kinds
from mobilebert_tf.training import stage_losses

from .steps import make_stage

T, S, LABELS = [[2, 0, -1], [0, 1, 1]], [[1, 0, 0], [0, 2, -1]], [0, 2]
EVEN = tf.constant([0.5, 0.5])


def probabilities(row, temperature=1.0):
    powers = [math.exp(value / temperature) for value in row]
    return [power / sum(powers) for power in powers]


def by_loops(temperature, student=S, teacher=T):
    """T^2 KL(teacher || student), the mean over rows."""
    total = 0.0
    for ours, theirs in zip(student, teacher, strict=True):
        for p, q in zip(probabilities(theirs, temperature), probabilities(ours, temperature),
                        strict=True):
            total += p * math.log(p / q)
    return temperature**2 * total / len(student)


def entropy(temperature):
    """Of the teacher, the mean over rows."""
    return -sum(p * math.log(p) for row in T for p in probabilities(row, temperature)) / 2


def of_stage(name, **fields):
    """A loss of a stage for a classifier with these logits."""
    batch = {"input_mask": tf.ones((2, 4), tf.int32), "targets/logits": tf.constant(LABELS)}
    outputs = [{"head": {"logits": tf.constant(logits, tf.float32)}} for logits in (S, T)]
    found = stage_losses.terms(
        make_stage({name: 1.0}, ("head",), **fields), *outputs, batch,
        {"labels": EVEN, "soft_labels": EVEN}, kinds.get("classification")())
    return float(found[name])


@pytest.mark.parametrize(("temperature", "mean"), [
    (1.0, 0.4567767), (2.0, 0.5446524), (10.0, 0.5621372)])
def test_soft_labels_are_a_mean_over_rows(temperature, mean):
    """DistilBERT's `batchmean`."""
    assert by_loops(temperature) == pytest.approx(mean, rel=1e-6)
    assert of_stage("soft_label", temperature=temperature) == pytest.approx(mean, rel=1e-5)
    wrong = [by_loops(temperature, T, S), by_loops(temperature) / 3, by_loops(temperature + 1)]
    if temperature != 1:
        wrong.append(by_loops(temperature) / temperature**2)
    assert all(abs(value - mean) > 1e-4 for value in wrong)


@pytest.mark.parametrize(("temperature", "mean"), [
    (1.0, 0.1522589), (2.0, 0.1815508), (10.0, 0.1873791)])
def test_bert_pkds_code_divides_by_the_classes_too(temperature, mean):
    found = of_stage("soft_label", temperature=temperature, mean_over_classes=True)
    assert found == pytest.approx(mean, rel=1e-5)


@pytest.mark.parametrize(("temperature", "mean"), [
    (1.0, 0.4091962), (2.0, 0.3754423), (10.0, 0.3665675)])
def test_tinyberts_code_has_the_entropy_and_no_square_of_the_temperature(temperature, mean):
    found = of_stage("soft_label", temperature=temperature, mean_over_classes=True)
    assert found / temperature**2 + entropy(temperature) / 3 == pytest.approx(mean, rel=1e-5)


def test_pds_is_the_cross_entropy_with_probabilities():
    assert of_stage("soft_label") + entropy(1.0) == pytest.approx(1.2275886, rel=1e-5)


def test_labels():
    assert of_stage("label") == pytest.approx(1.8606454, rel=1e-5)


@pytest.mark.parametrize(("normalize", "expected"), [(True, 0.6), (False, 3.75)])
def test_patience_of_bert_pkd_of_normalised_states_and_raw_ones(normalize, expected):
    """The states of [CLS] of one row after two blocks; the mean over blocks and features."""
    ours, theirs = ([[tf.constant([[state]], tf.float32) for state in states]
                     for states in ([[3, 4], [1, 0]], [[0, 5], [0, 2]])])
    stage = make_stage({"patience": 1.0}, blocks=((0, 0), (1, 1)), normalize_patience=normalize)
    found = stage_losses.terms(stage, {"block_outputs": ours}, {"block_outputs": theirs}, {},
                               {"sequences": tf.ones(1)})
    assert float(found["patience"]) == pytest.approx(expected, rel=1e-6)


def test_equal_logits_have_no_divergence():
    outputs = {"head": {"logits": tf.constant(T, tf.float32)}}
    for divided in (False, True):
        found = stage_losses.terms(
            make_stage({"soft_label": 1.0}, ("head",), temperature=3.0, mean_over_classes=divided),
            outputs, outputs, {"input_mask": tf.ones((2, 4), tf.int32)}, {"soft_labels": EVEN},
            kinds.get("classification")())
        assert float(found["soft_label"]) == 0


def test_kinds_say_over_how_many_classes_they_sum():
    logits = {"logits": np.zeros((2, 7), np.float32)}
    for name, expected in (("classification", 7), ("tagging", 7), ("multi_label", 1),
                           ("regression", 1)):
        assert kinds.get(name)().summed_classes(logits) == expected
