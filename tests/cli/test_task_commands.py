"""`evaluate` and `predict` with a scripted model: what they read, print and write."""

import io
import json
import types

import numpy as np
import pytest

from mobilebert_tf import model_directory
from mobilebert_tf.data.datasets import glue_dataset
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.data.features.question_settings import QuestionSettings
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.embedding import Embedding
from mobilebert_tf.kinds.multi_label import MultiLabel
from mobilebert_tf.kinds.question_answering import QuestionAnswering
from mobilebert_tf.kinds.regression import Regression
from mobilebert_tf.kinds.tagging import Tagging

from .scripted_outputs import spans, tags


def sentiment(inputs):
    """Positive, but for texts that begin with "b"."""
    positive = inputs["input_word_ids"][:, 1] != 6
    return {"probabilities": np.stack([0.75 - positive / 2, 0.25 + positive / 2], axis=1)}


SENTIMENTS = ("negative", "positive")
CLASSIFIER = Classification(labels=SENTIMENTS)


def answerer(null_threshold=None):
    return QuestionAnswering(settings=QuestionSettings(null_threshold=null_threshold))


@pytest.fixture
def questions(tmp_path):
    """One with an answer, and one without."""
    path = tmp_path / "dev.json"
    path.write_text(json.dumps({"data": [{"paragraphs": [{"context": "c d e", "qas": [
        {"id": "1", "question": "a", "answers": [{"text": "d", "answer_start": 2}]},
        {"id": "2", "question": "b", "answers": [], "is_impossible": True}]}]}]}))
    return path


@pytest.mark.parametrize(("own", "threshold", "exact", "second"), [
    (None, None, 1.0, ""), (None, 1.5, 1.0, ""), (None, 2.5, 0.5, "d"), (None, -9, 0.5, ""),
    (2.5, None, 0.5, "d"), (2.5, 1.5, 1.0, "")])
def test_null_threshold_decides_what_has_no_answer(
        own, threshold, exact, second, mobilebert, model, questions, tmp_path):
    """The second question's odds are 2 * 5 - 2 * 4, the first's 0 - 2 * 4."""
    arguments = [] if threshold is None else ["--null-threshold", threshold]
    run = mobilebert("evaluate", model(answerer(own), spans), "--task",
                     "squad_v2", "--dev", questions, *arguments, "--predictions", "answers.json",
                     "--json", "scores.json")
    assert run.status == 0, run.err
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert (scores["exact"], scores["best_exact"], scores["total"]) == (exact, 1.0, 2)
    assert scores["metric"] == "f1"
    answers = json.loads((tmp_path / "answers.json").read_text())
    assert answers == {"1": "" if threshold == -9 else "d", "2": second}
    assert f"exact {exact:.4f}" in run.out
    assert "  total 2\n" in run.out


def test_the_official_scorers_files_are_written(mobilebert, model, questions, tmp_path):
    run = mobilebert("evaluate", model(answerer(), spans), "--task", "squad_v2", "--dev",
                     questions, "--n-best", "n_best.json", "--null-odds", "odds.json")
    assert run.status == 0, run.err
    assert json.loads((tmp_path / "odds.json").read_text()) == {"1": -8.0, "2": 2.0}
    found = json.loads((tmp_path / "n_best.json").read_text())
    assert [best[0]["text"] for best in found.values()] == ["d", ""]
    assert found["1"][0]["start_logit"] == found["1"][0]["end_logit"] == 4.0


def test_tags_are_scored_by_type_too(mobilebert, model, tmp_path):
    (tmp_path / "dev.bio").write_text("b\tB-PER\nc\tI-PER\n\na\tB-LOC\n")
    run = mobilebert("evaluate", model(Tagging(labels=("O", "B-PER", "I-PER", "B-LOC")),
                                              tags),
                     "--task", "tagging", "--dev", "dev.bio", "--json", "scores.json")
    assert run.status == 0, run.err
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert (scores["precision"], scores["recall"]) == (1.0, 0.5)
    assert {name: part["f1"] for name, part in scores["parts"].items()} == {"LOC": 0, "PER": 1}
    lines = [line.split() for line in run.out.splitlines() if line.strip(" ─")]
    assert lines[-3:] == [
        ["f1", "precision", "recall", "entities"],
        ["LOC", "0.0000", "0.0000", "0.0000", "1"], ["PER", "1.0000", "1.0000", "1.0000", "1"]]


