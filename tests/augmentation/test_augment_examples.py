"""New examples of every type that the readers return."""

import dataclasses
import re

import numpy as np
import pytest

from mobilebert_tf.augmentation.augment_examples import augment_examples
from mobilebert_tf.augmentation.settings import AugmentationSettings
from mobilebert_tf.data.datasets.answer import Answer
from mobilebert_tf.data.datasets.conll import TaggedSentence
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.errors import InputError

SETTINGS = AugmentationSettings(draws=6)
EVERY_WORD = AugmentationSettings(draws=1, probability=1)
TEXTS = LabelledTexts(("a film!", "movie", "the 3rd film"), (0, 1, 0), None, ("bad", "good"),
                      (2, 3, 5))
PAIRS = LabelledTexts(("a film!", "movie"), (0.5, 1.5), ("story", "the story"), None, (1, 2))
CONTEXT = "The Film won't 3rd-3rd: a FILM,  the unable movie."
QUESTIONS = (
    Question("one", "which film?", CONTEXT, (Answer("FILM,", 26), Answer("a FILM", 24))),
    Question("two", "whose story?", CONTEXT, (), is_impossible=True),
    Question("three", "what story?", "the story", (Answer("the story", 0),)))
SENTENCES = (TaggedSentence(("Film", "a-film", "movie", "the", "FILM", "!"),
                            ("O", "O", "B-work", "I-work", "O", "O")),
             TaggedSentence(("movie", "3rd"), ("O", "O")))


@pytest.mark.parametrize("examples", [TEXTS, PAIRS, QUESTIONS, SENTENCES])
def test_each_example_is_followed_by_its_new_ones(masked_lm, examples):
    found = augment_examples(examples, masked_lm, SETTINGS)
    assert type(found) is type(examples)
    assert len(examples) < len(found) <= len(examples) * 7
    assert found == augment_examples(examples, masked_lm, SETTINGS)
    assert augment_examples(examples, masked_lm, AugmentationSettings(draws=0)) == examples
    other = augment_examples(examples, masked_lm, dataclasses.replace(SETTINGS, seed=2))
    assert other != found


def test_new_texts_keep_label_line_and_classes(masked_lm):
    masked_lm.answers = ("story",)
    found = augment_examples(TEXTS, masked_lm, EVERY_WORD)
    assert found == LabelledTexts(
        ("a film!", "a story !", "movie", "story", "the 3rd film", "the 3rd story"),
        (0, 0, 1, 1, 0, 0), None, ("bad", "good"))
    assert found.lines == (2, 2, 3, 3, 5, 5)
    pairs = augment_examples(PAIRS, masked_lm, EVERY_WORD)
    assert pairs.texts == ("a film!", "a story !", "movie", "story")
    assert pairs.second_texts == ("story", "story", "the story", "the story")
    assert pairs.labels == (0.5, 0.5, 1.5, 1.5)


def test_texts_without_labels_can_be_augmented(masked_lm):
    found = augment_examples(dataclasses.replace(TEXTS, labels=None), masked_lm, EVERY_WORD)
    assert found.labels is None
    assert len(found) > len(TEXTS)


def test_a_context_changes_outside_the_answers_and_the_starts_move(masked_lm):
    masked_lm.answers = ("story",)
    one, new_one, two, new_two, three = augment_examples(
        QUESTIONS, masked_lm, dataclasses.replace(EVERY_WORD, candidates=2))
    assert (one, two, three) == QUESTIONS
    # Nearest to "unable" are able and weak.
    assert re.fullmatch(r"The Story won't 3rd-3rd: a FILM,  the (able|weak) story\.",
                        new_one.context)
    assert new_one.answers == (Answer("FILM,", 27), Answer("a FILM", 25))
    assert (new_one.id, new_one.question) == ("one-augmented-0-1", "which film?")
    assert new_two.context.startswith("The Story won't 3rd-3rd: a STORY,  the ")
    assert (new_two.id, new_two.answers, new_two.is_impossible) == ("two-augmented-1-1", (), True)


def test_every_answer_is_at_its_start_and_every_id_is_unique(masked_lm):
    found = augment_examples(QUESTIONS, masked_lm, AugmentationSettings(draws=40))
    again = augment_examples(found, masked_lm, AugmentationSettings(draws=3))
    for questions in (found, again):
        assert len({question.id for question in questions}) == len(questions)
        for question in questions:
            for answer in question.answers:
                assert question.context[answer.start:][:len(answer.text)] == answer.text
    assert {question.answers[1].text for question in found if question.id.startswith("one")} == {
        "a FILM"}
    assert len({question.answers[0].start for question in found if question.answers}) > 2


