import gzip
import json

import pytest

from mobilebert_tf.data import lines
from mobilebert_tf.data.datasets import tables
from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.errors import InputError

TEXT = Columns("review", "stars")
PAIR = Columns("premise", "verdict", "hypothesis")


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(("name", "content", "lines"), [
    ("a.tsv", 'id\tstars\treview\n1\tbad\t"No, never\n2\t good \tYes "so" good\n', (2, 3)),
    ("a.TSV", '\ufeffstars\treview\r\nbad\t"No, never\r\ngood\tYes "so" good\r\n\r\n', (2, 3)),
    ("a.csv", 'id,stars,review\n1,bad,"""No, never"\n2,good,"Yes ""so"" good"\n', (2, 3)),
    ("a.csv", 'stars,review\r\nbad,"""No, never"\r\ngood,Yes "so" good\r\n\r\n', (2, 3)),
    ("a.jsonl", '{"stars": "bad", "review": "\\"No, never", "id": null}\n'
                '{"review": "Yes \\"so\\" good", "stars": "good"}\n', (1, 2)),
])
def test_the_same_table_in_each_format(write, name, content, lines):
    found = tables.read(write(name, content), TEXT, ("bad", "good"))
    assert found == LabelledTexts(
        ('"No, never', 'Yes "so" good'), (0, 1), names=("bad", "good"))
    assert found.lines == lines
    packed = write(f"{name}.gz", gzip.compress(content.encode()))
    assert tables.read(packed, TEXT, ("bad", "good")) == found


def test_pairs_and_numbers(write):
    path = write("a.tsv", "hypothesis\tverdict\tpremise\nb\t0.5\ta\nd\t-2\tc\n")
    assert tables.read(path, PAIR, None) == LabelledTexts(("a", "c"), (0.5, -2.0), ("b", "d"))


def test_a_field_of_csv_may_hold_newlines_and_lines_are_still_the_files(write):
    path = write("a.csv", 'stars,review\n1,"one\n\ntwo, ""three"""\n1,four\n3,five\n')
    found = tables.read(path, TEXT, ("1", "3"))
    assert found.texts == ('one\n\ntwo, "three"', "four", "five")
    assert found.lines == (2, 5, 6)
    with pytest.raises(InputError, match="a.csv, line 6: the stars '3' is not one of 1, 2"):
        tables.read(path, TEXT, ("1", "2"))


def test_a_field_of_csv_may_be_long(write):
    text = "word " * 50_000
    path = write("a.csv", f"stars,review\n1,{text}\n3,b\n")
    assert tables.read(path, TEXT, ("1", "3")).texts == (text, "b")


def test_a_quote_that_is_never_closed_does_not_take_the_whole_file(write, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 1000)
    path = write("a.csv", 'stars,review\n1,"a\n' + "b,c\n" * 500)
    with pytest.raises(InputError, match=r"a\.csv, line 2 begins a row .*field larger than .*1000"):
        tables.read(path, TEXT, ("1",))


def test_labels_of_json_are_as_json_spells_them(write):
    path = write("a.jsonl", '{"review": "a", "stars": 10}\n{"review": "b", "stars": true}\n'
                            '{"review": "c", "stars": 2.5}\n')
    assert tables.find_labels([path], TEXT) == ("10", "2.5", "true")
    assert tables.read(path, TEXT, ("10", "2.5", "true")).labels == (0, 2, 1)


@pytest.mark.parametrize(("labels", "expected"), [
    (("10", "9", "-1", "2.5"), ("-1", "2.5", "9", "10")),
    (("10", "9", "two"), ("10", "9", "two")),
    (("spam", "Ham", " spam "), ("Ham", "spam")),
    # Numbers to Python, words to people: such a set has no order by value.
    (("nan", "2", "10"), ("10", "2", "nan")),
])
def test_labels_are_found_in_all_files_and_sorted(write, labels, expected):
    rows = [f"{label}\tsome text\n" for label in labels]
    paths = [write("a.tsv", f"stars\treview\n{rows[0]}"),
             write("b.tsv", f"stars\treview\n{''.join(rows[1:])}")]
    assert tables.find_labels(paths, TEXT) == expected
    # No order but the sorted one: that of the rows and of the files means nothing.
    assert tables.find_labels(paths[::-1], TEXT) == expected