@pytest.mark.parametrize(("given", "task", "length"), [
    ((), "sst2", 24), (("--length", 12), "sst2", 12), ((), "classification", 24)])
def test_a_model_is_run_at_the_length_that_it_was_fine_tuned_with(
        given, task, length, mobilebert, letters, scripted, tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.json").write_text(json.dumps({
        "kind": "classification", "labels": SENTIMENTS, "lower_case": True, "task": "sst2",
        "length": 24}))
    asked = []
    runner = scripted(letters, sentiment, CLASSIFIER)
    contents = model_directory.ModelDirectory(
        types.SimpleNamespace(config=types.SimpleNamespace(max_positions=512)),
        letters.vocabulary, CLASSIFIER, length=24)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(model_directory, "load", lambda path: contents)
    monkeypatch.setattr("mobilebert_tf.running.keras_runner.KerasRunner",
                        lambda contents, length, path, pairs: asked.append(length) or runner)
    (tmp_path / "dev.tsv").write_text("sentence\tlabel\na\t1\n")
    (tmp_path / "dev.csv").write_text("sentence,label\na,positive\n")
    columns = () if task == "sst2" else ("--text", "sentence", "--label", "label")
    run = mobilebert("evaluate", "model", "--task", task, "--dev",
                     "dev.tsv" if task == "sst2" else "dev.csv", *columns, *given)
    assert run.status == 0, run.err
    run = mobilebert("predict", "model", "a", *given)
    assert run.status == 0, run.err
    assert asked == [length, length]


@pytest.mark.parametrize(("threshold", "shown", "micro_f1"), [
    (0.5, "negative", 4 / 7), (0.25, "negative, positive", 8 / 9), (0.75, "(no label)", 0)])
def test_labels_above_a_models_threshold_are_scored_and_printed(
        threshold, shown, micro_f1, mobilebert, model, tmp_path):
    """Negative is as sure as 0.625 of every text, and positive as 0.5 of all but "b"."""
    def outputs(inputs):
        ids = inputs["input_word_ids"]
        return {"probabilities": np.stack([np.full(len(ids), 0.625), 0.5 * (ids[:, 1] != 6)], 1)}

    path = model(MultiLabel(labels=SENTIMENTS).with_settings(threshold=threshold), outputs)
    (tmp_path / "dev.csv").write_text("text,tags\na,negative|positive\nb,negative\nc,positive\n")
    arguments = ("--task", "multi_label", "--dev", "dev.csv", "--text", "text", "--label", "tags")
    run = mobilebert("evaluate", path, *arguments, "--json", "scores.json", "--predictions",
                     "answers.json")
    assert run.status == 0, run.err
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert (scores["metric"], scores["micro_f1"]) == ("micro_f1", pytest.approx(micro_f1))
    # The best is to call all negative and all but "b" positive, whatever the model's threshold.
    assert scores["best_micro_f1"] == pytest.approx(8 / 9)
    assert scores["best_threshold"] == 0.25  # between 0.5 and 0
    assert list(scores["parts"]) == list(SENTIMENTS)
    again = mobilebert("evaluate", "--predictions-from", "answers.json", *arguments, "--json",
                       "again.json")
    assert again.status == 0, again.err
    assert json.loads((tmp_path / "again.json").read_text())["micro_f1"] == scores["micro_f1"]
    run = mobilebert("predict", path, "a")
    assert run.out.splitlines()[1:] == [
        f"  {shown}", "   0.6250  negative", "   0.5000  positive"]