def test_a_question_that_stands_twice_has_copies_with_different_ids(masked_lm):
    twice = dataclasses.replace(QUESTIONS[0], answers=(Answer("movie", 44),))
    assert CONTEXT[44:49] == "movie"
    found = augment_examples((QUESTIONS[0], twice), masked_lm, SETTINGS)
    ids = [question.id for question in found if question not in (QUESTIONS[0], twice)]
    assert len(set(ids)) == len(ids) > 4
    assert {found[-1].id.split("-")[2], found[1].id.split("-")[2]} == {"0", "1"}


def test_questions_of_one_context_need_the_model_once(masked_lm):
    masked_lm.max_positions = 64
    augment_examples(QUESTIONS[:2], masked_lm, SETTINGS)
    assert len(masked_lm.batches) == 1


def test_words_tagged_o_become_one_word_and_tags_stay(masked_lm):
    masked_lm.answers = ("story",)
    found = augment_examples(SENTENCES, masked_lm, EVERY_WORD)
    assert found == (
        SENTENCES[0], TaggedSentence(("Story", "a-film", "movie", "the", "STORY", "!"),
                                     SENTENCES[0].tags),
        SENTENCES[1], TaggedSentence(("story", "3rd"), ("O", "O")))


def stopping_after(masked_lm, count):
    """Make the masked LM fail after so many batches, as a killed process would."""
    best, done = masked_lm.best, []

    def limited(*arguments):
        if len(done) == count:
            raise KeyboardInterrupt
        done.append(1)
        return best(*arguments)

    masked_lm.best = limited
    return done


@pytest.fixture
def many(monkeypatch):
    """Texts of five parts of two rows."""
    monkeypatch.setattr("mobilebert_tf.augmentation.rows._PART", 2)
    words = np.random.default_rng(1).choice(["film", "movie", "story", "a", "the"], (9, 5))
    return LabelledTexts(tuple(" ".join(row) + f" {number}" for number, row in enumerate(words)),
                         tuple(number % 2 for number in range(9)), None, ("bad", "good"))


def test_the_cache_continues_and_ends_as_without_it(masked_lm, many, tmp_path):
    whole = augment_examples(many, masked_lm, SETTINGS)
    best = masked_lm.best
    stopping_after(masked_lm, 5)
    with pytest.raises(KeyboardInterrupt):
        augment_examples(many, masked_lm, SETTINGS, cache=tmp_path)
    masked_lm.best = best
    masked_lm.batches.clear()
    assert augment_examples(many, masked_lm, SETTINGS, cache=tmp_path) == whole
    assert len(masked_lm.batches) == 5  # two parts of two rows were there
    masked_lm.batches.clear()
    assert augment_examples(many, masked_lm, SETTINGS, cache=tmp_path) == whole
    assert masked_lm.batches == []


def test_a_damaged_part_is_made_again(masked_lm, many, tmp_path):
    whole = augment_examples(many, masked_lm, SETTINGS, cache=tmp_path)
    first, second, *_ = sorted(tmp_path.glob("rows-*.json"))
    first.write_bytes(first.read_bytes()[:20])
    second.write_text("[[]]")
    assert augment_examples(many, masked_lm, SETTINGS, cache=tmp_path) == whole


def test_a_cache_of_another_run_is_refused(masked_lm, many, tmp_path):
    augment_examples(many, masked_lm, SETTINGS, cache=tmp_path)
    for examples, settings, model, sentence in [
            (many, dataclasses.replace(SETTINGS, seed=2), "scripted", r"settings\.seed \(1, now 2"),
            (dataclasses.replace(many, labels=(1,) * 9), SETTINGS, "scripted", "in examples;"),
            (many, SETTINGS, "other", r"model \(scripted, now other\)")]:
        masked_lm.fingerprint = model
        with pytest.raises(InputError, match=f"is of another run: it differs .*{sentence}"):
            augment_examples(examples, masked_lm, settings, cache=tmp_path)


@pytest.mark.parametrize(("examples", "sentence"), [
    ((), "there is no example to augment"),
    (("a film",), "examples of the type str cannot be augmented")])
def test_what_cannot_be_augmented(masked_lm, examples, sentence):
    with pytest.raises(InputError, match=sentence):
        augment_examples(examples, masked_lm, SETTINGS)
