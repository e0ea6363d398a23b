"""A model from elsewhere, exported and packaged with the user's own table as its dev set."""

import json

import pytest

import mobilebert_tf as mb
from mobilebert_tf.cli import export, package
from mobilebert_tf.export import export_model

from . import sst2
from .commands import invoke
from .conftest import LENGTH

COLUMNS = ("--text", "said", "--label", "mood")


@pytest.fixture
def table(vocabulary, tmp_path):
    """A table on which the classifier is always right."""
    found = sst2.examples(vocabulary, 30)
    path = tmp_path / "reviews.csv"
    path.write_text("said,mood\n" + "".join(
        f"{text},{sst2.LABELS[label]}\n"
        for text, label in zip(found.texts, found.labels, strict=True)))
    return path


@pytest.fixture
def foreign(tuned, vocabulary):
    """A directory that names its labels but no task, like one from Hugging Face."""
    tuned["contents"] = sst2.contents(vocabulary, task=None)


def test_a_file_is_held_against_the_model_on_the_table(foreign, exports, table, tmp_path):
    result = invoke(export, "runs/x", "--recipe", "float32", "--lengths", LENGTH, "--task",
                    "classification", *COLUMNS, "--dev", table, "--output", tmp_path / "x.tflite")
    assert result.exit_code == 0, result.output
    gate = json.loads((tmp_path / "x.report.json").read_text())["gate"]
    assert (gate["task"], gate["examples"], gate["file_score"]) == ("classification", 30, 1.0)


def test_a_package_tells_the_columns_it_was_made_with(foreign, exports, table, tmp_path):
    result = invoke(package, "runs/x", "--recipes", "float32", "--lengths", LENGTH, "--task",
                    "classification", *COLUMNS, "--dev", table, "--output", tmp_path / "tiny")
    assert result.exit_code == 0, result.output
    card = (tmp_path / "tiny" / "README.md").read_text()
    assert "--dev reviews.csv --output tiny --name tiny --text said --label mood\n" in card


@pytest.mark.parametrize(("arguments", "message"), [
    (("--task", "classification"), "your own table: name the columns of the text and the label"),
    (COLUMNS, "columns of a table of your own: name the task too"),
    (("--task", "sst2", *COLUMNS), "its own format: columns cannot be named"),
])
def test_columns_go_with_a_task_that_has_them(arguments, message, foreign, table, tmp_path):
    for command, place in ((export, "x.tflite"), (package, "tiny")):
        result = invoke(command, "runs/x", *arguments, "--dev", table, "--output",
                        tmp_path / place)
        assert isinstance(result.exception, mb.InputError), result.output
        assert message in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["reviews.csv"]


def test_pairs_stay_pairs_and_single_texts_single(tuned, vocabulary, table, tmp_path):
    own = {"text": "said", "label": "mood"}
    tuned["contents"] = sst2.contents(vocabulary, task="classification", columns=own)
    result = invoke(export, "runs/x", "--recipe", "float32", "--lengths", LENGTH, "--task",
                    "classification", *COLUMNS, "--second-text", "mood", "--dev", table,
                    "--output", tmp_path / "x.tflite")
    assert isinstance(result.exception, mb.InputError)
    assert "runs/x was fine-tuned on single texts" in str(result.exception)
    pairs = {**own, "second_text": "answer"}
    tuned["contents"] = sst2.contents(vocabulary, task="classification", columns=pairs)
    loaded = export_model.load("runs/x", "classification", {"text": "asked"}, None)
    assert loaded.columns == {**pairs, "text": "asked"}
