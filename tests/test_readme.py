"""The README's commands, run as they stand, on small stand-ins for what it tells to fetch."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.text.learning import learn_vocabulary

WORDS = {1: ["good", "fine", "warm"], 0: ["bad", "dull", "cold"]}


def code_blocks(repository, language):
    text = (repository / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """glue/SST-2 with some rows, and as a table; all-MiniLM-L6-v2 of random weights; and texts."""
    directory = tmp_path_factory.mktemp("readme")
    data = directory / "glue" / "SST-2"
    data.mkdir(parents=True)
    random = np.random.default_rng(1)
    rows = [f"{' '.join(random.choice(WORDS[label], 3))}\t{label}"
            for label in random.integers(2, size=64)]
    for name in ("train.tsv", "dev.tsv"):
        (data / name).write_text("sentence\tlabel\n" + "\n".join(rows) + "\n")
    table = "\n".join(f"{row.split(chr(9))[0]},{row[-1]}" for row in rows)
    (directory / "mails.csv").write_text(f"body,folder\n{table}\n")
    vocabulary = learn_vocabulary(rows + ["abcdefghijklmnopqrstuvwxyz'"], 120)
    (directory / "texts").mkdir()
    for number in range(8):
        (directory / "texts" / f"{number}.txt").write_text(f"It is {number}. Good.\n\nFine.\n" * 9)
    config = mb.EncoderConfig(vocab_size=len(vocabulary), hidden_size=32, num_blocks=2,
                              num_heads=4, intermediate_size=64, embedding_size=32,
                              max_positions=128)
    checkpoint = directory / "all-MiniLM-L6-v2"
    mb.checkpoints.save_huggingface(mb.Encoder(config), checkpoint)
    vocabulary.save(checkpoint / "vocab.txt")
    return directory


@pytest.mark.slow
def test_commands_run_in_order(repository, place):
    commands = [line for block in code_blocks(repository, "sh") for line in block.splitlines()]
    assert len(commands) >= 10
    environment = os.environ | {
        "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}
    for command in commands:
        done = subprocess.run(["bash", "-c", command], cwd=place, env=environment, text=True,
                              capture_output=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


@pytest.mark.slow
def test_python_runs(repository, tmp_path):
    code = "\n".join(code_blocks(repository, "python"))
    assert "model.fit" in code
    done = subprocess.run([sys.executable, "-c", code + "\nprint(len(result.model))"], text=True,
                          cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert 24e6 < int(done.stdout.split()[-1]) < 26.5e6


def test_every_command_of_the_command_line_is_shown(repository):
    text = "\n".join(code_blocks(repository, "sh"))
    from mobilebert_tf.cli.main import app

    for command in app.registered_commands:
        if command.name != "quickstart":  # shown as `make quickstart`
            assert f"mobilebert {command.name} " in text or f"mobilebert {command.name}\n" in text
