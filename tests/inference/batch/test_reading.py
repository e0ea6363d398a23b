"""Cutting files into parts, and reading their rows."""

import json

import pytest

from mobilebert_tf.data.corpus.text_files import find_files
from mobilebert_tf.inference.batch import planning
from mobilebert_tf.inference.batch.bad_row import BadRow
from mobilebert_tf.inference.batch.reading import read
from mobilebert_tf.inference.batch.row import Row


def rows_of(paths, part_lines=3, pairs=False, second_text=None):
    parts, _ = planning.plan(find_files(paths), part_lines)
    return [row for part in parts for row in read(part, pairs, second_text)]


@pytest.mark.parametrize("part_lines", [1, 2, 3, 7, 100])
def test_all_lines_are_in_one_part_each(part_lines, tmp_path):
    """Whatever the parts: the lines, ids and places are those of Python's own splitting."""
    one = ["a", "bé b", "", "d\r", "\u2028 e", "f f f"]
    other = ["g", "h"]
    (tmp_path / "one.txt").write_bytes("\n".join(one).encode())  # no line end at the end
    (tmp_path / "other.txt").write_bytes(("\ufeff" + "\n".join(other) + "\n").encode())
    parts, inputs = planning.plan(find_files([tmp_path]), part_lines)
    assert [part.number for part in parts] == list(range(len(parts)))
    assert max(part.lines for part in parts) <= part_lines
    assert [entry["lines"] for entry in inputs] == [6, 2]
    assert [entry["bytes"] for entry in inputs] == [
        path.stat().st_size for path in sorted(tmp_path.iterdir())]
    found = rows_of([tmp_path], part_lines)
    assert [row.id for row in found] == [*(f"one.txt:{n}" for n in range(1, 7)), "other.txt:1",
                                         "other.txt:2"]
    assert found[5].place == "one.txt, line 6"
    assert [row.text for row in found] == ["a", "bé b", "", "d", "\u2028 e", "f f f", "g", "h"]
    assert [type(row) for row in found] == [Row, Row, BadRow, *[Row] * 5]


def test_a_part_has_a_limit_of_bytes_too(tmp_path, monkeypatch):
    monkeypatch.setattr(planning, "PART_BYTES", 10)
    (tmp_path / "a.txt").write_text("12345\n" * 5)
    parts, _ = planning.plan(find_files([tmp_path]), 100)
    assert [part.lines for part in parts] == [2, 2, 1]
    assert [(piece.start, piece.stop) for part in parts for piece in part.pieces] == [
        (0, 12), (12, 24), (24, 30)]


def test_small_files_share_a_part(tmp_path):
    for number in range(10):
        (tmp_path / f"{number}.txt").write_text("a\nb\n" if number else "a\nb\nc\nd\n")
    parts, inputs = planning.plan(find_files([tmp_path]), 5)
    assert [[(piece.name, piece.lines) for piece in part.pieces] for part in parts] == [
        [("0.txt", 4)], *([(f"{n}.txt", 2), (f"{n + 1}.txt", 2)] for n in (1, 3, 5, 7)),
        [("9.txt", 2)]]
    assert len(inputs) == 10
    found = rows_of([tmp_path], 5)
    assert [row.id for row in found[3:8]] == ["0.txt:4", "1.txt:1", "1.txt:2", "2.txt:1", "2.txt:2"]


def test_a_fingerprint_knows_contents_and_not_the_place(tmp_path):
    def inputs(directory, text):
        directory.mkdir()
        (directory / "a.txt").write_text(text)
        (directory / "b.txt").write_text("same\n")
        return planning.plan(find_files([directory]), 2)[1]

    here = inputs(tmp_path / "here", "x\ny\n")
    assert here == inputs(tmp_path / "there", "x\ny\n")
    changed = inputs(tmp_path / "other", "x\nz\n")
    assert changed[0] != here[0]
    assert changed[1] == here[1]


@pytest.mark.parametrize(("line", "counter", "reason"), [
    (b" \t ", "blank", "the line is blank"),
    (b"bad \xff byte", "not_utf8", "not UTF-8: there is a byte 0xFF"),
    (b"a\0b", "nul", "the line holds a NUL byte"),
    (b"y" * ((1 << 20) + 1), "too_long", "the line is longer than 1,048,576 bytes"),
    (b"y" * (3 << 20), "too_long", "the line is longer than 1,048,576 bytes")])
def test_a_bad_line_is_set_aside(line, counter, reason, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"good\n" + line + b"\ngood too")
    first, bad, last = rows_of([tmp_path], 2)
    assert (first.text, last.text, last.id) == ("good", "good too", "a.txt:3")
    assert (bad.id, bad.place, bad.counter, bad.reason) == (
        "a.txt:2", "a.txt, line 2", counter, reason)
    assert len(bad.to_json()["text"]) <= 200


def test_the_longest_line_is_read(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"y" * (1 << 20) + b"\nz\n")
    assert [len(row.text) for row in rows_of([tmp_path])] == [1 << 20, 1]


def test_pairs_have_one_tab(tmp_path):
    (tmp_path / "a.txt").write_text("a\tb\nno tab\na\tb\tc\n")
    pair, *bad = rows_of([tmp_path], pairs=True)
    assert (pair.text, pair.second_text) == ("a", "b")
    assert [one.counter for one in bad] == ["misread", "misread"]
    assert "has 0" in bad[0].reason
    assert "has 2" in bad[1].reason
    single, *_ = rows_of([tmp_path])
    assert (single.text, single.second_text) == ("a\tb", None)
    with_one, *_ = rows_of([tmp_path], second_text="z")
    assert (with_one.text, with_one.second_text) == ("a\tb", "z")


def test_json_lines_have_their_ids(tmp_path):
    values = [{"id": "x", "text": "a\nb"}, {"id": 7, "text": "c", "stars": [1]}, {"text": "d"}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(value) + "\n" for value in values))
    found = rows_of([tmp_path / "a.jsonl"])
    assert [(row.id, row.text) for row in found] == [("x", "a\nb"), ("7", "c"), ("a.jsonl:3", "d")]


@pytest.mark.parametrize(("line", "pairs", "reason"), [
    ("{", False, "the line is not JSON"), ('{"text": [1]}', False, "got array"),
    ('{"id": "x"}', False, "missing required field text"),
    (r'{"text": "\ud83d"}', False, "half a surrogate pair"),
    (r'{"text": "a\u0000"}', False, "NUL character"),
    ('{"text": "a"}', True, "a pair needs second_text"),
    ('{"text": "a", "second_text": "b"}', False, "no pairs were asked for")])
def test_a_bad_object_is_set_aside(line, pairs, reason, tmp_path):
    (tmp_path / "a.jsonl").write_text(line + "\n")
    (bad,) = rows_of([tmp_path / "a.jsonl"], pairs=pairs)
    assert reason in bad.reason
    assert bad.counter == "misread"
