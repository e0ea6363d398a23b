"""Losses of kinds against labels and against a teacher, by worked values and by hand."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf import kinds
from mobilebert_tf.kinds.soft_labels import divergence, sigmoid_divergence, softmax_divergence

# Worked with NumPy apart from this project.
TEACHER = np.float32([[2, 0, -1], [0, 1, 1]])
STUDENT = np.float32([[1, 0, 0], [0, 2, -1]])
MASK = tf.ones((2, 3), tf.int32)


def kind(name):
    return kinds.get(name)()


def sigmoid(values):
    return 1 / (1 + np.exp(-np.asarray(values, np.float64)))


@pytest.mark.parametrize(("temperature", "mean"), [
    (1.0, 0.4567767), (2.0, 0.5446524), (10.0, 0.5621372)])
def test_the_divergence_of_softmaxes(temperature, mean):
    found = softmax_divergence(STUDENT, TEACHER, temperature)
    assert found.shape == (2,)
    assert np.mean(found) == pytest.approx(mean, rel=1e-5)
    classified = kind("classification").soft_label_losses(
        {"logits": STUDENT}, {"logits": TEACHER}, MASK, temperature)
    assert classified.numpy() == pytest.approx(found.numpy())


def test_divergences_of_attention_and_their_gradients():
    """Long rows, masked positions and sure answers, beside NumPy's float64."""
    random = np.random.default_rng(1)
    student, teacher = (scale * random.normal(size=(3, 2, 5, 200)).astype(np.float32)
                        for scale in (2, 30))
    for logits in (student, teacher):
        logits[:, :, :, 120:] -= 10_000  # as a mask is added to logits of attention
    weights = random.uniform(size=(3, 2, 5)).astype(np.float32)
    logits = tf.constant(student)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        found = divergence(logits, teacher)
        total = tf.reduce_sum(weights * found)
    log_student, log_teacher = (log_softmax(logits.astype(np.float64))
                                for logits in (student, teacher))
    wanted = np.exp(log_teacher)
    np.testing.assert_allclose(found, np.sum(wanted * (log_teacher - log_student), -1), rtol=1e-5)
    np.testing.assert_allclose(tape.gradient(total, logits), weights[..., np.newaxis] * (
        np.exp(log_student) - wanted), atol=1e-6)


def log_softmax(logits):
    largest = logits.max(-1, keepdims=True)
    return logits - largest - np.log(np.exp(logits - largest).sum(-1, keepdims=True))


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_the_divergence_of_sigmoids(temperature):
    student, teacher = sigmoid(STUDENT / temperature), sigmoid(TEACHER / temperature)
    by_hand = temperature**2 * np.mean(
        teacher * np.log(teacher / student)
        + (1 - teacher) * np.log((1 - teacher) / (1 - student)), axis=-1)
    found = kind("multi_label").soft_label_losses(
        {"logits": STUDENT}, {"logits": TEACHER}, MASK, temperature)
    assert found.numpy() == pytest.approx(by_hand, rel=1e-5)
    # As sure as float32 can be, it stays a number.
    assert np.isfinite(sigmoid_divergence(1e3 * STUDENT, -1e3 * TEACHER, 1.0)).all()


def test_labels_of_classes():
    found = kind("classification").label_losses(
        {"logits": STUDENT}, {"logits": np.int32([0, 2])}, MASK)
    assert np.mean(found) == pytest.approx(1.8606454, abs=1e-6)


@pytest.mark.parametrize("name", ["classification", "multi_label", "regression"])
def test_labels_have_the_loss_of_fine_tuning(name):
    logits = STUDENT[:, :1] if name == "regression" else STUDENT
    target = {"classification": np.int32([0, 2]), "regression": np.float32([0.25, 3.0]),
              "multi_label": np.float32([[1, 0, 1], [0, 0, 1]])}[name]
    found = kind(name).label_losses({"logits": logits}, {"logits": target}, MASK)
    keras_loss = kind(name).losses()["loss"](target.reshape(2, -1), logits)
    assert found.shape == (2,)
    assert np.mean(found) == pytest.approx(float(keras_loss), rel=1e-6)


def test_tags_have_the_loss_of_fine_tuning_at_the_first_pieces():
    logits = np.random.default_rng(1).normal(size=(2, 4, 3)).astype(np.float32)
    target = np.int32([[-1, 2, 0, -1], [-1, 1, -1, -1]])
    found = kind("tagging").label_losses({"logits": logits}, {"logits": target}, MASK).numpy()
    assert found[target >= 0].mean() == pytest.approx(
        float(kind("tagging").losses()["loss"](target, logits)), rel=1e-6)
    soft = kind("tagging").soft_label_losses({"logits": logits}, {"logits": logits[::-1]}, MASK,
                                             2.0)
    assert soft.shape == (2, 4)
    assert soft.numpy() == pytest.approx(softmax_divergence(logits, logits[::-1], 2.0).numpy())


