"""What the model card of a package says, and that its Python runs."""

import dataclasses
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mobilebert_tf import kinds
from mobilebert_tf.data.datasets import glue, glue_dataset
from mobilebert_tf.export.package.card import model_card as card_text
from mobilebert_tf.tasks import catalogue

from .. import every_kind, sst2
from ..conftest import LABELS, LENGTH
from .conftest import MEMBERS, write_note


def test_the_card_says_what_was_measured_and_on_what(written):
    directory, facts = written
    card = (directory / "README.md").read_text()
    front = card.split("---\n")[1]
    assert "metrics:\n- accuracy\ntags:" in front
    for line in ("license: apache-2.0", "library_name: litert", "pipeline_tag: text-classification",
                 "base_model: sentence-transformers/all-MiniLM-L6-v2"):
        assert line in front.splitlines()
    for file in facts["files"]:
        row, = re.findall(rf"^\| {file['file']} .*$", card, re.MULTILINE)
        for cell in (file["recipe"], file["minimum_runtime"], "0.9000",
                     f"{file['gate']['file_score']:.4f}", f"{file['bytes'] / 1e6:.2f}"):
            assert f"| {cell} |" in row
    assert "50 examples of `dev.tsv`" in card
    assert "Data: films (for research)." in card
    assert ("The minimum runtime is the oldest TensorFlow Lite known to run the file; LiteRT 2 is "
            "newer.\n") in card
    assert 'encode_batch(tokenizer, ["a fine film"], length=' in card
    assert "mobilebert predict tiny_dynamic_int8.tflite 'a fine film'`" in card
    assert ("from the checkpoint all-MiniLM-L6-v2, with\nlearning_rate 5e-05, epochs 20, "
            "patience 1.") in card
    assert ("mobilebert package mine --task sst2 --recipes float32,dynamic_int8 --lengths 12 "
            "--train train.tsv --dev dev.tsv --output tiny --name tiny --licence apache-2.0 "
            "--base-model sentence-") in card
    assert "/home" not in card + json.dumps(facts), "no places of the machine"
    notice = (directory / "NOTICE.txt").read_text()
    assert notice.endswith("The data: films (for research).\n")
    assert "Apache License 2.0" in notice
    assert "Their licence, as stated: apache-2.0" in notice
    assert "is sentence-transformers/all-MiniLM-L6-v2" in notice


def test_the_card_names_some_of_very_many_labels(written):
    facts = {**written[1], "labels": [f"class_{number}" for number in range(151)]}
    first = card_text(facts, "").split("\n\n# ")[1].split("\n\n")[1].split("\n")[0]
    assert first.endswith("class_8, class_9 and 141 more.")


def test_the_card_says_if_a_comparison_is_weak(written):
    """Both files are compared on 50 examples, so one sentence names both."""
    directory, facts = written
    sentence, *_ = facts["files"][0]["gate"]["weaknesses"]
    assert sentence.startswith("The dev set is small: one of its 50 examples is worth 2 points")
    card = (directory / "README.md").read_text()
    assert ("**The comparison with the Keras model is weak**, though passed:\n\n"
            f"- `tiny_float32.tflite`, `tiny_dynamic_int8.tflite`: {sentence}\n") in card
    strong = {**facts, "files": [{**file, "gate": {**file["gate"], "weaknesses": []}}
                                 for file in facts["files"]]}
    assert "weak" not in card_text(strong, "")
    assert "checks the download.\n\nMeasured on" in card_text(strong, "")


def test_a_test_set_stands_beside_the_dev_set(cheap, write, data, vocabulary, tmp_path):
    """Of its 20 examples 12 are right, and of the 50 of the dev set 45."""
    test = sst2.write_files(tmp_path / "held", vocabulary, 20, right=12) / "dev.tsv"
    test = test.rename(test.with_name("held_out.tsv"))
    facts = write(tmp_path / "tiny", vocab=Path("mine/words.txt"),
                  data=dataclasses.replace(sst2.data(data), test_file=test))
    assert facts["tested_on"] == {
        "file": "held_out.tsv", "examples": 20, "model_score": 0.6,
        "sha256": hashlib.sha256(test.read_bytes()).hexdigest()}
    (file,) = facts["files"]
    assert (file["gate"]["file_score"], file["test_score"]) == (0.9, 0.6)
    card = (tmp_path / "tiny" / "README.md").read_text()
    header, _, row = (line.split(" | ")[-2:] for line in card.splitlines()
                      if line.startswith("| "))
    assert header == ["accuracy on test, Keras model", "accuracy on test, file |"]
    assert row == ["0.6000", "0.6000 |"]
    assert "and tested on the 20 examples of `held_out.tsv`" in card
    assert "The dev set also chose the best epoch, so its scores flatter. The test set" in card
    assert " --dev dev.tsv --test held_out.tsv " in card
    assert " --vocab words.txt" in card
    unknown = {**facts, "tested_on": {**facts["tested_on"], "model_score": None}}
    assert "| not known | 0.6000 |" in card_text(unknown, "")


