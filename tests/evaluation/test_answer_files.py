"""The files of predictions are those that run_squad.py writes."""

import json

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import answer_files
from mobilebert_tf.evaluation.answers import Prediction, Span

FERRY = Span("the ferry", 4, 13, 1.5, 2.0, 0.75)
NULL = Span("", 0, 0, 0.5, 2.5, 0.25)
PREDICTIONS = [Prediction("b", FERRY, (FERRY, NULL), 3.0, -0.5),
               Prediction("a", Span("Zürich", 0, 6, 0.0, 0.0, 1.0), (), 2.0, 2.0),
               Prediction("c", None, (NULL,), 3.0, 1e6)]


def test_files_hold_what_the_official_scorers_read(tmp_path):
    path = tmp_path / "out" / "n_best.json"
    answer_files.write_n_best(path, PREDICTIONS[:1])
    assert json.loads(path.read_bytes()) == {"b": [
        {"text": "the ferry", "probability": 0.75, "start_logit": 1.5, "end_logit": 2.0},
        {"text": "", "probability": 0.25, "start_logit": 0.5, "end_logit": 2.5}]}
    answer_files.write_null_odds(path, PREDICTIONS)
    assert list(json.loads(path.read_bytes()).items()) == [("b", -0.5), ("a", 2.0), ("c", 1e6)]
    assert list(path.parent.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(InputError, match="cannot write"):
        answer_files.write_null_odds(tmp_path, PREDICTIONS)
