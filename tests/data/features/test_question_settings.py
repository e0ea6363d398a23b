"""Settings of questions: which values mean something, and how JSON has them."""

import math

import pytest

from mobilebert_tf.data.features.question_settings import DEFAULTS, QuestionSettings
from mobilebert_tf.errors import InputError

NAMES = ("max_question_length", "stride", "max_answer_length", "n_best")


def test_the_defaults_are_run_squads():
    assert DEFAULTS.to_json() == {"max_question_length": 64, "stride": 128,
                                  "max_answer_length": 30, "n_best": 20, "null_threshold": None}


@pytest.mark.parametrize("value", [0, -1, 1.0, 1.5, 1e12, 10**12, "x", None, True, math.nan])
@pytest.mark.parametrize("name", NAMES)
def test_a_number_of_tokens_that_means_nothing_is_refused(name, value):
    with pytest.raises(InputError, match=rf"^model\.json: the setting {name} should be a whole "
                                         r"number from 1 to 1,000,000\. Received: "):
        QuestionSettings.from_json({name: value}, "model.json")


@pytest.mark.parametrize("value", ["x", True, math.nan, [1]])
def test_a_null_threshold_that_means_nothing_is_refused(value):
    with pytest.raises(InputError, match="null_threshold should be a number, or null for none"):
        QuestionSettings(null_threshold=value)


def test_a_huge_whole_number_is_a_threshold():
    assert QuestionSettings(null_threshold=10**400).null_threshold == 10**400


def test_what_is_not_named_is_the_default():
    assert QuestionSettings.from_json({}, "model.json") == DEFAULTS
    found = QuestionSettings.from_json({"stride": 1, "null_threshold": 2}, "model.json")
    assert found == QuestionSettings(stride=1, null_threshold=2)
    assert QuestionSettings.from_json(found.to_json(), "model.json") == found


@pytest.mark.parametrize(("values", "message"), [
    ([], r"^model\.json: settings should be an object"), ("x", "should be an object"),
    ({"strides": 1}, "'strides' is no setting; known are max_question_length, stride,")
])
def test_what_is_no_object_of_settings_is_refused(values, message):
    with pytest.raises(InputError, match=message):
        QuestionSettings.from_json(values, "model.json")


def test_an_infinite_threshold_goes_into_no_file():
    settings = QuestionSettings(null_threshold=float("inf"))
    with pytest.raises(InputError, match="the setting null_threshold is inf, which no file"):
        settings.to_json()