def test_without_a_test_set_the_card_says_so(written):
    directory, facts = written
    assert facts["tested_on"] is None
    assert [file["test_score"] for file in facts["files"]] == [None, None]
    card = (directory / "README.md").read_text()
    assert ("- There is no test set: all scores are of the dev set. It also chose the best epoch, "
            "so its scores flatter.\n") in card
    assert "on test" not in card
    assert "--test" not in card
    assert ("It may have been used in training, which is not recorded.\n"
            in card_text({**facts, "training": None}, ""))
    once = {**facts["training"], "scorings": 1}
    assert "It chose no epoch: there is one. Whether" in card_text(
        {**facts, "training": once}, "")
    assert "It may have chosen the epoch, which is not recorded." in card_text(
        {**facts, "training": {**once, "scorings": None}}, "")
    assert "Fine-tuned on " in card


@pytest.mark.parametrize(("is_read", "sentence"), [
    (True, "It also chose the best epoch, so its scores flatter."),
    (False, "It was not read in training.")])
def test_only_a_dev_set_that_the_training_read_chose(is_read, sentence, cheap, write, data,
                                                     tmp_path):
    read = (data / "dev.tsv").read_bytes() if is_read else b"another dev set"
    write_note(tmp_path, "sst2", {"accuracy": 0.9},
               sha256={"glue/dev.tsv": hashlib.sha256(read).hexdigest()})
    facts = write(tmp_path / "tiny", source=tmp_path)
    assert facts["training"]["read_dev_set"] is is_read
    assert sentence in (tmp_path / "tiny" / "README.md").read_text()


def test_the_card_says_what_a_teacher_taught(written):
    _, facts = written
    taught = {**facts["training"], "teacher": "large", "augment": 20,
              "unlabelled": {"files": ["a.txt", "b.txt"], "examples": 1200},
              "settings": {"seed": 1, "log_every": 20},
              "stages": [{"name": "task", "steps": 1500, "batch_size": 32, "learning_rate": 3e-4,
                          "losses": {"soft_label": 1.0, "label": 0.5}}]}
    text = " ".join(card_text({**facts, "training": taught}, "").split())
    assert ("Distilled from the teacher large on the training set of the task sst2, with up to 20 "
            "new examples made of each of its own, and on 1,200 texts without labels of a.txt, "
            "b.txt, from ") in text
    assert ("with seed 1. Stage task: 1,500 updates of 32 rows, learning rate 0.0003, losses "
            "soft_label 1, label 0.5.") in text


def test_a_dataset_of_tfds_has_a_name_and_no_digest(cheap, write, data, tmp_path, monkeypatch):
    monkeypatch.setattr(glue_dataset, "read", lambda name, split: glue.read(
        data / f"{split}.tsv", glue.task(name)))
    task = catalogue.of("sst2")
    facts = write(tmp_path / "tiny", data=catalogue.data(task, Path("tfds:glue/sst2")))
    assert facts["evaluated_on"] == {"file": "tfds:glue/sst2", "examples": 50, "sha256": None}
    card = (tmp_path / "tiny" / "README.md").read_text()
    assert "50 examples of `tfds:glue/sst2`, on " in card
    assert "--lengths 12 --data tfds:glue/sst2 --output tiny" in card


