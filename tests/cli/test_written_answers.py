"""`evaluate` of answers in a file: its own, those of other programs, and what is none."""

import json

import numpy as np
import pytest

from mobilebert_tf.cli import output
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.evaluate import score_answers
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.embedding import Embedding
from mobilebert_tf.kinds.multi_label import MultiLabel
from mobilebert_tf.kinds.question_answering import QuestionAnswering
from mobilebert_tf.kinds.regression import Regression
from mobilebert_tf.kinds.tagging import Tagging
from mobilebert_tf.terminal.console import SafeConsole

from .scripted_outputs import spans, tags

CLASSES = ("anger", "joy", "optimism")
# What `--json` says of scores, whoever answered.
OF_SOURCE = ("model", "predictions_from")
QUESTIONS = {"data": [{"paragraphs": [{"context": "c d e", "qas": [
    {"id": "1", "question": "a", "answers": [{"text": "d e", "answer_start": 2}]},
    {"id": "2", "question": "b", "answers": [], "is_impossible": True},
    {"id": "3", "question": "c", "answers": [{"text": "c", "answer_start": 0}]}]}]}]}


def by_letter(inputs):
    """A class by the first letter; no number at all for "j"."""
    first = inputs["input_word_ids"][:, 1]
    found = np.eye(3)[(first - 5) % 3] * 0.8 + 0.1
    found[first == 14] = np.nan
    return {"probabilities": found}


def angles(inputs):
    turned = 0.1 * inputs["input_mask"].sum(axis=1)
    return {"sentence_embedding": np.stack([np.cos(turned), np.sin(turned)], axis=1)}


TABLE = "text\tlabel\n" + "".join(
    f"{letter}\t{label}\n" for letter, label in zip("abcdefja", CLASSES * 3, strict=False))
NUMBERS = "text\tlabel\na\t1\nb c\t2.5\nc d e\t2\n\t3\n"
COLUMNS = ("--text", "text", "--label", "label")
KINDS = {
    "classification": ("dev.tsv", TABLE, COLUMNS, Classification(labels=CLASSES),
                       by_letter),
    "sst2": ("dev.tsv", "sentence\tlabel\na\t0\nb\t1\nc\t0\n", (),
             Classification(labels=("negative", "positive")),
             lambda inputs: {"probabilities": by_letter(inputs)["probabilities"][:, :2]}),
    "regression": ("dev.tsv", NUMBERS, COLUMNS, Regression(), lambda inputs: {
        "score": 1 / inputs["input_mask"].sum(axis=1, keepdims=True)}),
    "multi_label": ("dev.tsv", "text\tlabel\na\tanger\nb\tjoy|optimism\nc\t\nj\tjoy\n", COLUMNS,
                    MultiLabel(labels=("anger", "joy", "optimism")), by_letter),
    "similarity": ("dev.tsv", "sentence1\tsentence2\tscore\na\tb\t5\na\tb c\t4\na\tb c d\t1\n", (),
                   Embedding(), angles),
    "tagging": ("dev.bio", "b\tB-PER\nc\tI-PER\n\na\tB-LOC\nd\tO\n\nb\tO\n", (),
                Tagging(labels=("O", "B-PER", "I-PER", "B-LOC")), tags),
    "squad": ("dev.json", {"data": [{"paragraphs": [{"context": "c d e", "qas": [
        one for one in QUESTIONS["data"][0]["paragraphs"][0]["qas"] if one["answers"]]}]}]}, (),
        QuestionAnswering(), spans),
    "squad_v2": ("dev.json", QUESTIONS, (), QuestionAnswering(), spans),
}


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def read(path):
    return json.loads(path.read_text())


# The best threshold for several labels needs probabilities, which no file of answers has.
@pytest.mark.parametrize("task", [task for task in KINDS if task != "multi_label"])
def test_what_evaluate_wrote_is_scored_to_the_same_digits(task, mobilebert, model, tmp_path):
    file, content, columns, kind, outputs = KINDS[task]
    write(tmp_path / file, content)
    arguments = ("--task", task, "--dev", file, *columns)
    odds = (("--null-odds", "odds.json"), ("--null-odds-from", "odds.json")) * (task == "squad_v2")
    threshold = ("--null-threshold", "inf") * (task == "squad_v2")
    run = mobilebert("evaluate", model(kind, outputs), *arguments, *threshold,
                     "--predictions", "answers.json", "--json", "model.json",
                     *(odds[0] if odds else ()))
    assert run.status == 0, run.err
    again = mobilebert("evaluate", "--predictions-from", "answers.json", *arguments, *threshold,
                       "--json", "file.json", *(odds[1] if odds else ()))
    assert again.status == 0, again.err
    ours, theirs = read(tmp_path / "model.json"), read(tmp_path / "file.json")
    assert {name: value for name, value in ours.items() if name not in OF_SOURCE} == {
        name: value for name, value in theirs.items() if name not in OF_SOURCE}
    assert theirs["predictions_from"] == "answers.json"
    assert run.out.splitlines()[1:] == again.out.splitlines()[1:]
    assert ("1 of 8 examples have no answer" in again.err) == (task == "classification")


