"""Every kind of model is held by its own metric, at its own settings."""

import dataclasses
import json

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.export.gate import Gate
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.tasks.task_data import TaskData

from . import every_kind
from .conftest import LABELS, LENGTH
from .gate_changes import changing


@pytest.fixture(scope="module")
def tuned(models, vocabulary, tmp_path_factory):
    """kind -> `Tuned`, a model that is right throughout with its data."""
    made = {}

    def of(kind):
        if kind not in made:
            made[kind] = every_kind.tuned(kind, models[kind], vocabulary,
                                          tmp_path_factory.mktemp(kind))
        return made[kind]

    return of


@pytest.fixture(scope="module")
def held(tuned, exported):
    """kind -> the gate's report of the float32 file of that model."""
    gates = {}

    def hold(kind):
        if kind not in gates:
            gates[kind] = Gate(tuned(kind).contents, tuned(kind).data, kind)
        return gates[kind].evaluate(exported(kind, "float32").model)

    return hold


METRICS = {"multi_label": "micro_f1", "regression": "pearson_and_spearman",
           "embedding": "spearman", "tagging": "f1", "question_answering": "f1"}
OUTPUTS = {"multi_label": {"probabilities"}, "regression": {"score"},
           "embedding": {"sentence_embedding"}, "tagging": {"logits"},
           "question_answering": {"start_logits", "end_logits"}}
NUMBERS = ("regression", "embedding")
ONE_ROW = ("multi_label", "regression")  # an example


@pytest.mark.parametrize("kind", METRICS)
def test_every_kind_is_held_by_its_own_metric(kind, held):
    report = held(kind)
    assert report.passed, str(report)
    assert (report.task, report.metric) == (every_kind.NAMES[kind], METRICS[kind])
    assert (report.model_score, report.drop, report.examples) == (
        pytest.approx(1, abs=1e-6), 0.0, every_kind.COUNT)
    assert report.equal_predictions == (None if kind in NUMBERS else 1.0)
    assert set(report.outputs) == OUTPUTS[kind]
    for difference in report.outputs.values():
        assert 0 < difference.mean < difference.max < 1e-5
    # Two texts of each pair, or windows: more rows than examples.
    (rows,) = report.examples_by_length.values()
    assert (rows > every_kind.COUNT) == (kind not in ONE_ROW)
    json.dumps(report.to_dict(), allow_nan=False)


def test_questions_are_held_by_the_models_settings(tuned, exported, held):
    """With a stride of one token there are more windows; and no answer is longer than a token."""
    contents = tuned("question_answering").contents
    contents = dataclasses.replace(
        contents, kind=contents.kind.with_settings(stride=1, max_answer_length=1))
    report = Gate(contents, tuned("question_answering").data, "x").evaluate(
        exported("question_answering", "float32").model)
    (rows,), (usual,) = (one.examples_by_length.values()
                         for one in (report, held("question_answering")))
    assert rows > usual
    assert report.model_score < 1
    assert (report.passed, report.equal_predictions) == (True, 1.0)


def test_labels_are_held_at_the_models_threshold(tuned, exported):
    """At a threshold of 0 both give every label: then recall is 1, precision the part that is."""
    contents, data = tuned("multi_label").contents, tuned("multi_label").data
    report = Gate(dataclasses.replace(contents, kind=contents.kind.with_settings(threshold=0)),
                  data, "x").evaluate(exported("multi_label", "float32").model)
    gold = np.array(data.task.read(data.dev_file).labels)
    assert 0.2 < gold.mean() < 0.8
    assert report.model_score == report.file_score == pytest.approx(
        2 * gold.mean() / (gold.mean() + 1))


@pytest.mark.parametrize(("kind", "score"), [
    ("multi_label", None), ("regression", -1), ("embedding", 1), ("tagging", None),
    ("question_answering", None)])
def test_a_file_that_says_the_opposite_loses_all_but_embeddings(kind, score, held, monkeypatch):
    """The cosine of two opposite vectors is that of the two."""
    changing(monkeypatch, lambda outputs, _: outputs.update(
        {name: -values for name, values in outputs.items()}))
    report = held(kind)
    assert report.passed == (kind == "embedding")
    assert max(one.max for one in report.outputs.values()) > 0.1
    if score is None:
        assert report.drop > 50
        assert report.equal_predictions < 0.5
    else:
        assert report.file_score == pytest.approx(score, abs=1e-5)


