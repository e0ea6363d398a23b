import gzip

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.export.benchmark import compare, host, process, text_report, texts
from mobilebert_tf.export.benchmark.litert_model import LiteRtModel
from mobilebert_tf.export.benchmark.plan import Plan

TEXTS = ["al", "bl cm dn eo fp gq", "cm dn"]


def test_every_signature_is_measured_where_its_length_is_asked_for(several_lengths):
    assert LiteRtModel.lengths(several_lengths) == (6, 16)
    for lengths, expected in (((16, 6), [6, 16]), ((16,), [16]), ((128,), [16])):
        records = compare.compare(Plan(
            files=(several_lengths,), lengths=lengths, threads=1, runs=2, command="")).records
        assert [(one.length, one.signature) for one in records] == [
            (length, f"length_{length}") for length in expected]
    longest, short = host.measure([(several_lengths, None), (several_lengths, 6)], 1, 1)
    assert (longest.length, short.length) == (16, 6)
    assert longest.input_bytes == 3 * 4 * 16


def test_texts_run_at_the_shortest_length_that_fits(several_lengths, exported, tmp_path):
    one_length = tmp_path / "one.tflite"
    one_length.write_bytes(exported("classification", "float32").model)
    done = []
    several, one = texts.measure([several_lengths, one_length], TEXTS, threads=1,
                                 on_text=lambda *count: done.append(count))
    assert several.runs_by_length == {6: 2, 16: 1}  # [CLS], [SEP] and a padding beside the tokens
    assert one.runs_by_length == {12: 3}
    assert done == [(1, 3), (2, 3), (3, 3)]
    assert (several.recipe, several.lengths, several.texts) == ("float32", (6, 16), 3)
    assert several.equal_predictions == 1.0
    assert 0 < several.median_ms <= several.p95_ms


@pytest.mark.parametrize(("kind", "has_class"), [("classification", True), ("multi_label", False)])
def test_only_a_model_of_one_class_a_text_answers_a_class(kind, has_class, exported, tmp_path):
    file = tmp_path / "m.tflite"
    file.write_bytes(exported(kind, "float32").model)
    worker = process.Process("text_worker", file, 1)
    assert (worker.ask("al")["class"] is not None) == has_class
    worker.close()


class FakeProcess:
    """A file that takes 2 ms a token times its number, and gives classes of its own."""

    log = []

    def __init__(self, number, classes):
        self.number, self.classes = number, classes

    def ask(self, text):
        self.log.append((self.number, text))
        return {"time_ms": 2.0 * self.number * len(text.split()), "length": 6,
                "class": self.classes[TEXTS.index(text)]}

    def close(self):
        self.log.append((self.number, None))


@pytest.fixture
def two_files(several_lengths, tmp_path):
    files = [tmp_path / "one.tflite", tmp_path / "two.tflite"]
    for file in files:
        file.write_bytes(several_lengths.read_bytes())
    processes = iter([FakeProcess(1, [0, 1, 1]), FakeProcess(2, [0, 0, 1])])
    return files, lambda file, threads: next(processes)


def test_files_take_turns_on_every_text(two_files):
    files, start = two_files
    FakeProcess.log.clear()
    one, two = texts.measure(files, TEXTS, threads=1, start=start)
    turns = [(number, text) for text in TEXTS for number in (1, 2)]
    assert FakeProcess.log == [*turns, *turns, (2, None), (1, None)]  # warm-up first
    assert one.mean_ms == pytest.approx(np.mean([2, 12, 4]))
    assert one.median_ms == 4
    assert two.mean_ms == 2 * one.mean_ms
    assert (one.equal_predictions, two.equal_predictions) == (1.0, pytest.approx(2 / 3))


def test_the_report_is_of_means(two_files):
    files, start = two_files
    made = text_report.of_texts(texts.measure(
        files, TEXTS, threads=1, baseline="two", start=start))
    ratio, equal = (made.table.headings.index(name) for name in ("ratio", "equal"))
    assert [(row[ratio], row[equal]) for row in made.table.rows] == [
        ("2.00x", "66.7%"), ("1.00x", "100.0%")]
    assert [one["ratio"] for one in made.facts["records"]] == [2.0, 1.0]
    assert "one ran each text at the shortest length that fits: 3 at 6." in made.notes
    assert "3 texts" in made.table.title
    assert "two" in made.table.title


def test_texts_are_lines_or_sst2(tmp_path):
    lines, table, empty = (tmp_path / name for name in ("a.txt", "a.tsv", "b.txt"))
    lines.write_text("ein Satz\n\nnoch einer\n")
    table.write_text("sentence\tlabel\nfine\t1\n")
    empty.write_text("\n")
    assert texts.read(lines) == ["ein Satz", "noch einer"]
    assert texts.read(table) == ["fine"]
    packed = tmp_path / "a.tsv.gz"
    packed.write_bytes(gzip.compress(table.read_bytes()))
    assert texts.read(packed) == ["fine"]
    with pytest.raises(mb.InputError, match="b.txt has no text"):
        texts.read(empty)
    with pytest.raises(mb.InputError, match="cannot read .*absent"):
        texts.read(tmp_path / "absent")
    with pytest.raises(mb.InputError, match="a.jsonl is a table, and its lines are no texts"):
        texts.read(tmp_path / "a.jsonl")
    lines.write_text("one\u2028line\r\n")
    assert texts.read(lines) == ["one\u2028line"]
    lines.write_bytes(b"\xff\n")
    with pytest.raises(mb.InputError, match="a.txt, line 1 is not UTF-8"):
        texts.read(lines)


def test_what_cannot_run_texts_is_named(models, several_lengths, vocabulary, tmp_path):
    bare = tmp_path / "bare.tflite"
    bare.write_bytes(mb.export.to_tflite(models["classification"], "float32", (12,)).model)
    for files, baseline, sentence in (
            ([], None, "texts need exported files"),
            ([bare], None, "bare.tflite carries no vocabulary"),
            ([several_lengths], "other", "'other' is not measured; it should be one of several")):
        with pytest.raises(mb.InputError, match=sentence):
            texts.measure(files, TEXTS, threads=1, baseline=baseline)
    (tmp_path / "pairs.tflite").write_bytes(several_lengths.read_bytes())
    (tmp_path / "model.json").write_text(
        '{"files": [{"file": "pairs.tflite"}], "pairs": true}')
    with pytest.raises(mb.InputError, match="pairs.tflite reads pairs of texts, whose lengths"):
        texts.measure([tmp_path / "pairs.tflite"], TEXTS, threads=1)
    alone = tmp_path / "alone.tflite"
    alone.write_bytes(mb.export.to_tflite(models["classification"], "float32", (12,),
                                          vocabulary=vocabulary, pairs=True).model)
    with pytest.raises(mb.InputError, match="alone.tflite reads pairs of texts, whose lengths"):
        texts.measure([alone], TEXTS, threads=1)
    for threads in (0, 1025):
        with pytest.raises(mb.InputError, match="threads .*Received"):
            texts.measure([several_lengths], TEXTS, threads=threads)
