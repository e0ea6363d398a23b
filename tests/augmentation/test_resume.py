"""Runs that are killed, or that find no room, and what is left of them."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mobilebert_tf.augmentation import rows as of_examples
from mobilebert_tf.augmentation.augment import augment
from mobilebert_tf.augmentation.augment_examples import augment_examples
from mobilebert_tf.augmentation.settings import AugmentationSettings
from mobilebert_tf.errors import InputError
from mobilebert_tf.resuming.lock import locked
from mobilebert_tf.resuming.parts import Parts
from mobilebert_tf.tasks import catalogue

from ..full_disk import room_in_a_file

ROWS = 40
SETTINGS = AugmentationSettings(draws=8)
WORDS = ("film", "movie", "story", "a", "the", "unable")
TEXTS = [" ".join(WORDS[(number * step) % 6] for step in range(1, 9)) + f" {number}"
         for number in range(ROWS)]
# Run the library with the scripted masked LM, and kill the process at its 14th text: the parts
# have 4, so that three are whole.
SCRIPT = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import conftest
from mobilebert_tf.augmentation import rows
from mobilebert_tf.augmentation.augment import augment
from mobilebert_tf.augmentation.settings import AugmentationSettings
rows._PART = 4
model = conftest.Scripted(("film", "##ly", "movie", "[UNK]", "story"))
best = model.best
texts = []
def counted(*arguments):
    texts.append(1)
    if len(texts) == 14:
        os.kill(os.getpid(), signal.SIGKILL)
    return best(*arguments)
model.best = counted
augment(sys.argv[2], sys.argv[3], task=sys.argv[4], model=model,
        settings=AugmentationSettings(draws=8))
"""


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(of_examples, "_PART", 4)


def write(path, task):
    """Write a training file of 40 examples."""
    if task == "sst2":
        path.write_text("sentence\tlabel\n" + "".join(
            f"{text}\t{number % 2}\n" for number, text in enumerate(TEXTS)))
    elif task == "squad":
        path.write_text(json.dumps({"data": [{"paragraphs": [
            {"context": text, "qas": [{"id": str(number), "question": "a film?", "answers": [
                {"text": text.split()[0], "answer_start": 0}]}]}
            for number, text in enumerate(TEXTS)]}]}))
    else:
        path.write_text("\n".join("".join(
            f"{'B-number' if word.isdigit() else 'O'}\t{word}\n" for word in text.split())
            for text in TEXTS))
    return path


def killed(table, output, task):
    """Run until kill -9; return how many parts are done."""
    process = subprocess.run([sys.executable, "-c", SCRIPT, str(Path(__file__).parent),
                              str(table), str(output), task])
    assert process.returncode == -signal.SIGKILL
    return len(list(output.with_name(output.name + ".parts").glob("rows-*.json")))


@pytest.mark.parametrize(("task", "name"), [
    ("sst2", "out.tsv"), ("sst2", "out.tsv.gz"), ("squad", "out.json"), ("tagging", "out.bio")])
def test_a_killed_run_continues_and_ends_bit_equal(masked_lm, tmp_path, task, name):
    table, output = write(tmp_path / "train", task), tmp_path / "killed" / name
    augment(table, tmp_path / "whole" / name, task=task, model=masked_lm, settings=SETTINGS)
    texts = len(masked_lm.batches)
    done = killed(table, output, task)
    assert done == 3
    assert not output.exists()
    masked_lm.batches.clear()
    result = augment(table, output, task=task, model=masked_lm, settings=SETTINGS)
    assert output.read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert (result.rows, texts, len(masked_lm.batches)) == (ROWS, ROWS, ROWS - done * 4)
    assert [path.name for path in output.parent.iterdir()] == [name]


def test_another_run_in_the_same_place_is_refused(masked_lm, tmp_path):
    table, output = write(tmp_path / "train", "sst2"), tmp_path / "out.tsv"
    killed(table, output, "sst2")
    options = {"task": "sst2", "model": masked_lm, "settings": SETTINGS}
    for changed, sentence in [
            ({"settings": AugmentationSettings(draws=8, probability=0.5)},
             r"out\.tsv\.parts is of another run: it differs in settings\.probability \(0\.4, now "
             r"0\.5\); give the same arguments, or remove this directory to begin anew"),
            ({"settings": AugmentationSettings(draws=9)}, r"in settings\.draws \(8, now 9\);")]:
        with pytest.raises(InputError, match=sentence):
            augment(table, output, **{**options, **changed})
    table.write_text(table.read_text().replace("39\t1", "39\t0"))
    with pytest.raises(InputError, match="of another run: it differs in examples;"):
        augment(table, output, **options)
    write(table, "sst2")
    masked_lm.fingerprint = "other"
    with pytest.raises(InputError, match=r"it differs in model \(scripted, now other\);"):
        augment(table, output, **options)
    assert not output.exists()


def test_two_processes_do_not_write_one_output(masked_lm, tmp_path):
    table, output = write(tmp_path / "train", "sst2"), tmp_path / "out.tsv"
    with Parts(tmp_path / "out.tsv.parts", {}).opened(), \
            pytest.raises(InputError, match=r"another process is at work in .*\.parts; wait"):
        augment(table, output, task="sst2", model=masked_lm, settings=SETTINGS)


def test_a_cache_that_another_process_fills_is_waited_for(masked_lm, tmp_path):
    table = write(tmp_path / "train.tsv", "sst2")
    examples = catalogue.of("sst2").found_in([table]).read_train([table])
    options = {"cache": tmp_path / "cache"}
    expected, said = augment_examples(examples, masked_lm, SETTINGS, **options), []
    with contextlib.ExitStack() as other:
        other.enter_context(locked(options["cache"], "busy"))
        found = augment_examples(examples, masked_lm, SETTINGS, **options,
                                 say=lambda line: (said.append(line), other.close()))
    assert found == expected
    assert said == [f"another process is at work in {options['cache']}; waiting for it"]


@pytest.mark.parametrize("part", [4, 40])
def test_a_full_disk_leaves_nothing_half_and_the_run_continues(
        masked_lm, tmp_path, monkeypatch, part):
    # The output does not fit, or already the part of all rows.
    monkeypatch.setattr(of_examples, "_PART", part)
    table, output = write(tmp_path / "train", "sst2"), tmp_path / "out.tsv"
    output.write_text("before")
    options = {"task": "sst2", "model": masked_lm, "settings": SETTINGS}
    with room_in_a_file(8192), \
            pytest.raises(InputError, match=r"cannot write .*out\.tsv.*: File too large"):
        augment(table, output, **options)
    assert output.read_text() == "before"
    assert {path.name for path in tmp_path.iterdir()} == {"train", "out.tsv", "out.tsv.parts"}
    made = 10 if part == 4 else 0
    assert len(list((tmp_path / "out.tsv.parts").glob("rows-*.json"))) == made
    augment(table, output, **options)
    augment(table, tmp_path / "whole.tsv", **options)
    assert output.read_bytes() == (tmp_path / "whole.tsv").read_bytes()
    assert os.listdir(tmp_path).count("out.tsv.parts") == 0
