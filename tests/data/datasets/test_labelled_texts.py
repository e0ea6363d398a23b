import pytest

from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts, from_rows
from mobilebert_tf.data.datasets.left_out import LeftOut
from mobilebert_tf.errors import InputError

NAMES = ("no", "yes")
PAIRS = Columns("first", "answer", "second")
SHORT, EMPTY = LeftOut("a.tsv", 7, "too few columns"), LeftOut("b.tsv", 2, "no text or no label")


def test_two_sets_are_joined_row_by_row():
    one = LabelledTexts(("a",), (1,), ("b",), NAMES, lines=(2,), skipped=(SHORT,))
    two = LabelledTexts(("c", "d"), (0, 1), ("e", "f"), NAMES, lines=(5, 9), skipped=(EMPTY,))
    joined = one + two
    assert joined == LabelledTexts(("a", "c", "d"), (1, 0, 1), ("b", "e", "f"), NAMES,
                                   skipped=(SHORT, EMPTY))
    assert (joined.lines, len(joined)) == ((2, 5, 9), 3)
    single = LabelledTexts(("a",), None)
    assert single + single == LabelledTexts(("a", "a"), None)


@pytest.mark.parametrize(("other", "message"), [
    (LabelledTexts(("a",), (1,), ("b",), ("yes", "no")),
     "labels of the classes no, yes and labels of the classes yes, no cannot be joined"),
    (LabelledTexts(("a",), (1.0,), ("b",)), "and labels of no classes cannot be joined"),
    (LabelledTexts(("a",), (1,), None, NAMES), "data with pairs and data without cannot"),
    (LabelledTexts(("a",), None, ("b",), NAMES), "data with labels and data without cannot"),
])
def test_sets_of_two_kinds_are_not_joined(other, message):
    with pytest.raises(InputError, match=message):
        LabelledTexts(("a",), (1,), ("b",), NAMES) + other


def test_rows_become_columns_and_labels_ids():
    rows = [(2, ["Y", "a", "b"]), (7, ["N", "c", "d"])]
    found = from_rows("x.tsv", rows, PAIRS, NAMES, values=("N", "Y"), skipped=[SHORT])
    assert found == LabelledTexts(("a", "c"), (1, 0), ("b", "d"), NAMES, skipped=(SHORT,))
    assert found.lines == (2, 7)
    named = from_rows("x.tsv", [(2, ["yes", "a", "b"])], PAIRS, NAMES)
    assert named.labels == (1,)


def test_without_classes_labels_are_numbers():
    found = from_rows("x.tsv", [(1, ["0.25", "a"]), (2, ["-3e1", "b"])], Columns("t", "l"), None)
    assert found == LabelledTexts(("a", "b"), (0.25, -30.0))
    assert all(type(label) is float for label in found.labels)


@pytest.mark.parametrize(("names", "label", "message"), [
    (NAMES, "Yes", "x.tsv, line 7: the answer 'Yes' is not one of no, yes"),
    (None, "yes", "x.tsv, line 7: the answer 'yes' is not a number"),
    (None, "nan", "x.tsv, line 7: the answer 'nan' is not a finite number"),
    (None, "inf", "the answer 'inf' is not a finite number"),
])
def test_other_labels_are_named_by_file_and_line(names, label, message):
    good = "yes" if names else "1"
    with pytest.raises(InputError, match=message):
        from_rows("x.tsv", [(2, [good, "a", "b"]), (7, [label, "c", "d"])], PAIRS, names)
