import pytest

from mobilebert_tf.data import glue
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import labels, metrics


def test_every_task_has_its_metric():
    for name in glue.TASKS:
        assert metrics.of(name).name


def test_a_metric_is_never_assumed():
    with pytest.raises(InputError, match="'mine' has no metric"):
        metrics.of("mine")


def test_sst2_is_scored_by_accuracy():
    metric = metrics.of("sst2")
    assert (metric.name, metric.score([0, 1, 1, 1], [0, 1, 1, 0])) == ("accuracy", 0.75)


def test_cola_is_scored_by_matthews_correlation():
    metric = metrics.of("cola")
    assert (metric.name, metric.score([0, 1, 1, 1], [0, 1, 1, 1])) == ("matthews", 1.0)
    # Three of four are right, and no better than chance.
    assert metric.score([1, 1, 1, 1], [0, 1, 1, 1]) == 0.0


def test_labels_are_the_tasks_in_its_order_in_any_case():
    labels.check(("NEGATIVE", "Positive"), "sst2", "x")
    for wrong in (("positive", "negative"), ("negative",), ("negative", "positive", "neutral"),
                  ("LABEL_0", "LABEL_1"), None):
        with pytest.raises(InputError, match="^x is of another task than sst2: it has "):
            labels.check(wrong, "sst2", "x")
