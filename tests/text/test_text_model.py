"""A saved text model takes raw strings in a process that knows nothing of this package."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.errors import InputError
from mobilebert_tf.text.packing import encode_batch
from mobilebert_tf.text.text_model import save_text_model
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import Vocabulary

LENGTH = 7
TEXTS = ["Title in ISTANBUL", "one one one one one one one one one", ""]
PAIRS = ["one İN", "ONE", "title title"]
LOADER = """
import json, sys
import tensorflow as tf
import tensorflow_text
directory, texts, pairs = sys.argv[1], *map(json.loads, sys.argv[2:])
model = tf.saved_model.load(directory)
single = model.signatures["serving_default"](text=tf.constant(texts))
double = model.signatures["pairs"](text=tf.constant(texts), second_text=tf.constant(pairs))
print(json.dumps([{name: value.numpy().tolist() for name, value in outputs.items()}
                  for outputs in (single, double)]))
"""


@pytest.fixture
def tokenizer():
    return Tokenizer(Vocabulary(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "title", "in",
                                 "istanbul", "one"]))


def stand_in(as_dict):
    """A model whose outputs show every input: ids through weights, types and mask as they are."""
    inputs = {name: keras.Input((LENGTH,), dtype="int32", name=name)
              for name in ("input_word_ids", "input_mask", "input_type_ids")}
    dense = keras.layers.Dense(2)
    logits = dense(tf.cast(inputs["input_word_ids"], tf.float32))
    kernel = np.arange(2 * LENGTH, dtype=np.float32).reshape(LENGTH, 2)
    dense.set_weights([kernel, np.float32([0.5, -1])])
    seen = [inputs["input_mask"] * 1, inputs["input_type_ids"] * 1]
    return keras.Model(inputs, {"logits": logits, "seen": seen} if as_dict else logits)


def test_round_trip_in_a_fresh_process(tmp_path, tokenizer):
    model = stand_in(as_dict=True)
    directory = tmp_path / "deep" / "model"
    save_text_model(model, tokenizer, directory, length=LENGTH)
    assert [path.name for path in directory.parent.iterdir()] == ["model"]
    # A Turkish locale, in which TensorFlow's own lower-casing turns "TITLE" into "tıtle".
    result = subprocess.run(
        [sys.executable, "-c", LOADER, str(directory), json.dumps(TEXTS), json.dumps(PAIRS)],
        cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "LC_ALL": "tr_TR.UTF-8", "TF_CPP_MIN_LOG_LEVEL": "3"})
    assert result.returncode == 0, result.stderr
    loaded = json.loads(result.stdout.splitlines()[-1])
    for outputs, pairs in zip(loaded, (None, PAIRS), strict=True):
        inputs = encode_batch(tokenizer, TEXTS, pairs, length=LENGTH)
        assert outputs.keys() == {"logits", "seen_0", "seen_1"}
        np.testing.assert_allclose(outputs["logits"], model(inputs)["logits"], rtol=1e-6)
        np.testing.assert_array_equal(outputs["seen_0"], inputs["input_mask"])
        np.testing.assert_array_equal(outputs["seen_1"], inputs["input_type_ids"])


def test_a_single_output_is_named_logits_and_an_old_model_is_replaced(tmp_path, tokenizer):
    directory = tmp_path / "model"
    (directory / "variables").mkdir(parents=True)
    for stale in ("saved_model.pb", "variables/stale"):
        (directory / stale).write_text("")
    model = stand_in(as_dict=False)
    save_text_model(model, tokenizer, str(directory), length=LENGTH)
    assert not (directory / "variables" / "stale").exists()
    outputs = tf.saved_model.load(str(directory)).signatures["serving_default"](
        text=tf.constant(TEXTS))
    assert list(outputs) == ["logits"]
    np.testing.assert_allclose(
        outputs["logits"], model(encode_batch(tokenizer, TEXTS, length=LENGTH)), rtol=1e-6)


@pytest.mark.parametrize("names", [["notes.txt", "saved_model.pb"], ["assets"]])
def test_what_is_not_of_a_saved_model_is_never_deleted(names, tmp_path, tokenizer):
    for name in names:
        (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match=f"has {names[0]} in it, which is not of a SavedModel"):
        save_text_model(None, tokenizer, tmp_path, length=LENGTH)
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_a_failure_leaves_nothing_behind(tmp_path, tokenizer):
    with pytest.raises(InputError, match="too small"):
        save_text_model(stand_in(as_dict=False), tokenizer, tmp_path / "model", length=2)
    assert list(tmp_path.iterdir()) == []
