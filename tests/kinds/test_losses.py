import math

import numpy as np
import pytest
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf import kinds
from mobilebert_tf.tasks import catalogue

MODELS = {
    "mnli": (mb.Classifier, 3), "stsb": (mb.Classifier, 1),
    "tagging": (mb.TokenClassifier, 5), "squad": (mb.QuestionAnswerer, None),
    "multi_label": (mb.Classifier, 5)}


def of(name):
    columns = {"text": "text", "label": "label"} if name == "multi_label" else None
    return catalogue.of(name, columns, labels=("O", "B-X", "I-X", "B-Y", "I-Y")).kind


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_has_its_head_on_the_encoder_itself(name, encoder):
    model_class, num_classes = MODELS[name]
    model = of(name).build(encoder)
    assert type(model) is model_class
    assert model.encoder is encoder
    assert getattr(model, "num_classes", None) == num_classes
    assert kinds.of(model).name == of(name).name


def loss(name, outputs, targets):
    """What Keras computes of a model with these outputs, compiled as fine-tuning compiles."""
    single = not isinstance(outputs, dict)
    given = {"all": outputs} if single else outputs
    inputs = {key: keras.Input(np.shape(value)[1:]) for key, value in given.items()}
    layers = {key: keras.layers.Activation("linear", name=key)(value)
              for key, value in inputs.items()}
    model = keras.Model(inputs, layers["all"] if single else layers)
    model.compile("sgd", **of(name).losses())
    arrays = {key: np.float32(value) for key, value in given.items()}
    return model.evaluate(arrays, targets, verbose=0, return_dict=True)["loss"]


def cross_entropy(logits, label):
    return math.log(sum(map(math.exp, logits))) - logits[label]


ROWS = [[2.0, -1.0, 0.5], [0.0, 3.0, 1.0], [1.0, 1.0, -2.0]]


def test_classes_are_learned_by_cross_entropy():
    expected = np.mean([cross_entropy(row, label)
                        for row, label in zip(ROWS, (0, 2, 1), strict=True)])
    assert loss("mnli", ROWS, np.int32([0, 2, 1])) == pytest.approx(expected, rel=1e-5)


def test_each_label_is_learned_by_its_own_cross_entropy():
    def of_label(logit, has):
        return math.log(1 + math.exp(-logit if has else logit))

    targets = [[1, 0, 1], [0, 0, 0], [0, 1, 1]]
    expected = np.mean([[of_label(*pair) for pair in zip(*both, strict=True)]
                        for both in zip(ROWS, targets, strict=True)])
    assert loss("multi_label", ROWS, np.float32(targets)) == pytest.approx(expected, rel=1e-5)


def test_numbers_are_learned_by_squares_row_by_row():
    # Against (3, 1) a target of (3,) must not become (3, 3).
    found = loss("stsb", [[1.0], [2.0], [4.0]], np.float32([1.5, 0.0, 4.0]))
    assert found == pytest.approx((0.25 + 4 + 0) / 3, rel=1e-6)


def test_tokens_without_a_class_are_no_part_of_the_mean():
    outputs = [[ROWS[0], ROWS[1], ROWS[2]], [ROWS[1], ROWS[2], ROWS[0]]]
    targets = np.int32([[-1, 1, -1], [2, -1, 0]])
    expected = np.mean([cross_entropy(ROWS[1], 1), cross_entropy(ROWS[1], 2),
                        cross_entropy(ROWS[0], 0)])
    assert loss("tagging", outputs, targets) == pytest.approx(expected, rel=1e-5)


def test_a_batch_without_a_class_has_no_loss():
    assert loss("tagging", [ROWS, ROWS], np.full((2, 3), -1, np.int32)) == 0


def test_both_ends_of_an_answer_count_half():
    ends = [ROWS[1], ROWS[2], ROWS[0]]
    found = loss("squad", {"start_logits": ROWS, "end_logits": ends},
                 {"start_logits": np.int32([0, 0, 1]), "end_logits": np.int32([2, 1, 0])})
    start = np.mean([cross_entropy(row, label)
                     for row, label in zip(ROWS, (0, 0, 1), strict=True)])
    end = np.mean([cross_entropy(row, label) for row, label in zip(ends, (2, 1, 0), strict=True)])
    assert start != pytest.approx(end, rel=0.1)
    assert found == pytest.approx((start + end) / 2, rel=1e-5)
