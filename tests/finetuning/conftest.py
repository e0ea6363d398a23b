"""A task that a bag of words solves, and a small encoder with dropout to start from."""

import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.kinds.fill_mask import FillMask
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

WORDS = {1: ["good", "fine", "warm"], 0: ["bad", "dull", "cold"]}


@pytest.fixture(scope="session")
def make_data():
    """directory, rows for training, rows of dev -> SST-2: which kind of words there are more of."""

    def make(directory, train, dev):
        directory.mkdir(parents=True)
        random = np.random.default_rng(1)
        for name, count in (("train.tsv", train), ("dev.tsv", dev)):
            rows = ["sentence\tlabel"]
            for _ in range(count):
                label = int(random.integers(2))
                words = random.choice(WORDS[label], 3).tolist() + ["film", "the"]
                rows.append(f"{' '.join(random.permutation(words))}\t{label}")
            (directory / name).write_text("\n".join(rows) + "\n")
        return directory

    return make


@pytest.fixture(scope="session")
def small_start(tmp_path_factory):
    """The model directory of an encoder of one block, with dropout."""
    vocabulary = Vocabulary([*SPECIAL_PIECES, *WORDS[0], *WORDS[1], "film", "the"])
    config = dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1,
                                 vocab_size=len(vocabulary))
    assert config.hidden_dropout == config.attention_dropout == 0.1
    directory = tmp_path_factory.mktemp("start") / "encoder"
    model_directory.save(directory, ModelDirectory(
        mb.Pretrainer(mb.Encoder(config)), vocabulary, FillMask()))
    return directory
