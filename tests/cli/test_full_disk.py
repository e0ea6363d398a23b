"""Every command that writes, into a directory with 4 kB left: a sentence, and nothing half."""

import dataclasses
import os
import subprocess

import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.fill_mask import FillMask
from mobilebert_tf.model_directory import ModelDirectory

from ..processes import COMMAND

TRAINING = ["--corpus", "corpus", "--batch-size", "8", "--log-every", "1"]
TABLES = ["--train", "texts.tsv", "--dev", "texts.tsv"]
TASK = ["--task", "classification", "--text", "text", "--label", "label", *TABLES]
COMMANDS = {
    "corpus": ["corpus", "--text", "texts.txt", "--examples", "sentences", "--vocab",
               "corpus/vocab.txt"],
    "pretrain": ["pretrain", "--model", "student", "--steps", "2", *TRAINING],
    "distill": ["distill", "--teacher", "teacher", "--student", "student", "--transfer-steps", "2",
                "--distillation-steps", "2", *TRAINING],
    "finetune": ["finetune", *TASK, "--checkpoint", "student", "--length", "16", "--epochs", "1"],
    "export": ["export", "student", "--lengths", "16"],
    "package": ["package", "classifier", *TABLES, "--lengths", "16", "--recipes", "float32"],
    "convert to google": ["convert", "student", "--to", "google"],
    "convert to huggingface": ["convert", "student", "--to", "huggingface"],
    "convert to keras": ["convert", "student", "--to", "keras"],
}


@pytest.fixture(scope="module")
def inputs(make_corpus, tmp_path_factory):
    """The directory that the commands run in."""
    directory = tmp_path_factory.mktemp("inputs")
    corpus = make_corpus(directory / "corpus")
    for name, preset in (("teacher", "micro_ib_bert"), ("student", "micro")):
        config = dataclasses.replace(mb.presets.get(preset), num_blocks=1)
        model_directory.save(directory / name, ModelDirectory(
            mb.Pretrainer(mb.Encoder(config)), corpus.vocabulary(), FillMask()))
    model_directory.save(directory / "classifier", ModelDirectory(
        mb.Classifier(mb.Encoder(config), 2), corpus.vocabulary(),
        Classification(labels=("a", "b")), task="classification",
        columns={"text": "text", "label": "label"}))
    texts = [f"p1 p{index} p{index + 1} p2" for index in range(100)]
    (directory / "texts.txt").write_text("\n\n".join(texts * 10))
    (directory / "texts.tsv").write_text("text\tlabel\n" + "".join(
        f"{text}\t{'ab'[index % 2]}\n" for index, text in enumerate(texts)))
    return directory


@pytest.fixture
def disk(tmp_path):
    """A file system of 4 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", place],
                      capture_output=True, check=False).returncode:
        pytest.skip("a file system can be mounted by root only")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_said_in_a_sentence(command, inputs, disk, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    output = disk / "output"
    done = subprocess.run([*COMMAND, *COMMANDS[command], "--output", output], cwd=inputs,
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "TMPDIR": str(temporary)})
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    said = done.stderr.splitlines()[-1]
    assert said.startswith("Error: cannot write ")
    assert str(output) in said
    assert ": No space left on device" in said
    assert not [word for word in ("{{", "[Op:", "unfinished", "Errno") if word in said]
    assert not list(disk.rglob("*.unfinished"))
    assert not list(temporary.iterdir())
