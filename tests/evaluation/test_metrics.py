import pytest

from mobilebert_tf.data.datasets import glue
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import metrics


def test_every_task_has_its_metric():
    for name in glue.TASKS:
        found = metrics.of(name)
        assert found.main in found.scores([0, 1, 1], [0, 1, 0])


def test_a_metric_is_never_assumed():
    with pytest.raises(InputError, match="'mine' has no metric"):
        metrics.of("mine")


def test_sst2_is_scored_by_accuracy():
    assert metrics.of("sst2").scores([0, 1, 1, 1], [0, 1, 1, 0]) == {"accuracy": 0.75}


def test_cola_is_scored_by_matthews_correlation():
    metric = metrics.of("cola")
    assert metric.scores([0, 1, 1, 1], [0, 1, 1, 1]) == {"matthews": 1.0}
    # Three of four are right, and no better than chance.
    assert metric.scores([1, 1, 1, 1], [0, 1, 1, 1]) == {"matthews": 0.0}


# Scores of transformers 4.30.2's glue_compute_metrics, the port of GLUE's own code.
PARAPHRASES = ([1, 1, 0, 1, 0, 0, 1, 0], [1, 0, 0, 1, 1, 0, 1, 1])
SIMILARITIES = ([1.5, 4.0, 2.5, 2.5, 0.1, 5.2], [1.0, 5.0, 2.0, 3.0, 0.0, 4.0])
OFFICIAL = {
    **dict.fromkeys(("sst2", "mnli", "mnli_mismatched", "qnli", "rte", "wnli"),
                    (PARAPHRASES, {"accuracy": 0.625})),
    "cola": (PARAPHRASES, {"matthews": 0.25819888974716115}),
    **dict.fromkeys(("mrpc", "qqp"), (PARAPHRASES, {
        "accuracy_and_f1": 0.6458333333333333, "accuracy": 0.625, "f1": 0.6666666666666666})),
    "stsb": (SIMILARITIES, {"pearson_and_spearman": 0.9182544550794632,
                            "pearson": 0.908875253115009, "spearman": 0.9276336570439174}),
}


@pytest.mark.parametrize("name", glue.TASKS)
def test_scores_are_the_official_ones(name):
    (predicted, labels), expected = OFFICIAL[name]
    found = metrics.of(name)
    assert found.scores(predicted, labels) == pytest.approx(expected, abs=1e-12)
    assert found.main == next(iter(expected))


def test_users_own_tables_have_scores_too():
    assert metrics.CLASSIFICATION.scores([0, 0, 0, 1], [0, 0, 2, 1]) == pytest.approx(
        {"accuracy": 0.75, "macro_f1": (4 / 5 + 1 + 0) / 3})
    assert metrics.CLASSIFICATION.main == "accuracy"
    assert set(metrics.REGRESSION.scores(*SIMILARITIES)) == {
        "pearson_and_spearman", "pearson", "spearman"}