def said_by_the_card(directory):
    """What the Python in a package's card prints."""
    code, = re.findall(r"^```python\n(.*?)^```", (directory / "README.md").read_text(),
                       re.MULTILINE | re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=directory, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_cards_python_runs(written):
    first, second = map(float, re.findall(r"0\.\d+", said_by_the_card(written[0])))
    assert first + second == pytest.approx(1, abs=1e-5)


def test_nothing_is_claimed_that_nobody_stated(cheap, write, tmp_path):
    write(tmp_path / "out", source=tmp_path)
    card, notice = ((tmp_path / "out" / name).read_text() for name in ("README.md", "NOTICE.txt"))
    assert "license: unknown" in card
    assert "base_model" not in card
    assert "How the model was trained is not recorded" in card
    assert "licence has not been stated: ask before you ship" in notice
    assert "has not been stated by who published" in notice


# What differs: the hub's names, whether there are pairs, Kotlin's outputs, and a word on each.
CARDS = {
    "multi_label": ("text-classification", ["f1"], False,
                    {"probabilities": "FloatArray(4)"},
                    "One threshold, 0.52, serves all labels"),
    "regression": ("text-classification", ["pearsonr", "spearmanr"], True,
                   {"score": "FloatArray(1)"}, "on the scale of stsb"),
    "embedding": ("sentence-similarity", ["spearmanr"], False,
                  {"sentence_embedding": "FloatArray(48)"}, "a vector of 48 numbers"),
    "tagging": ("token-classification", ["seqeval"], False,
                {"logits": f"FloatArray({LENGTH} * 5)"},
                "Marks words of a text, on phones: loc, per."),
    "question_answering": ("question-answering", ["f1"], True,
                           {"end_logits": f"FloatArray({LENGTH})",
                            "start_logits": f"FloatArray({LENGTH})"},
                           "windows, each 128 tokens after"),
}


@pytest.mark.parametrize("kind", CARDS)
def test_every_kind_is_packaged_with_a_card_of_its_own(kind, packaged):
    directory, facts = packaged(kind)
    tag, metrics, pairs, outputs, words = CARDS[kind]
    labels = LABELS.get(kind)
    names = {path.name for path in directory.iterdir()}
    assert names == {"tiny_float32.tflite", *(MEMBERS - {
        "tiny_dynamic_int8.tflite", *([] if labels else ["labels.txt"])})}
    assert json.loads((directory / "model.json").read_text()) == facts
    assert facts["labels"] == (labels and list(labels))
    assert (facts["task"], facts["kind"], facts["pairs"], facts["lower_case"]) == (
        every_kind.NAMES[kind], kind, pairs, True)
    assert set(facts["outputs"]) == set(outputs)
    card = (directory / "README.md").read_text()
    front = card.split("---\n")[1]
    assert f"pipeline_tag: {tag}\n" in front
    assert re.findall(r"^- (\w+)$", front.split("tags:")[0], re.MULTILINE) == metrics
    assert words in card
    for name, array in outputs.items():
        assert f"- `{name}` is read as `{array}`\n" in card
    assert "listOf({})".format(", ".join(f'"{name}"' for name in facts["outputs"])) in card
    assert "vocabulary and labels inside" in card if labels else "\nvocabulary inside" in card
    assert ("| - |" in card) == (kind in ("regression", "embedding"))
    assert ("TextEmbedder.create" in card) == (kind == "embedding")
    assert "{" not in re.sub("```.*?```|`.*?`", "", card, flags=re.DOTALL), "a gap not filled"
    assert ("--second-text" in card) == pairs
    assert max(map(len, card.splitlines())) < 300


@pytest.mark.slow
@pytest.mark.parametrize("kind", CARDS)
def test_every_cards_python_runs(kind, packaged):
    said = said_by_the_card(packaged(kind)[0])
    numbers = [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", said)]
    if kind == "embedding":
        assert sum(number ** 2 for number in numbers) == pytest.approx(1, abs=1e-4)
    elif kind == "multi_label":
        assert len(re.findall("True|False", said)) == len(LABELS[kind])
    else:
        assert len(numbers) == {"regression": 1, "tagging": LENGTH, "question_answering": 2}[kind]


def test_every_task_has_a_card():
    """The card of its kind has the hub's names of its metric."""
    columns = {"text": "text", "label": "label"}
    for name in catalogue.names():
        is_own = name in kinds.names() and kinds.get(name).table is not None
        task = catalogue.of(name, columns if is_own else None)
        assert task.kind.card.metrics[task.metrics.main], name


def test_mediapipe_is_not_promised_what_it_would_misread(write, vocabulary, tmp_path):
    write(tmp_path / "out", contents=sst2.contents(vocabulary, lower_case=False))
    card = (tmp_path / "out" / "README.md").read_text()
    assert "createFromFile" not in card
    assert "MediaPipe's TextClassifier lower-cases whatever it is given" in card
    assert "Text keeps its case before" in card
