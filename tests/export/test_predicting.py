"""Predictions of real files, through LiteRT."""

import subprocess
import sys

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.export import Runner
from mobilebert_tf.inference.opening import open_model
from mobilebert_tf.inference.predict import embed, predict
from mobilebert_tf.text.tokenizer import Tokenizer

from .conftest import LABELS, LENGTH


def test_classes_are_named_and_ranked(exported):
    runner = Runner(exported("classification", "float32").model)
    one, other = predict(runner, ["al bl", "zz"])
    encoded = mb.text.packing.encode_batch(runner.tokenizer, ["al bl"], length=LENGTH)
    expected = runner(encoded)["probabilities"][0]
    assert [entry["label"] for entry in one["classes"]] == [
        LABELS["classification"][i] for i in np.argsort(-expected)]
    assert one["classes"][0]["probability"] == pytest.approx(max(expected))
    assert one["classes"] != other["classes"]


def test_every_kind_predicts(exported):
    def one(kind, text, second_text=None):
        return predict(Runner(exported(kind, "dynamic_int8").model), [text], second_text)[0]

    tagged = one("tagging", "al bl cl dm eo fp gq " * 3)
    assert {entity["type"] for entity in tagged["entities"]} == {"loc", "per"}
    several = one("multi_label", "al bl cl")
    assert set(several["labels"]) == {entry["label"] for entry in several["classes"]
                                      if entry["probability"] > 0.5} != set()
    assert [*sorted(LABELS["multi_label"])] == sorted(
        entry["label"] for entry in several["classes"])
    assert len(one("fill_mask", "al [MASK]")["masks"][0]) == 5
    assert one("question_answering", "al ?", "bl cl")["answer"] in ("bl", "cl", "bl cl")
    assert isinstance(one("regression", "al")["score"], float)


def test_embeddings_are_the_keras_models(exported, models):
    """An encoder's file that names no pooling: the runner computes the mean of its states."""
    texts = ["al bl", "cl", "dm eo fp gq hr", "al " * 30]
    of_file, of_encoder = (embed(Runner(exported(kind, "float32").model), texts)
                           for kind in ("embedding", "encoding"))
    tokenizer = Runner(exported("embedding", "float32").model).tokenizer
    for found, kind in ((of_file, "embedding"), (of_encoder, "encoding")):
        model = mb.SentenceEncoder(models[kind].encoder)
        expected = model(mb.text.packing.encode_batch(tokenizer, texts, length=LENGTH))
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_model_made_for_the_first_token_embeds_by_it(models, vocabulary, tmp_path):
    """A published directory, its conversion to ours, open and not, and files of two kinds."""
    texts = ["al bl", "cl", "dm eo fp gq hr"]
    encoder = models["encoding"].encoder
    mb.checkpoints.save_huggingface(encoder, tmp_path / "published",
                                    embedding_pooler="first_token")
    vocabulary.save(tmp_path / "published" / "vocab.txt")
    mb.convert(tmp_path / "published", "keras", tmp_path / "ours")
    mb.export_model(tmp_path / "ours", tmp_path / "embedding.tflite", recipe="float32",
                    task="similarity", lengths=[LENGTH], gated=False)
    tokenizer = Tokenizer(vocabulary, lower_case=True)
    states = encoder(mb.text.packing.encode_batch(tokenizer, texts, length=LENGTH))
    first = states["sequence_output"].numpy()[:, 0]
    expected = first / np.linalg.norm(first, axis=1, keepdims=True)
    mb.export_model(tmp_path / "ours", tmp_path / "encoding.tflite", recipe="float32",
                    lengths=[LENGTH])
    for path in ("published", "ours", "embedding.tflite", "encoding.tflite"):
        np.testing.assert_allclose(embed(tmp_path / path, texts), expected, atol=1e-5)
    np.testing.assert_allclose(embed(open_model(tmp_path / "ours"), texts), expected, atol=1e-5)


def test_a_file_runs_without_tensorflow(exported, tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(exported("classification", "float32").model)
    code = ("import sys; from mobilebert_tf.export import Runner; "
            "from mobilebert_tf.inference.predict import predict; "
            f"print(predict(Runner({str(path)!r}, 1), ['al'])); "
            "sys.exit('tensorflow' in sys.modules or 'tf_keras' in sys.modules)")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "so so" in result.stdout