def test_labels_that_only_training_files_have_count(mobilebert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.tsv").write_text("text\tlabel\nd\tanger\ne\tjoy\nf\toptimism\n")
    (tmp_path / "dev.tsv").write_text("text\tlabel\na\tanger\nb\tjoy\n")
    write(tmp_path / "answers.json", ["anger", "optimism"])
    arguments = ("evaluate", "--predictions-from", "answers.json", "--task", "classification",
                 *COLUMNS, "--json", "scores.json")
    run = mobilebert(*arguments, "--dev", "dev.tsv")
    assert (run.status, "'optimism' is not one of anger, joy" in run.err) == (2, True)
    for files in (("--dev", "dev.tsv", "--train", "train.tsv"), ("--data", ".")):
        run = mobilebert(*arguments, *files)
        assert run.status == 0, run.err
        # Of three labels: 1, and 0 for both others.
        assert read(tmp_path / "scores.json")["macro_f1"] == pytest.approx(1 / 3)
    run = mobilebert("evaluate", "x", "--task", "classification", *COLUMNS, "--dev", "dev.tsv",
                     "--train", "train.tsv")
    assert (run.status, "--train names the labels of answers" in run.err) == (2, True)


@pytest.mark.parametrize(("threshold", "exact"), [((), 2 / 3), (("--null-threshold", 3), 1 / 3)])
def test_questions_are_scored_as_the_official_scorer_does(
        threshold, exact, mobilebert, tmp_path, monkeypatch):
    """Of its --na-prob-file and --na-prob-thresh; by hand."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "dev.json", QUESTIONS)
    write(tmp_path / "answers.json", {"1": "the d, e!", "2": "d", "3": "d"})
    write(tmp_path / "odds.json", {"1": -1.5, "2": 2, "3": 0})
    arguments = ("evaluate", "--predictions-from", "answers.json", "--task", "squad_v2", "--dev",
                 "dev.json", "--json", "scores.json")
    run = mobilebert(*arguments, "--null-odds-from", "odds.json", *threshold)
    assert run.status == 0, run.err
    scores = read(tmp_path / "scores.json")
    assert scores["exact"] == pytest.approx(exact)
    assert (scores["best_exact"], scores["best_exact_thresh"]) == (pytest.approx(2 / 3), -1.5)
    assert scores["metric"] == "f1"
    # Without odds what is said is said, and there is no threshold to look for.
    run = mobilebert(*arguments)
    scores = read(tmp_path / "scores.json")
    assert (scores["exact"], scores["metric"]) == (pytest.approx(1 / 3), "f1")
    assert "best_exact" not in scores


def test_a_question_of_v1_without_an_answer_is_wrong_and_counted(
        mobilebert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "dev.json", KINDS["squad"][1])
    write(tmp_path / "answers.json", {"1": "d e"})
    run = mobilebert("evaluate", "--predictions-from", "answers.json", "--task", "squad", "--dev",
                     "dev.json")
    assert run.status == 0, run.err
    assert "exact_match 0.5000" in run.out
    assert "1 of 2 examples have no answer in answers.json and count as wrong" in run.err


@pytest.mark.parametrize(("task", "content", "accuracy"), [
    ("sst2", "index\tprediction\n0\t0\n2\t1\n1\t1\n", 2 / 3),
    ("classification", "index\tprediction\n" + "".join(
        f"{index}\t{name}\n" for index, name in enumerate(["joy"] * 8)), 3 / 8)])
def test_a_submission_is_scored(task, content, accuracy, mobilebert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, examples, columns, *_ = KINDS[task]
    write(tmp_path / file, examples)
    write(tmp_path / "answers.tsv", content)
    run = mobilebert("evaluate", "--predictions-from", "answers.tsv", "--task", task, "--dev", file,
                     *columns, "--json", "scores.json")
    assert run.status == 0, run.err
    assert read(tmp_path / "scores.json")["accuracy"] == pytest.approx(accuracy)


def test_classes_of_the_training_file_may_be_predicted_too(mobilebert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    write(tmp_path / "data" / "train.tsv", TABLE)
    write(tmp_path / "data" / "dev.tsv", "text\tlabel\na\tjoy\nb\tanger\n")
    write(tmp_path / "answers.json", ["joy", "optimism"])
    arguments = ("evaluate", "--predictions-from", "answers.json", "--task", "classification",
                 *COLUMNS)
    run = mobilebert(*arguments, "--data", "data")
    assert run.status == 0, run.err
    assert "accuracy 0.5000" in run.out
    run = mobilebert(*arguments, "--dev", "data/dev.tsv")
    assert run.status == 2
    said = " ".join(run.err.split())
    assert "answers.json, answer 1: 'optimism' is not one of anger, joy" in said


FILE = ("--predictions-from", "answers.json")
ANSWERS = {
    ("sst2", '["positive"'): "truncated; the file should hold a list with a label, or null, for "
                            "each example in JSON",
    ("sst2", '"positive"'): "answers.json: expected array, got str; the file should hold a list",
    ("sst2", "[1, 0, 1]"): "answers.json, [0]: expected str | null, got int; the file",
    ("sst2", "[" * 100_000): "answers.json, [0]: expected str | null, got array; the file",
    ("sst2", '["positive"]'): "answers.json has 1 answers for 3 examples",
    ("sst2", '["positive", "1", null]'): "answers.json, answer 1: '1' is not one of negative, pos",
    ("regression", "[1, true, 2]"): "answers.json, [1]: expected float | null, got bool",
    ("regression", '[1, "2", 2]'): "answers.json, [1]: expected float | null, got str",
    ("regression", "[1, NaN, 2]"): "the file should hold a list with a number, or null",
    ("multi_label", '[["joy"], ["joy", "rage"], [], null]'):
        "answers.json, answer 1: ['joy', 'rage'] has a label that is not one of anger, joy",
    ("multi_label", '[["joy"], "joy", [], null]'): "answers.json, [1]: expected array | null, got",
    ("tagging", '[[["b", "O"]], null, null]'): "answer 0 should have the words of its sentence, 'b",
    ("tagging", '[null, null, [["b", "X-PER"]]]'): "answer 2: 'b' has the tag 'X-PER', and known",
    ("tagging", '[null, null, ["b"]]'): "answers.json, [2][0]: expected array, got str",
    ("squad", '{"1": "d", "7": "e"}'): "answers.json: there is no question '7', one of 1 unknown",
    ("squad", '{"1": null}'): "expected str, got null; the file should hold texts by the q",
    ("squad", '["d"]'): "expected object, got array; the file should hold texts by the question",
    ("squad_v2", '{"1": "d"}'): "2 of 3 questions have no prediction, first '2'",
}


@pytest.mark.parametrize(("task", "content"), ANSWERS)
def test_what_is_no_file_of_answers_is_said_in_a_sentence(
        task, content, mobilebert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, examples, columns, *_ = KINDS[task]
    write(tmp_path / file, examples)
    write(tmp_path / "answers.json", content)
    run = mobilebert("evaluate", *FILE, "--task", task, "--dev", file, *columns)
    assert run.status == 2, run.out
    assert ANSWERS[task, content] in " ".join(run.err.split())
    assert "Traceback" not in run.err


@pytest.mark.parametrize(("rows", "message"), [
    ("0\t0\n1\t1\n1\t1\n", "answers.tsv, line 4: the index '1' should be one of 0 to 2"),
    ("0\t0\n1\t1\n3\t1\n", "answers.tsv, line 4: the index '3' should be one of 0 to 2"),
    ("0\t0\n1\t1\n", "answers.tsv has 2 answers for 3 examples"),
    ("0\t0\n1\t1\n2\tpositive\n", "answers.tsv, answer 2: 'positive' is not one of 0, 1")])
def test_what_is_no_submission_is_said_in_a_sentence(
        rows, message, mobilebert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "dev.tsv", KINDS["sst2"][1])
    write(tmp_path / "answers.tsv", f"index\tprediction\n{rows}")
    run = mobilebert("evaluate", "--predictions-from", "answers.tsv", "--task", "sst2", "--dev",
                     "dev.tsv")
    assert (run.status, message in " ".join(run.err.split())) == (2, True), run.err


@pytest.mark.parametrize(("task", "arguments", "message"), [
    ("sst2", (), "give either MODEL or --predictions-from"),
    ("sst2", ("model", *FILE), "give either MODEL or --predictions-from"),
    ("sst2", (*FILE, "--length", 8), "--length is for a model, and --predictions-from names"),
    ("sst2", (*FILE, "--threads", 2), "--threads is for a model"),
    ("sst2", (*FILE, "--predictions", "p.json"), "--predictions is for a model"),
    ("squad", (*FILE, "--n-best", "n.json"), "--n-best is for a model"),
    ("sst2", (*FILE, "--null-odds-from", "o.json"), "--null-odds-from is for questions without"),
    ("squad_v2", (*FILE, "--null-threshold", 1), "a null threshold needs null odds"),
    ("squad_v2", (*FILE, "--null-odds-from", "none.json"), "cannot read none.json"),
    ("squad_v2", (*FILE, "--null-odds-from", "dev.json"), "null odds by the question's id in JSON"),
    ("squad_v2", ("model", "--null-odds-from", "o.json"), "--null-odds-from goes with --predicti"),
    ("squad", (*FILE, "--confusion", "c.png"), "--confusion is for one class a text, and the task"),
    ("squad", ("--predictions-from", "none.json"), "cannot read none.json: No such file"),
])
def test_options_that_mean_nothing_are_refused(
        task, arguments, message, mobilebert, model, tmp_path):
    file, examples, _, kind, outputs = KINDS[task]
    model(kind, outputs)
    write(tmp_path / file, examples)
    write(tmp_path / "answers.json", {"1": "d", "2": "", "3": "c"})
    run = mobilebert("evaluate", *arguments, "--task", task, "--dev", file)
    assert (run.status, message in " ".join(run.err.split())) == (2, True), run.err


def test_a_setting_that_changes_no_written_answer_is_refused_by_its_name():
    for task, columns in (("squad_v2", {}), ("multi_label", {"text": "text", "label": "label"})):
        with pytest.raises(InputError, match="^the setting 'threshold' changes nothing"):
            score_answers("answers.json", task, dev="dev.tsv", settings={"threshold": 0.4},
                          **columns)


def test_the_confusion_is_drawn_and_counted_and_classes_have_scores(mobilebert, model, tmp_path):
    write(tmp_path / "dev.tsv", TABLE)
    run = mobilebert("evaluate", model(Classification(labels=CLASSES), by_letter), "--task",
                     "classification", "--dev", "dev.tsv", *COLUMNS, "--confusion", "c.png",
                     "--json", "scores.json")
    assert run.status == 0, run.err
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    scores = read(tmp_path / "scores.json")
    # "j" has no answer, and the last "a" is taken for anger.
    assert scores["confusion"] == {"labels": list(CLASSES), "missing": [1, 0, 0], "counts": [
        [2, 0, 0], [1, 2, 0], [0, 0, 2]]}
    assert scores["parts"]["anger"] == {
        "f1": pytest.approx(2 / 3), "precision": pytest.approx(2 / 3),
        "recall": pytest.approx(2 / 3), "examples": 3}
    assert scores["parts"]["optimism"]["f1"] == 1
    assert [line.split() for line in run.out.splitlines() if line.split()[:1] == ["anger"]] == [
        ["anger", "0.6667", "0.6667", "0.6667", "3"]]


def test_a_hundred_and_fifty_classes_fit_80_columns(mobilebert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"class_{number}_{'[b]word_' * (number % 12)}" for number in range(150)]
    write(tmp_path / "dev.tsv", "text\tlabel\n" + "".join(f"a\t{name}\n" for name in names))
    write(tmp_path / "answers.json", [*names[:-1], None])
    monkeypatch.setattr(output, "results", SafeConsole(width=80))
    run = mobilebert("evaluate", "--predictions-from", "answers.json", "--task", "classification",
                     "--dev", "dev.tsv", *COLUMNS)
    assert run.status == 0, run.err
    assert max(map(len, run.out.splitlines())) <= 80
    assert sum("1.0000" in line for line in run.out.splitlines()) == 149
    assert "class_11_[b]word_" in run.out


@pytest.mark.parametrize(("classes", "is_given"), [(500, True), (501, False)])
def test_the_confusion_of_very_many_classes_is_left_out(classes, is_given, tmp_path):
    names = [f"class{number}" for number in range(classes)]
    (tmp_path / "dev.csv").write_text("text,label\n" + "".join(f"a,{one}\n" for one in names))
    (tmp_path / "answers.json").write_text(json.dumps(names))
    found = score_answers(tmp_path / "answers.json", "classification", dev=tmp_path / "dev.csv",
                          train=[tmp_path / "dev.csv"], text="text", label="label")
    assert found.scores["accuracy"] == 1
    assert ("confusion" in found.to_json()) == is_given
