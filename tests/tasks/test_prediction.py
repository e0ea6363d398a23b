import subprocess
import sys
import types

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.export import Runner, prediction

from .conftest import LENGTH


class Scripted:
    """A runner whose outputs are a function of the ids that it is given."""

    def __init__(self, task, vocabulary, outputs, **metadata):
        self.metadata = types.SimpleNamespace(
            task=task, length=LENGTH, length_for=lambda tokens: LENGTH, labels=None, **metadata)
        self.tokenizer = mb.Tokenizer(vocabulary)
        self.outputs = outputs
        self.inputs = None

    def __call__(self, inputs):
        self.inputs = inputs
        return {name: rows[np.newaxis].astype(np.float32)
                for name, rows in self.outputs(inputs["input_word_ids"][0]).items()}


def test_classes_are_named_and_ranked(exported):
    runner = Runner(exported("classification", "float32").model)
    (one, other) = prediction.predict(runner, ["al bl", "zz"])
    encoded = mb.text.packing.encode_batch(runner.tokenizer, ["al bl"], length=LENGTH)
    expected = runner(encoded)["probabilities"][0]
    assert [entry["label"] for entry in one["classes"]] == [
        ("bad", "so so", "gut")[i] for i in np.argsort(-expected)]
    assert one["classes"][0]["probability"] == pytest.approx(max(expected))
    assert one["text"] == "al bl"
    assert one["classes"] != other["classes"]
    assert len(prediction.predict(runner, ["al"], top_k=1)[0]["classes"]) == 1


def test_a_second_text_is_the_second_segment(vocabulary):
    runner = Scripted("classification", vocabulary,
                      lambda ids: {"probabilities": np.array([0.25, 0.75])}, num_classes=2)
    (result,) = prediction.predict(runner, ["al bl"], "cl")
    assert runner.inputs["input_type_ids"].tolist() == [[0, 0, 0, 0, 1, 1] + [0] * 6]
    assert result["classes"][0] == {"label": "1", "probability": 0.75}
    assert not result["truncated"]
    assert prediction.predict(runner, ["al " * 11])[0]["truncated"]
    assert not prediction.predict(runner, ["al " * 10])[0]["truncated"]
    assert prediction.predict(runner, ["al " * 8], "bl bl")[0]["truncated"]


def test_regression_is_a_number(exported, vocabulary):
    runner = Scripted("regression", vocabulary, lambda ids: {"score": np.array([-2.5])})
    assert prediction.predict(runner, ["al"])[0]["score"] == -2.5
    real = Runner(exported("regression", "float32").model)
    assert isinstance(prediction.predict(real, ["al"])[0]["score"], float)


def test_every_mask_is_filled_at_its_place(vocabulary):
    mask, ids = vocabulary.mask_id, vocabulary.ids

    def outputs(tokens):
        # The logits of a position favour the piece whose id is 20 and the position.
        return {"mlm_logits": 9 * np.eye(120)[20 + np.arange(LENGTH)]}

    runner = Scripted("fill_mask", vocabulary, outputs)
    (result,) = prediction.predict(runner, ["al [MASK] bl[MASK]"], top_k=2)
    assert runner.inputs["input_word_ids"][0].tolist()[:6] == [
        vocabulary.cls_id, ids["al"], mask, ids["bl"], mask, vocabulary.sep_id]
    assert [pieces[0]["piece"] for pieces in result["masks"]] == [
        vocabulary.pieces[22], vocabulary.pieces[24]]
    assert [len(pieces) for pieces in result["masks"]] == [2, 2]
    assert result["masks"][0][0]["probability"] == pytest.approx(
        np.exp(9) / (np.exp(9) + 119), rel=1e-4)
    with pytest.raises(mb.InputError, match=r"no \[MASK\]"):
        prediction.predict(runner, ["al mask bl"])
    with pytest.raises(mb.InputError, match="12 positions do not hold"):
        prediction.predict(runner, ["al " * 10 + "[MASK]"])


def test_an_answer_is_a_slice_of_the_context(vocabulary):
    ids = vocabulary.ids
    context = "Al,  Bl CL dl"  # tokens: al [UNK] bl cl dl

    def outputs(tokens):
        position = {piece: list(tokens).index(ids[piece])
                    for piece in ("al", "bl", "cl", "dl", "?")}
        start, end = np.zeros(LENGTH), np.zeros(LENGTH)
        # The best end lies before the best start, and the question attracts both more.
        start[position["cl"]], end[position["al"]] = 5, 6
        start[position["bl"]], end[position["dl"]] = 4, 4
        start[position["?"]] = end[position["?"]] = 9
        return {"start_logits": start, "end_logits": end}

    runner = Scripted("question_answering", vocabulary, outputs)
    (result,) = prediction.predict(runner, ["el ?"], context)
    assert result["answer"] == "CL dl"
    assert context[result["start"]:result["end"]] == result["answer"]
    with pytest.raises(mb.InputError, match="--text-pair"):
        prediction.predict(runner, ["el ?"])
    with pytest.raises(mb.InputError, match="export with a greater --length"):
        prediction.predict(runner, ["el ?"], context * 3)


def test_an_answer_is_at_most_thirty_tokens():
    start, end = np.zeros(64), np.zeros(64)
    start[2], end[32], end[31] = 5, 5, 1
    assert prediction._best_span(start, end) == (2, 31)
    end[31], end[32] = 0, 1
    assert prediction._best_span(start, end)[0] == 2


def test_tags_belong_to_their_tokens(vocabulary):
    def outputs(tokens):
        return {"logits": 9 * np.eye(120)[tokens][:, :64]}  # the label is the id of the token

    runner = Scripted("tagging", vocabulary, outputs, num_classes=64)
    (result,) = prediction.predict(runner, ["Al bl cl"])
    ids = vocabulary.ids
    assert [(token["token"], token["label"]) for token in result["tokens"]] == [
        ("Al", str(ids["al"])), ("bl", str(ids["bl"])), ("cl", str(ids["cl"]))]
    (cut,) = prediction.predict(runner, ["al " * 11])
    assert len(cut["tokens"]) == 10
    assert cut["truncated"]
    with pytest.raises(mb.InputError, match="no second text"):
        prediction.predict(runner, ["al"], "bl")


def test_real_files_of_every_task_predict(exported):
    def one(kind, text, pair=None):
        return prediction.predict(Runner(exported(kind, "dynamic_int8").model), [text], pair)[0]

    assert {token["label"] for token in one("tagging", "al bl")["tokens"]} <= set("OBIXY")
    assert len(one("fill_mask", "al [MASK]")["masks"][0]) == 5
    assert one("question_answering", "al ?", "bl cl")["answer"] in ("bl", "cl", "bl cl")
    with pytest.raises(mb.InputError, match="encoding has no predictions"):
        one("encoding", "al")


def test_a_file_runs_without_tensorflow(exported, tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(exported("classification", "float32").model)
    code = (f"import sys; from mobilebert_tf.export import Runner, prediction; "
            f"print(prediction.predict(Runner({str(path)!r}, 1), ['al'])); "
            "sys.exit('tensorflow' in sys.modules or 'tf_keras' in sys.modules)")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "so so" in result.stdout
