"""What a comparison rests on, and the sentences that say where that is little."""

import dataclasses
import json
import math

import numpy as np
import pytest

from mobilebert_tf.data.datasets.answer import Answer
from mobilebert_tf.data.datasets.conll import TaggedSentence
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.export import evidence
from mobilebert_tf.export.evidence import Evidence
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.span import Span
from mobilebert_tf.kinds.span_prediction import SpanPrediction
from mobilebert_tf.tasks import catalogue

STRONG = Evidence(metric="accuracy", noun="class", examples=1000, expected=2,
                  said_by_model=2, said_by_file=2, model_score=0.9, constant_score=0.5,
                  score_noise=1.5, drop_noise=0.1, bound=0.5)


def weaknesses(**changes):
    return dataclasses.replace(STRONG, **changes).weaknesses()


def test_a_strong_comparison_has_none():
    assert STRONG.resolution == 0.1
    assert weaknesses() == ()


@pytest.mark.parametrize(("examples", "bound", "few"), [
    # 300 / examples against the bound; bounds below half a point count as that.
    (600, 0.5, False), (599, 0.5, True), (600, 0.0, False), (599, 0.1, True), (300, 1.0, False),
    (299, 1.0, True)])
def test_few_examples(examples, bound, few):
    found = weaknesses(examples=examples, bound=bound)
    assert len(found) == few
    if few:
        assert found[0].startswith("The dev set is small: one of its ")


def test_few_examples_are_told_with_numbers():
    assert weaknesses(examples=40) == (
        "The dev set is small: one of its 40 examples is worth 2.5 points, and a file that loses "
        "7.5 points on other texts may lose none here.",)


@pytest.mark.parametrize(("counts", "said"), [
    ((1, 1), "The Keras model and the file give one class for all 1,000 examples, which have 2."),
    ((1, 2), "The Keras model gives one class for all 1,000 examples, which have 2."),
    ((2, 1), "The file gives one class for all 1,000 examples, which have 2.")])
def test_one_class_for_everything(counts, said):
    model, file = counts
    assert weaknesses(said_by_model=model, said_by_file=file) == (said,)


def test_examples_of_one_class():
    assert weaknesses(expected=1) == (
        "All 1,000 examples have the same class: a model that always gives it is right "
        "throughout.",)


@pytest.mark.parametrize(("score", "noise", "weak"), [
    (0.9, 19.9, False), (0.9, 20.1, True), (0.5, 0.0, True), (0.5, None, True), (0.4, 1.0, True)])
def test_a_score_that_guessing_gets(score, noise, weak):
    found = weaknesses(model_score=score, score_noise=noise)
    assert len(found) == weak
    if weak:
        assert f"its accuracy is {score:.4f}, the same answer to everything gets 0.5000" in found[0]
        assert ("is known to" in found[0]) == bool(noise)


@pytest.mark.parametrize(("noise", "bound", "weak"), [
    (0.25, 0.5, False), (0.26, 0.5, True), (0.26, 1.0, False), (None, 0.5, False),
    (0.25, 0.0, False)])
def test_a_drop_within_its_noise(noise, bound, weak):
    found = weaknesses(drop_noise=noise, bound=bound)
    assert len(found) == weak
    if weak:
        assert found == ("The drop is known to 0.52 points, which is more than the 0.5 that "
                         "matter.",)


def gather(task, examples, model, file=None, bound=0.5):
    return evidence.gather(task, examples, model, model if file is None else file, bound)


def choices(ids):
    return Classification().answers({"probabilities": np.eye(max(ids) + 1)[ids]}, None, None)


def texts(labels, **columns):
    return LabelledTexts(tuple("a" for _ in labels), tuple(labels), **columns)


def test_a_classifier_that_says_negative_to_everything():
    """The case that was passed with a drop of 0 on 40 examples."""
    found = gather(catalogue.of("sst2"), texts([0, 1] * 20), choices([0] * 40))
    assert (found.examples, found.expected, found.said_by_model, found.said_by_file) == (
        40, 2, 1, 1)
    assert (found.model_score, found.constant_score) == (0.5, 0.5)
    assert (found.score_noise, found.drop_noise) == (0, 0)
    few, one, guessing = found.weaknesses()
    assert few.startswith("The dev set is small")
    assert one.startswith("The Keras model and the file give one class for all 40 examples")
    assert guessing.startswith("The Keras model is not seen to be better than guessing")


