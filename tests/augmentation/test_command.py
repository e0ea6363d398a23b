"""The command as a user runs it, with a small masked LM of random weights."""

import json
import subprocess

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.augmentation.masked_lm import MaskedLM
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.fill_mask import FillMask
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import Vocabulary

from ..processes import COMMAND, kill, wait_for

TABLE = "sentence\tlabel\na gripping film!\t1\nthe 3rd story drags\t0\nfilm drags\t0\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory with a table, a `Pretrainer` and an `Encoder`."""
    directory = tmp_path_factory.mktemp("augment")
    config = mb.presets.get("micro")
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "the", "film", "story", "drags",
              "grip", "##ping", "!", "3", "##rd"]
    words = [f"{first}{second}" for first in "bcdfghjklmnpqrstvwxyz" for second in "aeiou" * 20]
    words = list(dict.fromkeys(words)) + [f"w{chr(97 + one // 26)}{chr(97 + one % 26)}x{two}"
                                          for one in range(676) for two in "abcdefgh"]
    vocabulary = Vocabulary([*pieces, *words][:config.vocab_size])
    model = mb.Pretrainer(mb.Encoder(config))
    model_directory.save(directory / "model", model_directory.ModelDirectory(
        model, vocabulary, FillMask()))
    mb.checkpoints.save_huggingface(mb.Encoder(config), directory / "encoder")
    vocabulary.save(directory / "encoder" / "vocab.txt")
    (directory / "train.tsv").write_text(TABLE)
    return directory


def run(place, *arguments):
    done = subprocess.run([*COMMAND, "augment", *arguments], cwd=place, text=True,
                          capture_output=True)
    return done.returncode, done.stdout, done.stderr


def test_the_command_writes_a_table_and_json(place):
    status, out, err = run(place, "train.tsv", "--task", "sst2", "--model", "model", "--draws", "5",
                           "--output", "augmented.tsv", "--json", "augmented.json")
    assert status == 0, err
    header, *rows = (place / "augmented.tsv").read_text().splitlines()
    found = json.loads((place / "augmented.json").read_text())
    assert header == "sentence\tlabel"
    assert set(TABLE.splitlines()[1:]) < set(rows)
    assert (found["rows"], found["written"], found["left_out"]) == (3, len(rows), 0)
    assert found["settings"] == {"draws": 5, "candidates": 15, "probability": 0.4, "seed": 1,
                                 "as_published": False}
    assert f"{len(rows)} rows in augmented.tsv, made of 3 rows" in out
    made = [row for row in rows if row.startswith("the 3rd ")]
    assert len(made) > 1
    assert all(row.endswith("\t0") for row in made)


@pytest.mark.parametrize(("arguments", "sentence"), [
    (("--model", "encoder"), "encoder has no masked-LM head"),
    (("--model", "nowhere"), "there is no model directory nowhere"),
    (("--model", "model", "--shard", "1of2"), "--shard should be a number and a count, such as"),
])
def test_bad_input_is_one_sentence(place, arguments, sentence):
    status, _, err = run(place, "train.tsv", "--task", "sst2", *arguments, "--output", "bad.tsv")
    assert status == 2
    assert sentence in err
    assert "Traceback" not in err
    assert not (place / "bad.tsv").exists()


@pytest.mark.slow
def test_a_killed_command_continues_and_ends_bit_equal(place):
    words = ["gripping", "film", "story", "drags", "grip", "the", "3rd", "!"]
    (place / "long.tsv").write_text("sentence\tlabel\n" + "".join(
        f"{' '.join(words[number * step % 8] for step in range(1, 12))} {number}\t{number % 2}\n"
        for number in range(1000)))
    arguments = ["long.tsv", "--task", "sst2", "--model", "model", "--output"]
    process = subprocess.Popen([*COMMAND, "augment", *arguments, "killed.tsv"], cwd=place)
    wait_for(lambda: len(list((place / "killed.tsv.parts").glob("rows-*.json"))) >= 3,
             "three parts", process)
    kill(process)
    assert not (place / "killed.tsv").exists()
    status, _, err = run(place, *arguments, "killed.tsv", "--seed", "2")
    assert (status, "it differs in settings.seed (1, now 2)" in err) == (2, True)
    for name in ("killed.tsv", "whole.tsv"):
        assert run(place, *arguments, name)[0] == 0
    assert (place / "killed.tsv").read_bytes() == (place / "whole.tsv").read_bytes()
    assert not (place / "killed.tsv.parts").exists()


def test_the_best_pieces_are_those_of_the_models_logits(place, monkeypatch):
    contents = model_directory.load(place / "model")
    masked_lm = MaskedLM(contents.model, Tokenizer(contents.vocabulary))
    random = np.random.default_rng(1)
    ids = random.integers(5, 40, (7, 9)).astype(np.int32)
    types = np.tile(np.int32([0] * 5 + [1] * 4), (7, 1))
    positions = random.integers(1, 8, 7).astype(np.int32)
    logits = contents.model({
        "input_word_ids": ids, "input_mask": np.ones_like(ids), "input_type_ids": types,
        "masked_positions": np.tile(np.arange(9, dtype=np.int32), (7, 1))})["mlm_logits"].numpy()
    expected = np.argsort(-logits[np.arange(7), positions], axis=-1)[:, :4]
    np.testing.assert_array_equal(masked_lm.best(ids, types, positions, 4), expected)
    monkeypatch.setattr("mobilebert_tf.augmentation.masked_lm._TOKENS", 20)
    np.testing.assert_array_equal(masked_lm.best(ids, types, positions, 4), expected)
    np.testing.assert_array_equal(masked_lm.word_table,
                                  contents.model.encoder.embedding.word_table.numpy())


def test_a_model_without_a_vocabulary_is_refused(place, tmp_path):
    model_directory.save(tmp_path, model_directory.ModelDirectory(
        mb.Pretrainer(mb.Encoder(mb.presets.get("micro"))), None, FillMask()))
    with pytest.raises(InputError, match=r"has no vocab\.txt"):
        MaskedLM.load(tmp_path)