def test_one_label_is_no_classifier(write):
    path = write("a.tsv", "stars\treview\ngood\ta\ngood\tb\n")
    with pytest.raises(InputError, match=r"stars of .*a.tsv holds only 'good'; .* two"):
        tables.find_labels([path], TEXT)
    # An empty label is none, and neither is that of a row without a text.
    path = write("a.tsv", "stars\treview\ngood\ta\n \tb\nbad\t \n")
    with pytest.raises(InputError, match=r"stars of .*a.tsv holds only 'good'"):
        tables.find_labels([path], TEXT)


@pytest.mark.parametrize(("name", "content", "message"), [
    ("a.txt", "", r"cannot tell what .*a.txt is; its name should end in .tsv, .csv, .jsonl,"),
    ("a.tsv", "stars\ttext\ngood\ta\n", r"a.tsv, line 1: there is no column 'review'; there are "
                                        r"'stars', 'text'"),
    ("a.csv", "stars;review\ngood;a\n", r"there is no column 'stars'; there are 'stars;review'"),
    ("a.jsonl", '{"stars": "good", "review": "a"}\n{"stars": "good"}\n',
     r"a.jsonl, line 2: there is no column 'review'; there are 'stars'"),
    ("a.tsv", "stars\treview\ngood\ta\tb\n", r"a.tsv, line 2 has 3 columns, the header has 2"),
    ("a.csv", "stars,review\ngood,a, b\n", r"a.csv, line 2 has 3 columns, the header has 2"),
    ("a.csv", 'stars,review\ngood,a\ngood,"a\nb\n', r"a.csv, line 3 begins a row that is not CSV"),
    ("a.csv", 'stars,review\ngood,"a" b\n', r"a.csv, line 2 begins a row that is not CSV: .*doubl"),
    ("a.csv", "stars,review\n\ngood,a\n", r"a.csv, line 2 has 0 columns"),
    ("a.jsonl", '{"stars": "good"\n', r"a.jsonl, line 1 is not JSON: .*an object"),
    ("a.jsonl", '["good", "a"]\n', r'line 1 should be a JSON object, {"stars": ..., "rev'),
    ("a.jsonl", '{"stars": "good", "review": null}\n', r"no row of .*a.jsonl has review and stars"),
    ("a.jsonl", '{"stars": "good", "review": {}}\n', r"'review' is {}; it should be a string"),
    ("a.jsonl", '{"stars": ["good"], "review": "a"}\n', r"'stars' is \[\"good\"\]; it should be"),
    ("a.jsonl", '{"stars": "good", "review": "\\ud83d"}\n', r"line 1: 'review' holds half a surr"),
    ("a.tsv", "stars\treview\ngood\t \n\ta\n", r"no row of .*a.tsv has review and stars; fill"),
    ("a.tsv", "", r"a.tsv is empty"),
    ("a.csv", "\n", r"a.csv is empty"),
    ("a.jsonl", "\n\n", r"a.jsonl is empty"),
    ("a.csv", "stars,review\n", r"a.csv has no rows"),
    ("a.csv", 'stars,review\n"go\nod",a\n', r"a.csv, line 2: the label 'go\\nod' has a line br"),
    ("a.jsonl", '{"stars": "go\\rod", "review": "a"}', r"line 1: the label 'go\\rod' has a line"),
    ("a.tsv", "stars\treview\tstars\ngood\ta\tbad\n", r"line 1 names the column 'stars' more th"),
    ("a.jsonl", '{"stars": "good", "review": "a", "stars": "bad"}', r"JSON: a key is in it twice"),
    ("a.csv", b"stars,review\ngood,caf\xe9\n", r"a.csv, line 2 is not UTF-8: .* 0xE9; save"),
    ("a.jsonl", b'{"stars": "good", "review": "a\0"}', r"a.jsonl, line 1 holds a NUL byte"),
    ("a.tsv", "stars\treview\ngood\ta\nfine\tb\n", r"line 3: the stars 'fine' is not one of good"),
])
def test_bad_tables_are_named_by_file_and_line(write, name, content, message):
    with pytest.raises(InputError, match=message):
        tables.read(write(name, content), TEXT, ("good", "bad"))


