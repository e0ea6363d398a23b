import dataclasses

import pytest

from mobilebert_tf.augmentation import drawing
from mobilebert_tf.augmentation.augmentor import Augmentor
from mobilebert_tf.augmentation.settings import AugmentationSettings
from mobilebert_tf.errors import InputError

PAIR = ("a film!", "a movie")


def rows(masked_lm, texts, row=0, **settings):
    return Augmentor(masked_lm, AugmentationSettings(**{"draws": 6, **settings})).rows(texts, row)


class ScriptedNumbers:
    """Random numbers from a list; each must be asked for in its kind."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def integers(self, end):
        kind, limit, number = self.numbers.pop(0)
        assert (kind, limit) == ("choice", end)
        return number

    def random(self):
        kind, number = self.numbers.pop(0)
        assert kind == "chance"
        return number


def test_a_candidate_is_drawn_first_then_whether_it_replaces():
    found = {0: ["bad", "slow"], 2: ["big"], 3: ["movie", "story", "film"]}
    random = ScriptedNumbers(("choice", 2, 1), ("chance", 0.39), ("choice", 1, 0), ("chance", 0.4),
                             ("choice", 3, 1), ("chance", 0.0))
    assert drawing.draw(found, 0.4, random) == {0: "slow", 3: "story"}
    assert random.numbers == []


@pytest.mark.parametrize("texts", [PAIR, PAIR[:1]])
@pytest.mark.parametrize("as_published", [False, True])
def test_without_draws_there_are_no_new_texts(masked_lm, texts, as_published):
    assert set(rows(masked_lm, texts, draws=0, as_published=as_published)) == {texts}


def test_with_probability_0_a_text_gives_its_joined_form_only(masked_lm):
    assert rows(masked_lm, ("a film!",), probability=0) == [("a film!",), ("a film !",)]
    assert rows(masked_lm, ("a film",), probability=0) == [("a film",)]


def test_with_probability_1_every_eligible_word_becomes_a_candidate(masked_lm):
    masked_lm.answers = ("movie",)
    assert rows(masked_lm, ("The 3rd film film!",), probability=1) == [
        ("The 3rd film film!",), ("the 3rd movie movie !",)]


def test_the_original_comes_first_and_no_row_twice(masked_lm):
    found = rows(masked_lm, ("a film! a movie",), draws=50)
    assert found[0] == ("a film! a movie",)
    # Each of the two words may become one of three, or stay.
    assert 2 < len(found) == len(set(found)) <= 10
    assert {text for text, in found[1:]} <= {
        f"a {one} ! a {other}" for one in ("film", "movie", "story")
        for other in ("film", "movie", "story")}


def test_the_texts_of_a_pair_are_drawn_independently(masked_lm):
    found = rows(masked_lm, ("film", "film"), draws=200, probability=1)
    assert found[0] == ("film", "film")
    words = ("film", "movie", "story")
    assert set(found) == {(one, other) for one in words for other in words}


def test_as_published_second_texts_go_with_the_last_new_first_text(masked_lm):
    masked_lm.answers = ("story",)
    assert rows(masked_lm, PAIR, probability=1, as_published=True) == [
        ("a film!", "a movie"), ("a story !", "a movie"),
        ("a story !", "a movie"), ("a story !", "a story")]


@pytest.mark.parametrize(("as_published", "expected"), [
    # Both texts of each draw together.
    (False, [PAIR, ("a movie !", "a story"), ("a story !", "a film")]),
    # Published: A with B, A1 with B, A2 with B; then, with A2, which is left over: B, B1, B2.
    (True, [PAIR, ("a movie !", "a movie"), ("a story !", "a movie"),
            ("a story !", "a movie"), ("a story !", "a story"), ("a story !", "a film")]),
])
def test_the_pair_bug_by_hand(masked_lm, monkeypatch, as_published, expected):
    masked_lm.answers = ("film", "movie", "story")
    choices = {(0, 0): 1, (0, 1): 2, (1, 0): 2, (1, 1): 0}  # (text, draw) -> candidate
    monkeypatch.setattr(drawing, "generator", lambda seed, row, text, draw: ScriptedNumbers(
        ("choice", 3, choices[text, draw]), ("chance", 0.0)))
    assert rows(masked_lm, PAIR, draws=2, as_published=as_published) == expected


@pytest.mark.parametrize(("texts", "as_published", "most"), [
    (1, False, 7), (1, True, 7), (2, False, 7), (2, True, 14)])
def test_six_draws_give_at_most_seven_texts(masked_lm, texts, as_published, most):
    text = "film movie story film movie story film movie"
    for row in range(20):
        assert len(rows(masked_lm, (text,) * texts, row, probability=1,
                        as_published=as_published)) == most
        assert len(rows(masked_lm, ("film",) * texts, row, probability=1,
                        as_published=as_published)) <= most


def test_draws_depend_on_seed_row_text_and_draw():
    places = [(1, 0, 0, 0), (2, 0, 0, 0), (1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1)]
    numbers = [drawing.generator(*place).random() for place in places]
    assert len(set(numbers)) == 5
    assert numbers == [drawing.generator(*place).random() for place in places]


def test_fewer_draws_are_the_first_of_more(masked_lm):
    text = ("a film! a movie",)
    more, fewer = rows(masked_lm, text, draws=9), rows(masked_lm, text, draws=4)
    assert more[:len(fewer)] == fewer
    assert more != rows(masked_lm, text, draws=9, seed=2)


@pytest.mark.parametrize(("task", "draws"), [
    ("sst2", 20), ("mnli", 10), ("mnli_mismatched", 10), ("stsb", 30), ("classification", 30)])
def test_the_draws_of_a_task(task, draws):
    assert AugmentationSettings().for_task(task).draws == draws
    assert AugmentationSettings(draws=3).for_task(task).draws == 3


def test_the_published_defaults():
    assert dataclasses.astuple(AugmentationSettings())[1:3] == (15, 0.4)


@pytest.mark.parametrize(("settings", "sentence"), [
    ({"draws": -1}, "draws should be 0 or above, and is -1"),
    ({"candidates": 0}, "candidates should be at least 1"),
    ({"probability": float("nan")}, "probability should be from 0 to 1, and is nan"),
    ({"seed": -1}, "seed should be from 0")])
def test_values_out_of_range(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        AugmentationSettings(**settings)