def test_the_teachers_number():
    found = kind("regression").soft_label_losses(
        {"logits": np.float32([[1.0], [2.0]])}, {"logits": np.float32([[3.0], [2.5]])}, MASK, 5.0)
    assert found.numpy().tolist() == [4.0, 0.25]


def spans(rows):
    return {"start_logits": np.float32(rows), "end_logits": np.float32(rows)[:, ::-1]}


def test_spans_are_the_mean_of_both_ends_without_padding():
    answering = kind("question_answering")
    student, teacher = spans([[1, 0, 0], [0, 2, -1]]), spans([[2, 0, -1], [0, 1, 1]])
    found = answering.soft_label_losses(student, teacher, MASK, 2.0)
    # The same rows backwards have the same divergence.
    assert np.mean(found) == pytest.approx(0.5446524, abs=2e-6)
    padded = [{name: np.pad(values, ((0, 0), (0, 2)), constant_values=number)
               for name, values in logits.items()}
              for logits, number in ((student, 7.0), (teacher, -4.0))]
    mask = tf.constant([[1, 1, 1, 0, 0]] * 2)
    assert answering.soft_label_losses(*padded, mask, 2.0).numpy() == pytest.approx(
        found.numpy(), abs=1e-6)
    targets = {"start_logits": np.int32([0, 1]), "end_logits": np.int32([2, 2])}
    losses = answering.losses()
    wanted = sum(weight * float(losses["loss"][name](targets[name], student[name]))
                 for name, weight in losses["loss_weights"].items())
    assert np.mean(answering.label_losses(student, targets, MASK)) == pytest.approx(wanted,
                                                                                   rel=1e-6)


@pytest.mark.parametrize(("name", "logits"), [
    ("classification", {"logits": STUDENT}), ("multi_label", {"logits": STUDENT}),
    ("regression", {"logits": STUDENT[:, :1]}), ("tagging", {"logits": STUDENT[:, np.newaxis]}),
    ("question_answering", spans(STUDENT))])
@pytest.mark.parametrize("temperature", [1.0, 4.0])
def test_a_model_taught_by_itself_has_nothing_to_learn(name, logits, temperature):
    found = kind(name).soft_label_losses(logits, logits, MASK, temperature)
    assert np.abs(found).max() < 1e-6


def test_scores_far_below_the_best_are_kept_as_finite_numbers():
    logits = np.full((1, 40), -800, np.float32)
    logits[0, :16] = np.arange(16)
    kept = kind("question_answering").kept(
        {"start_logits": logits, "end_logits": logits}, np.array([40]))
    assert all(np.isfinite(row).all() for row in kept["start_logits"])


def test_the_kept_starts_and_ends_have_their_probability_and_the_others_the_rest():
    random = np.random.default_rng(3)
    lengths, width = np.array([40, 9]), 48
    logits = {name: random.normal(scale=2, size=(2, width)).astype(np.float32)
              for name in ("start_logits", "end_logits")}
    answering = kind("question_answering")
    kept = answering.kept(logits, lengths)
    # And one number for all others.
    assert {len(row) for row in kept["end_logits"]} == {17, 10}
    assert {len(row) for row in kept["end_logits_places"]} == {16, 9}
    # In half precision, as they are kept.
    kept = {key: [row if row.dtype == np.int16 else row.astype(np.float16) for row in rows]
            for key, rows in kept.items()}
    restored = answering.restored(kept, lengths, width)
    for name, values in logits.items():
        for row, length in enumerate(lengths):
            exact = np.exp(values[row, :length] - values[row, :length].max())
            exact /= exact.sum()
            found = np.exp(restored[name][row].astype(np.float64))
            assert found.sum() == pytest.approx(1, abs=2e-3)
            assert (found[length:] == 0).all()
            best = np.argsort(-exact)[:16]
            assert found[best] == pytest.approx(exact[best], rel=4e-3)
            others = np.delete(found[:length], best)
            if len(others):
                assert others == pytest.approx(np.full(24, (1 - exact[best].sum()) / 24), rel=4e-3)


def test_tags_are_kept_for_the_tokens_of_a_row_and_padded_again():
    logits = np.random.default_rng(4).normal(size=(2, 6, 3)).astype(np.float32)
    kept = kind("tagging").kept({"logits": logits}, [5, 2])
    assert [len(row) for row in kept["logits"]] == [5, 2]
    restored = kind("tagging").restored(kept, [5, 2], 8)["logits"]
    assert restored.shape == (2, 8, 3)
    assert (restored[0, :5] == logits[0, :5]).all()
    assert (restored[1, 2:] == 0).all()