def test_embeddings_that_do_not_tell_texts_apart_fail(held, monkeypatch):
    def rotate(outputs, first_row):
        """Every second text's: then a pair's cosine means nothing."""
        vectors = outputs["sentence_embedding"]
        vectors[(first_row + 1) % 2::2] = np.roll(vectors[(first_row + 1) % 2::2], 5, axis=1)

    changing(monkeypatch, rotate)
    report = held("embedding")
    assert not report.passed
    assert report.drop > 30


def rows_of_an_example(tuned, kind, vocabulary):
    """The rows of the first example that has the most of them, as a slice."""
    task = tuned(kind).data.task.bound(LABELS.get(kind), None)
    examples = task.read(tuned(kind).data.dev_file)
    rows = (task.kind.rows(examples, mb.Tokenizer(vocabulary), LENGTH).rows
            or [1] * len(examples))
    example = int(np.argmax(rows))
    assert sum(rows[:example + 1]) < 32, "not in the first batch"
    return slice(sum(rows[:example]), sum(rows[:example + 1]))


@pytest.mark.parametrize("which", ["all", "last"])
@pytest.mark.parametrize("kind", METRICS)
def test_rows_that_are_not_finite_spoil_their_example(kind, which, held, tuned, vocabulary,
                                                      monkeypatch):
    rows = rows_of_an_example(tuned, kind, vocabulary)
    if which == "last":
        rows = slice(rows.stop - 1, rows.stop)
    else:
        assert (rows.stop - rows.start > 1) == (kind not in ONE_ROW)

    def break_rows(outputs, first_row):
        if first_row == 0:
            next(iter(outputs.values())).reshape(32, -1)[rows, 0] = np.nan

    whole = held(kind)
    changing(monkeypatch, break_rows)
    report = held(kind)
    assert not report.passed
    assert report.not_finite == 1
    assert f"not finite for 1 of {every_kind.COUNT} {report.task} dev examples" in str(report)
    if kind in NUMBERS:
        assert report.file_score == 0.0  # no correlation with a number that is none
    else:
        assert whole.file_score - 0.1 < report.file_score < whole.file_score
        assert report.equal_predictions == 1 - 1 / every_kind.COUNT
    assert max(one.max for one in report.outputs.values()) < 1e-5
    json.dumps(report.to_dict(), allow_nan=False)


def test_a_correlations_last_bits_are_no_drop(tuned, exported, tmp_path, monkeypatch):
    """A file that computes in another order; the float32 recipe may lose nothing."""
    random = np.random.default_rng(0)
    header, *rows = tuned("regression").data.dev_file.read_text().splitlines()
    (tmp_path / "dev.tsv").write_text("\n".join([header, *(
        f"{row.rpartition(chr(9))[0]}\t{random.normal(float(row.split(chr(9))[2]))}"
        for row in rows)]))
    data = dataclasses.replace(tuned("regression").data, dev_file=tmp_path / "dev.tsv")
    content = exported("regression", "float32").model
    gate_of_noise = Gate(tuned("regression").contents, data, "regression")
    lost = set()
    for _ in range(16):
        changing(monkeypatch, lambda outputs, _: outputs.update({
            name: (values * (1 + random.normal(0, 3e-7, values.shape))).astype(np.float32)
            for name, values in outputs.items()}))
        report = gate_of_noise.evaluate(content)
        lost.add(report.model_score > report.file_score)
        assert abs(report.model_score) < 0.9
        assert (report.drop, report.passed) == (0.0, True)
    assert True in lost


def test_a_dev_file_of_which_nothing_is_run_is_refused(tuned, exported, tmp_path):
    path = tmp_path / "dev.json"
    path.write_text(json.dumps({"data": [{"paragraphs": [{"context": "\u200b", "qas": [
        {"id": "1", "question": "al", "answers": [], "is_impossible": True}]}]}]}))
    held = Gate(tuned("question_answering").contents,
                TaskData(catalogue.of("squad_v2"), (), path), "runs/x")
    with pytest.raises(mb.InputError, match=r"dev\.json has no question whose context has tokens"):
        held.evaluate(exported("question_answering", "float32").model)