def test_noises_of_accuracy_are_standard_errors_of_means():
    """18 examples are as many groups. The model is wrong in 3, the file in 2 others and in one
    of them; always saying 1 is right in 12."""
    labels = [1, 1, 0] * 6
    model, file = list(labels), list(labels)
    for wrong in (0, 5, 9):
        model[wrong] = 1 - model[wrong]
    for wrong in (0, 1, 10):
        file[wrong] = 1 - file[wrong]
    found = gather(catalogue.of("sst2"), texts(labels), choices(model),
                   choices(file))
    assert found.constant_score == pytest.approx(12 / 18)

    def deviation(differences):
        mean = sum(differences) / 18
        return 100 * math.sqrt(sum((one - mean) ** 2 for one in differences) / 17 / 18)

    # The drop: two examples are won, two lost. Ahead of the constant: 6 zeros less those wrong.
    assert found.drop_noise == pytest.approx(deviation([1, 1, -1, -1] + [0] * 14))
    right = [int(a == b) for a, b in zip(model, labels, strict=True)]
    assert found.score_noise == pytest.approx(deviation(
        [one - label for one, label in zip(right, labels, strict=True)]))


def test_the_constant_answer_is_the_one_that_scores_best():
    """F1 is of class 1, so that always saying 1 gets more than the commoner 0."""
    labels = [0, 0, 0, 0, 1, 1]
    found = gather(catalogue.of("mrpc"), texts(labels, second_texts=("b",) * 6), choices(labels))
    assert found.constant_score == pytest.approx((2 / 6 + 2 * 2 / 8) / 2)  # 0: (4 / 6 + 0) / 2
    matthews = gather(catalogue.of("cola"), texts(labels), choices(labels))
    assert matthews.constant_score == 0


@pytest.mark.parametrize("task", ["stsb", "similarity"])
def test_numbers_that_are_all_the_same(task):
    """But for their last bits."""
    labels = [float(number % 7) for number in range(900)]
    examples = texts(labels, second_texts=("b",) * 900)
    found = gather(catalogue.of(task), examples, [0.5 + number % 2 * 1e-7 for number in range(900)],
                   labels)
    assert (found.expected, found.said_by_model, found.said_by_file) == (7, 1, 7)
    assert found.constant_score == 0
    assert any(said.startswith("The Keras model gives one ") for said in found.weaknesses())
    assert gather(catalogue.of(task), examples, labels).weaknesses() == ()


def test_a_tagger_that_finds_nothing(tmp_path):
    tags, words = ("O", "B-loc", "I-loc"), ("in", "New", "York")
    examples = (TaggedSentence(words, tags),) * 700
    task = catalogue.of("tagging", labels=tags)
    found = gather(task, examples, task.kind.constant(examples, task.metrics))
    assert (found.expected, found.said_by_model, found.constant_score) == (3, 1, 0)
    one, guessing = found.weaknesses()
    assert one == ("The Keras model and the file give one tag for all 700 examples, which have 3.")
    assert "its f1 is 0.0000, the same answer to everything gets 0.0000." in guessing
    right = tmp_path / "answers.json"
    right.write_text(json.dumps([list(zip(words, tags, strict=True))] * 700))
    assert gather(task, examples, task.kind.read_answers(right, examples)).weaknesses() == ()


def questions(count):
    """Of two, the first has the answer "cd", the second none."""
    return tuple(Question(str(number), "?", "ab cd", *(
        ((), True) if number % 2 else ((Answer("cd", 3),), False))) for number in range(count))


def prediction(question, null_odds):
    span = Span("cd", 3, 5, 1.0, 1.0, 1.0)
    return SpanPrediction(question.id, span, (span,), 0.0, null_odds)


def test_no_answer_to_every_question():
    """Half of them have none, so that this half is right."""
    task, examples = catalogue.of("squad_v2"), questions(800)
    never = gather(task, examples, [prediction(one, 1.0) for one in examples])
    assert (never.expected, never.said_by_model) == (2, 1)
    # At the model's threshold, which is 0.
    assert (never.constant_score, never.model_score) == (0.5, 0.5)
    assert [said.split(":")[0] for said in never.weaknesses()] == [
        "The Keras model and the file give one answer for all 800 examples, which have 2.",
        "The Keras model is not seen to be better than guessing"]
    right = [prediction(one, 1.0 if one.is_impossible else -1.0) for one in examples]
    assert gather(task, examples, right).weaknesses() == ()


def test_no_span_for_any_question():
    task, examples = catalogue.of("squad"), questions(800)[::2]
    found = gather(task, examples, [SpanPrediction(one.id, None, (), 0.0, 1e6) for one in examples])
    assert (found.said_by_model, found.model_score, found.constant_score) == (1, 0, 0)


def test_broken_answers_say_nothing():
    examples = texts([0, 1] * 400)
    found = gather(catalogue.of("sst2"), examples, choices([0, 1] * 400), [None] * 800)
    assert (found.said_by_model, found.said_by_file) == (2, 0)


def test_two_examples_are_few_and_no_error():
    examples = texts([1.0, 2.0], second_texts=("b", "b"))
    found = gather(catalogue.of("stsb"), examples, [1.0, 2.0])
    assert (found.score_noise, found.drop_noise) == (None, None)
    assert len(found.weaknesses()) == 1