def test_labels_of_a_model_say_what_those_of_a_table_mean(mobilebert, model, tmp_path):
    (tmp_path / "dev.csv").write_text("said,mood\na,positive\nb,positive\n")
    path = model(CLASSIFIER, sentiment)
    arguments = ("evaluate", path, "--task", "classification", "--dev", "dev.csv", "--text", "said",
                 "--label", "mood")
    run = mobilebert(*arguments, "--json", "scores.json")
    assert run.status == 0, run.err
    assert json.loads((tmp_path / "scores.json").read_text())["accuracy"] == 0.5
    model(Classification(), sentiment)
    run = mobilebert(*arguments)
    assert run.status == 2
    assert "does not name its labels" in " ".join(run.err.split())


def test_glue_is_read_from_tfds(mobilebert, model, tmp_path, monkeypatch):
    splits = {"dev": LabelledTexts(("a", "b", "c"), (1, 1, 1), names=SENTIMENTS),
              "test": LabelledTexts(("b", "a"), None, names=SENTIMENTS)}
    monkeypatch.setattr(glue_dataset, "read", lambda name, split: splits[split])
    run = mobilebert("evaluate", model(CLASSIFIER, sentiment), "--task", "sst2",
                     "--data", "tfds:glue/sst2", "--submission", "sent")
    assert run.status == 0, run.err
    assert "accuracy 0.6667" in run.out
    assert (tmp_path / "sent" / "SST-2.tsv").read_text() == "index\tprediction\n0\t0\n1\t1\n"


def predictions(tmp_path):
    return json.loads((tmp_path / "found.json").read_text())["predictions"]


def test_texts_are_arguments_lines_of_standard_input_and_of_a_file(
        mobilebert, model, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"b one\nc [two]:b:\r\n")))
    # Only a line feed ends a line.
    (tmp_path / "texts.txt").write_text("b last\u2028of all\x0c\n", "utf-8")
    path = model(CLASSIFIER, sentiment)
    run = mobilebert("predict", path, "a", "-", "--file", "texts.txt", "--top-k", 1, "--json",
                     "found.json")
    assert run.status == 0, run.err
    assert json.loads((tmp_path / "found.json").read_text())["model"] == str(path)
    assert run.out.splitlines() == [
        "a", "   0.7500  positive", "b one", "   0.7500  negative",
        "c [two]:b:", "   0.7500  positive", "b last", "of all", "   0.7500  negative"]
    assert [one["text"] for one in predictions(tmp_path)[2:]] == [
        "c [two]:b:", "b last\u2028of all\x0c"]
    assert predictions(tmp_path)[0] == {
        "text": "a", "truncated": False, "classes": [{"label": "positive", "probability": 0.75}]}
    assert len(predictions(tmp_path)) == 4


def test_an_empty_text_is_said_to_be_empty(mobilebert, model, tmp_path):
    (tmp_path / "texts.txt").write_text("a\n\n \t\nb\n")
    run = mobilebert("predict", model(CLASSIFIER, sentiment), "--file",
                     "texts.txt", "--top-k", 1, "--json", "found.json")
    assert run.status == 0, run.err
    assert [line.strip() for line in run.out.splitlines() if line.strip()] == [
        "a", "0.7500  positive", "(empty)", "(empty)", "b", "0.7500  negative"]
    assert predictions(tmp_path)[1] == {"text": "", "empty": ["text"], "truncated": False}
    run = mobilebert("predict", model(answerer(), spans), "a", "--second-text", " ")
    assert (run.status, run.out.splitlines()) == (0, ["a", "  (empty second text)"])


def test_standard_input_that_is_no_utf_8_is_named(mobilebert, model, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"b\ncaf\xe9\n")))
    run = mobilebert("predict", model(CLASSIFIER, sentiment), "-")
    assert run.status == 2
    assert "standard input, line 2 is not UTF-8: there is a byte 0xE9" in run.err