@pytest.mark.parametrize(("name", "content", "lines"), [
    ("a.tsv", "stars\treview\ngood\ta\ngood\t  \n\tb\nbad\tc\n \t\n", (3, 4, 6)),
    ("a.csv", 'stars,review\ngood,a\n"","two\nlines"\ngood,"\n"\nbad,c\n', (3, 5)),
    ("a.jsonl", '{"stars": null, "review": "b"}\n{"stars": "good", "review": "a"}\n'
                '{"stars": "bad", "review": "c"}\n{"stars": "bad", "review": null}\n'
                '{"stars": "bad", "review": "\\u2028"}\n', (1, 4, 5))])
def test_rows_without_a_text_or_a_label_are_left_out_and_named(write, name, content, lines):
    path = write(name, content)
    found = tables.read(path, TEXT, ("bad", "good"))
    assert (found.texts, found.labels) == (("a", "c"), (1, 0))
    assert found.skipped == tuple((str(path), line, "no text or no label") for line in lines)
    assert tables.find_labels([path], TEXT) == ("bad", "good")


def test_rows_without_a_second_text_or_a_number_are_left_out(write):
    path = write("a.tsv", "premise\thypothesis\tverdict\na\t\t1\nb\tc\t2.5\nd\te\t \n")
    found = tables.read(path, PAIR, None)
    assert (found.texts, found.second_texts, found.labels) == (("b",), ("c",), (2.5,))
    assert [row.line for row in found.skipped] == [2, 4]
    # Of a table that has no second text by these columns, the row is whole.
    assert len(tables.read(path, Columns("premise", "verdict"), None)) == 2


@pytest.mark.parametrize(("name", "content", "lines"), [
    ("a.tsv", "review\tstars\na\tjoy\nb\t love | anger\n\tjoy\nc\t\n", (2, 3, 5)),
    ("a.csv", 'stars,review\njoy,a\nlove|anger,"b"\njoy,""\n"",c\n', (2, 3, 5)),
    ("a.jsonl", '{"review": "a", "stars": "joy"}\n{"review": "b", "stars": ["anger", " love"]}\n'
                '{"review": null, "stars": ["joy"]}\n{"review": "c", "stars": []}\n', (1, 2, 4)),
    ("a.jsonl", '{"review": "a", "stars": ["joy", "joy"]}\n'
                '{"review": "b", "stars": ["love", "anger"]}\n'
                '{"review": " ", "stars": []}\n{"review": "c", "stars": null}\n', (1, 2, 4)),
])
def test_a_text_may_have_several_labels_or_none(write, name, content, lines):
    path = write(name, content)
    names = ("anger", "joy", "love")
    assert tables.find_label_sets([path], TEXT) == names
    found = tables.read_label_sets(path, TEXT, names)
    assert found == LabelledTexts(
        ("a", "b", "c"), ((0.0, 1.0, 0.0), (1.0, 0.0, 1.0), (0.0, 0.0, 0.0)), names=names,
        skipped=((str(path), lines[1] + 1, "no text"),))
    assert found.lines == lines
    assert found.select([1, 0]).labels == ((1.0, 0.0, 1.0), (0.0, 1.0, 0.0))


def test_several_labels_of_pairs_and_numbers_as_classes(write):
    path = write("a.jsonl", '{"premise": "a", "hypothesis": "b", "verdict": [10, 9]}\n'
                            '{"premise": "c", "hypothesis": "", "verdict": [9]}\n'
                            '{"premise": "e", "hypothesis": "f", "verdict": 9}\n')
    assert tables.find_label_sets([path], PAIR) == ("9", "10")
    found = tables.read_label_sets(path, PAIR, ("9", "10"))
    assert (found.texts, found.second_texts) == (("a", "e"), ("b", "f"))
    assert found.labels == ((1.0, 1.0), (1.0, 0.0))


