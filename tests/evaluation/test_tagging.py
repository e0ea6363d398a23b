import warnings

import pytest

from mobilebert_tf.evaluation.tagging import score, score_by_type

# By hand, and by conlleval.pl of 2004-01-26: X: 4 expected, 4 found, 2 of them right (the first two
# words of either sentence); Y: 2 expected, 3 found, 1 right (the last word).
EXPECTED = [["B-X", "I-X", "O", "B-Y", "O", "B-X", "B-X"], ["B-X", "I-X", "O", "B-Y"]]
PREDICTED = [["I-X", "I-X", "O", "B-X", "I-Y", "I-X", "I-X"], ["I-X", "I-X", "I-Y", "B-Y"]]


@pytest.fixture(autouse=True)
def _no_warnings():
    import seqeval.metrics  # noqa: F401  what others' imports warn of is not ours

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_entities_are_counted_as_conlleval_does():
    assert score(EXPECTED, PREDICTED) == pytest.approx(
        {"precision": 3 / 7, "recall": 3 / 6, "f1": 2 * 3 / (7 + 6)}, rel=1e-12)
    # Tuples are sentences too.
    assert score(tuple(map(tuple, EXPECTED)), tuple(map(tuple, PREDICTED))) == (
        score(EXPECTED, PREDICTED))


def test_each_type():
    scores = score_by_type(EXPECTED, PREDICTED)
    assert list(scores) == ["X", "Y"]
    assert scores["X"] == pytest.approx(
        {"precision": 2 / 4, "recall": 2 / 4, "f1": 2 / 4, "entities": 4}, rel=1e-12)
    assert scores["Y"] == pytest.approx(
        {"precision": 1 / 3, "recall": 1 / 2, "f1": 2 / 5, "entities": 2}, rel=1e-12)


def test_perfect_is_one_whatever_the_scheme():
    assert score([["B-X", "I-X", "B-X", "O"]], [["I-X", "I-X", "B-X", "O"]]) == {
        "f1": 1.0, "precision": 1.0, "recall": 1.0}


@pytest.mark.parametrize(("expected", "predicted"), [
    ([["O", "O"]], [["O", "O"]]),
    ([[]], [[]]),
    ([["B-X", "I-X"]], [["O", "O"]]),
    ([["O", "O"]], [["O", "B-X"]]),
])
def test_what_is_not_defined_is_zero_and_silent(expected, predicted, capfd):
    assert score(expected, predicted) == {"f1": 0.0, "precision": 0.0, "recall": 0.0}
    found = score_by_type(expected, predicted)
    assert set(found) == {tag[2:] for tag in (*expected[0], *predicted[0]) if tag != "O"}
    assert all(scores["f1"] == 0.0 for scores in found.values())
    assert capfd.readouterr() == ("", "")


def test_scores_are_json():
    import json

    assert json.loads(json.dumps(score(EXPECTED, PREDICTED))) == score(EXPECTED, PREDICTED)
    assert json.loads(json.dumps(score_by_type(EXPECTED, PREDICTED))) == (
        score_by_type(EXPECTED, PREDICTED))


@pytest.mark.parametrize(("expected", "predicted"), [
    ([["O"], ["O", "O"]], [["O", "O"], ["O"]]),
    ([["O"], ["O"]], [["O"]]),
    ([], []),
])
def test_other_numbers_of_tags_are_refused(expected, predicted):
    for function in (score, score_by_type):
        with pytest.raises(ValueError, match=r"Received: \d and \d sentences"):
            function(expected, predicted)