def test_what_is_cut_is_said(mobilebert, model):
    run = mobilebert("predict", model(CLASSIFIER, sentiment), "a " * 20)
    assert run.status == 0
    assert "cut to the 16 tokens" in run.err


def test_a_question_that_is_cut_is_said(mobilebert, model):
    kind = QuestionAnswering(settings=QuestionSettings(max_question_length=2))
    run = mobilebert("predict", model(kind, spans), "a c e", "--second-text", "c d e")
    assert (run.status, run.out.splitlines()[1].strip()) == (0, "d")
    assert "the question is cut to its first 2 tokens" in run.err


def test_lines_of_two_texts(mobilebert, model, tmp_path):
    (tmp_path / "lines.tsv").write_text("a\tc d e\nb\te d\n")
    run = mobilebert("predict", model(answerer(), spans), "--pairs", "--file",
                     "lines.tsv", "--json", "found.json")
    assert run.status == 0, run.err
    assert [(one["text"], one["answer"], one["start"]) for one in predictions(tmp_path)] == [
        ("a", "d", 2), ("b", "d", 2)]


@pytest.mark.parametrize(("own", "threshold", "line"), [
    (None, (), "d"), (None, ("--null-threshold", 1), "(no answer)"), (1, (), "(no answer)"),
    (1, ("--null-threshold", "inf"), "d")])
def test_a_question_is_asked_of_the_second_text(own, threshold, line, mobilebert, model, tmp_path):
    run = mobilebert("predict", model(answerer(own), spans), "b",
                     "--second-text", "c d e", *threshold, "--json", "found.json")
    assert run.status == 0, run.err
    assert run.out.splitlines()[1].strip() == line
    (found,) = predictions(tmp_path)
    assert (found["answer"], found["start"]) == (("d", 2) if line == "d" else ("", None))
    assert found["null_odds"] == 2


def test_embeddings_are_scored(mobilebert, model, tmp_path):
    """The more tokens, the greater the angle."""
    def vectors(inputs):
        angles = 0.1 * inputs["input_mask"].sum(axis=1)
        return {"sentence_embedding": np.stack([np.cos(angles), np.sin(angles)], axis=1)}

    (tmp_path / "dev.tsv").write_text(
        "sentence1\tsentence2\tscore\na\tb\t5\na\tb c\t4\na\tb c d\t1\n")
    run = mobilebert("evaluate", model(Embedding(), vectors), "--task",
                     "similarity", "--dev", "dev.tsv")
    assert run.status == 0, run.err
    assert "spearman 1.0000" in run.out


def test_a_score_and_entities_are_printed(mobilebert, model):
    run = mobilebert("predict", model(Regression(), lambda inputs: {
        "score": inputs["input_mask"].sum(axis=1, keepdims=True)}), "a b")
    assert run.out.splitlines() == ["a b", "  4.0000"]
    run = mobilebert("predict", model(Tagging(labels=("O", "B-PER", "I-PER")), tags), "a b  c d")
    assert run.out.splitlines() == ["a b  c d", "   1.0000  PER  b  c  (2-6)"]


def test_texts_are_ranked_by_how_alike_they_are(mobilebert, model, tmp_path):
    angles = np.deg2rad([0, 0, 0, 0, 0, 0, 60, 10])  # of a, b and c

    def vectors(inputs):
        turned = angles[inputs["input_word_ids"][:, 1]]
        return {"sentence_embedding": np.stack([np.cos(turned), np.sin(turned)], axis=1)}

    (tmp_path / "texts.txt").write_text("b\n\nc\n")
    run = mobilebert("predict", model(Embedding(), vectors), "--query", "a", "--file", "texts.txt",
                     "--top-k", 1, "--json", "found.json")
    assert run.status == 0, run.err
    assert run.out.split() == ["0.9848", "c"]
    assert "1 empty text left out" in run.err
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["empty"] == 1
    ranking = found["ranking"]
    assert [one["text"] for one in ranking] == ["c", "b"]
    assert ranking[1]["cosine"] == pytest.approx(0.5, abs=1e-6)
