import io

import numpy as np
import pytest
from matplotlib import image
from sklearn import metrics

from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import confusion, confusion_picture
from mobilebert_tf.evaluation.classification import score_by_class


def test_rows_are_labels_and_columns_predictions_by_hand():
    found = confusion.of([0, 1, 1, -1, 2, 0], [0, 0, 1, 1, 1, 0], ("a", "b", "c"))
    assert found.to_dict() == {"labels": ["a", "b", "c"], "missing": [0, 1, 0],
                               "counts": [[2, 1, 0], [0, 1, 1], [0, 0, 0]]}
    np.testing.assert_allclose(found.parts, [[2 / 3, 1 / 3, 0], [0, 1 / 3, 1 / 3], [0, 0, 0]])


def test_scores_by_class_are_scikit_learns():
    labels, predicted = np.random.default_rng(1).integers(4, size=(2, 80))
    names = ("a", "b", "c", "d", "never")
    found = score_by_class(predicted, labels, names)
    report = metrics.classification_report(labels, predicted, labels=range(5), target_names=names,
                                           output_dict=True, zero_division=0)
    for name in names:
        assert found[name] == {"f1": pytest.approx(report[name]["f1-score"]),
                               "precision": pytest.approx(report[name]["precision"]),
                               "recall": pytest.approx(report[name]["recall"]),
                               "examples": report[name]["support"]}
    # A missing answer is a label that was not found, and no class of its own.
    assert score_by_class([0, -1, 1], [0, 0, 1], ("a", "b"))["a"] == {
        "f1": pytest.approx(2 / 3), "precision": 1, "recall": 0.5, "examples": 2}


def picture(path, counts, names=None):
    names = names or tuple(map(str, range(len(counts))))
    confusion_picture.draw(confusion.Confusion(names, np.array(counts), np.zeros(len(counts), int)),
                           path)
    return image.imread(io.BytesIO(path.read_bytes()))[..., :3]


def test_a_cell_is_the_darker_the_greater_its_part_of_the_row(tmp_path):
    """Blue of both rows; the second has a hundred times as many examples."""
    blank = picture(tmp_path / "blank.png", [[0, 0], [0, 0]])
    same = picture(tmp_path / "same.png", [[9, 1], [100, 900]])
    less = picture(tmp_path / "less.png", [[6, 4], [100, 900]])
    assert blank.shape == same.shape
    changed = np.abs(same - less).max(axis=2) > 0.02
    rows, columns = np.nonzero(changed)
    # Only the first row's two cells change, the left half brighter and the right half darker.
    assert rows.max() < blank.shape[0] / 2
    middle = (columns.min() + columns.max()) // 2
    brighter = (less - same).sum(axis=2) * changed
    assert brighter[:, :middle].sum() > 0 > brighter[:, middle:].sum()


def test_many_classes_with_long_names_are_drawn_at_a_size_that_can_be_looked_at(tmp_path):
    names = tuple(f"$class_{number}" * (1 + 9 * (number == 7)) for number in range(150))
    found = picture(tmp_path / "many.png", np.eye(150, dtype=int), names)
    assert 2000 < max(found.shape) < 3500
    with pytest.raises(InputError, match="a picture of 501 classes could not be read"):
        picture(tmp_path / "more.png", np.eye(501, dtype=int))
    assert not (tmp_path / "more.png").exists()
