import pytest

from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.labelled_texts import (
    LabelledTexts,
    class_of,
    classes_of,
    from_rows,
    number,
)
from mobilebert_tf.data.datasets.rows import LeftOut
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
     "data with the classes no, yes and data with the classes yes, no cannot be joined"),
    (LabelledTexts(("a",), (1.0,), ("b",)), "and data with no classes cannot be joined"),
    (LabelledTexts(("a",), (1,), None, NAMES),
     "data with second texts and data without second texts cannot"),
    (LabelledTexts(("a",), None, ("b",), NAMES), "data with labels and data without labels cannot"),
])
def test_sets_of_two_kinds_are_not_joined(other, message):
    with pytest.raises(InputError, match=message):
        LabelledTexts(("a",), (1,), ("b",), NAMES) + other


def test_rows_become_columns_and_labels_ids():
    rows = [(2, ["Y", "a", "b"]), (7, ["N", "c", "d"])]
    found = from_rows("x.tsv", rows, PAIRS, class_of(("N", "Y")), NAMES, skipped=[SHORT])
    assert found == LabelledTexts(("a", "c"), (1, 0), ("b", "d"), NAMES, skipped=(SHORT,))
    assert found.lines == (2, 7)


def test_without_classes_labels_are_numbers():
    found = from_rows("x.tsv", [(1, ["0.25", "a"]), (2, ["-3e1", "b"])], Columns("t", "l"), number)
    assert found == LabelledTexts(("a", "b"), (0.25, -30.0))
    assert all(type(label) is float for label in found.labels)


@pytest.mark.parametrize(("names", "label", "message"), [
    (NAMES, "Yes", "x.tsv, line 7: the answer 'Yes' is not one of no, yes"),
    (tuple("abcdefghijklm"), "x", "is not one of a, b, c, d, e, f, g, h, i, j, and 3 more$"),
    (None, "yes", "x.tsv, line 7: the answer 'yes' is not a number"),
    (None, "nan", "x.tsv, line 7: the answer 'nan' is not a finite number"),
    (None, "inf", "the answer 'inf' is not a finite number"),
])
def test_other_labels_are_named_by_file_and_line(names, label, message):
    good = "yes" if names else "1"
    with pytest.raises(InputError, match=message):
        from_rows("x.tsv", [(2, [good, "a", "b"]), (7, [label, "c", "d"])], PAIRS,
                  class_of(names) if names else number)


def test_several_labels_become_a_number_for_each_class():
    labels_of = classes_of(("anger", "joy", "love"))
    assert labels_of("joy") == (0.0, 1.0, 0.0)
    assert labels_of(" love |anger") == labels_of("anger|love|love") == (1.0, 0.0, 1.0)
    assert labels_of("") == labels_of(" ") == (0.0, 0.0, 0.0)
    assert all(type(number) is float for number in labels_of("joy"))


@pytest.mark.parametrize(("value", "message"), [
    ("joy|Love", "holds 'Love', which is not one of anger, joy, love"),
    ("joy|", r"holds an empty label; put one \| between two labels"),
    ("| |", "holds an empty label"),
])
def test_labels_that_are_no_classes_are_refused(value, message):
    with pytest.raises(ValueError, match=message):
        classes_of(("anger", "joy", "love"))(value)