@pytest.mark.parametrize(("name", "content", "message"), [
    ("a.tsv", "stars\treview\njoy\ta\njoy|fun\tb\n",
     r"a.tsv, line 3: the stars 'joy\|fun' holds 'fun', which is not one of joy, love"),
    ("a.csv", "stars,review\njoy||love,a\n",
     r"a.csv, line 2: the stars 'joy\|\|love' holds an empty label; put one \| between"),
    ("a.jsonl", '{"review": "a", "stars": ["joy|love"]}\n',
     r"a.jsonl, line 1: the label 'joy\|love' in 'stars' holds '\|', which .*; rename the label"),
    ("a.jsonl", '{"review": "a", "stars": "joy|love"}\n', r"line 1: the label 'joy\|love' in"),
    ("a.jsonl", '{"review": "a", "stars": []}\n{"review": "a", "stars": ["joy", ""]}\n',
     r"a.jsonl, line 2: 'stars' holds an empty label; remove it"),
    ("a.jsonl", '{"review": "a", "stars": [["joy"]]}\n',
     r"line 1: 'stars' is \[\"joy\"\]; it should be a string"),
    ("a.jsonl", '{"review": ["a"], "stars": ["joy"]}\n',
     r"line 1: 'review' is \[\"a\"\]; it should"),
    ("a.jsonl", '{"review": "", "stars": ["joy"]}\n', r"no row of .*a.jsonl has review; fill"),
])
def test_bad_label_sets_are_named_by_file_and_line(write, name, content, message):
    with pytest.raises(InputError, match=message):
        tables.read_label_sets(write(name, content), TEXT, ("joy", "love"))


@pytest.mark.parametrize(("labels", "message"), [
    ('["joy"]', r"the column stars of .*a.jsonl holds only 'joy'; a classifier needs at least two"),
    ("[]", r"the column stars of .*a.jsonl holds no class; a classifier needs"),
])
def test_fewer_than_two_classes_are_refused(write, labels, message):
    path = write("a.jsonl", f'{{"review": "a", "stars": {labels}}}\n'
                            '{"review": "b", "stars": []}\n')
    with pytest.raises(InputError, match=message):
        tables.find_label_sets([path], TEXT)


def test_snli_as_json_lines(shared_data):
    path = shared_data / "snli" / "dev.jsonl"
    columns = Columns("premise", "label", "hypothesis")
    assert tables.find_labels([path], columns) == ("0", "1", "2")
    found = tables.read(path, columns, ("0", "1", "2"))
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert found.texts == tuple(row["premise"] for row in rows)
    assert found.second_texts == tuple(row["hypothesis"] for row in rows)
    assert found.labels == tuple(row["label"] for row in rows)
    assert len(found) == 9_842


def test_a_label_that_no_model_could_hold_is_refused_and_messages_are_short(write):
    with pytest.raises(InputError, match="line 2: the label 'x{60}...' has 10,001 characters"):
        tables.find_labels([write("a.csv", f"review,stars\nal,{'x' * 10_001}\nbl,y\n")], TEXT)
    longest = write("b.csv", f"review,stars\nal,{'x' * 10_000}\nbl,y\n")
    assert tables.find_labels([longest], TEXT) == ("x" * 10_000, "y")


@pytest.mark.parametrize(("value", "reason"), [
    ("NaN", "NaN is no JSON value; write null for a missing one"),
    ("-Infinity", "-Infinity is no JSON value"), ("1e999", "the number 1e999 is too large")])
@pytest.mark.parametrize("column", ["review", "stars"])
def test_json_has_no_such_numbers(value, reason, column, write):
    row = {"stars": '"a"', "review": '"b"'} | {column: value}
    path = write("a.jsonl", "{" + ", ".join(f'"{name}": {one}' for name, one in row.items()) + "}")
    with pytest.raises(InputError, match=f"a.jsonl, line 1 is not JSON: {reason}"):
        tables.read(path, TEXT, ("a", "b"))
