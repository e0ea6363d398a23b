"""Rows that are broken in official files, or not filled in one's own, are left out and named."""

import json

import numpy as np
import pytest

from mobilebert_tf.finetuning.result import FineTuningResult
from mobilebert_tf.inference import opening
from mobilebert_tf.kinds.classification import Classification

HEADER = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
ROW = "{0}\t1\t2\ta b\tc d\t1\n"
BROKEN = "7\t1\t2\tthe question ends\n"
LABELS = ("not_duplicate", "duplicate")


@pytest.fixture
def qqp(tmp_path, monkeypatch):
    """The task's directory: one broken row among three in train.tsv, two in dev.tsv."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "QQP").mkdir()
    for name, rows in (("train", [ROW, BROKEN, ROW]), ("dev", [BROKEN, ROW, BROKEN])):
        (tmp_path / "QQP" / f"{name}.tsv").write_text(
            HEADER + "".join(row.format(number) for number, row in enumerate(rows)))


def said(run):
    return [line for line in run.err.splitlines() if "left out" in line]


def test_evaluate_says_how_many(mobilebert, qqp, letters, scripted, tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").touch()
    runner = scripted(letters, lambda inputs: {"probabilities": np.float32(
        [[0.1, 0.9]] * len(inputs["input_word_ids"]))}, Classification(labels=LABELS))
    monkeypatch.setattr(opening, "open_model", lambda *arguments: runner)
    run = mobilebert("evaluate", "model", "--task", "qqp", "--data", "QQP", "--json", "out.json")
    assert run.status == 0, run.err
    assert said(run) == [
        "2 rows of QQP/dev.tsv left out: lines 2, 4 have too few columns"]
    scores = json.loads((tmp_path / "out.json").read_text())
    assert (scores["examples"], scores["left_out"], scores["accuracy"]) == (1, 2, 1.0)
    assert scores["left_out_lines"] == {"QQP/dev.tsv": [2, 4]}
    # None is worth no word.
    (tmp_path / "QQP" / "dev.tsv").write_text(HEADER + ROW)
    run = mobilebert("evaluate", "model", "--task", "qqp", "--data", "QQP", "--json", "out.json")
    assert (run.status, said(run)) == (0, [])
    scores = json.loads((tmp_path / "out.json").read_text())
    assert (scores["left_out"], scores["left_out_lines"]) == (0, {})


def test_finetune_says_how_many_of_which_file(mobilebert, qqp, monkeypatch):
    trained = []

    def fine_tune(data, *arguments):
        trained.append(len(data.for_training[1]))
        return FineTuningResult(1, "accuracy", {"accuracy": 1.0}, {})

    monkeypatch.setattr("mobilebert_tf.finetuning.run.run", fine_tune)
    run = mobilebert("finetune", "--task", "qqp", "--data", "QQP", "--preset", "micro", "--output",
                     "run")
    assert run.status == 0, run.err
    assert trained == [2]
    assert said(run) == ["1 row of QQP/train.tsv left out: line 3 has too few columns",
                         "2 rows of QQP/dev.tsv left out: lines 2, 4 have too few columns"]


def test_finetune_names_the_rows_of_ones_own_table_that_are_not_filled(
        mobilebert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    empty = ",\n"
    (tmp_path / "one.csv").write_text(f"body,folder\na,spam\n{empty}b,ham\n,ham\nc,\n")
    (tmp_path / "two.csv").write_text(f"body,folder\na,spam\nb,ham\n{empty * 9}")
    (tmp_path / "dev.csv").write_text("body,folder\na,spam\nb,ham\n")
    monkeypatch.setattr("mobilebert_tf.finetuning.run.run",
                        lambda *arguments: FineTuningResult(1, "accuracy", {"accuracy": 1.0}, {}))
    run = mobilebert("finetune", "--task", "classification", "--train", "one.csv", "--train",
                     "two.csv", "--dev", "dev.csv", "--text", "body", "--label", "folder",
                     "--preset", "micro", "--output", "run", "--json", "out.json")
    assert run.status == 0, run.err
    assert said(run) == [
        "3 rows of one.csv left out: lines 3, 5, 6 have no text or no label",
        "9 rows of two.csv left out: lines 4, 5, 6, 7, 8, 9, 10, 11 and others have no text or no "
        "label"]
    found = json.loads((tmp_path / "out.json").read_text())
    assert (found["left_out"], found["left_out_lines"]["one.csv"]) == (12, [3, 5, 6])
