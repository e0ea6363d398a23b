"""Every field of every JSON file that a stranger may give us, with values that mean nothing."""

import numpy as np
import pytest

from . import sweep

SUBJECTS = (
    "model.json", "model.keras", "config.json of mobilebert", "config.json of bert",
    "config.json of distilbert", "tokenizer_config.json", "model.json in a .tflite",
    "model.json of a package", "cascade.json", "bert_config.json", "header of safetensors",
    "corpus.json", "stages.json", "position.json", "rows.jsonl", "squad.json")
RANDOM_CASES = 6100


@pytest.fixture(params=SUBJECTS)
def subject(request, make_subject):
    return make_subject(request.param)


def try_one(tally, subject, name, content, may_differ):
    subject.write(content)
    tally.try_one(name, may_differ,
                  None if subject.says is None else lambda: subject.says(content))


def test_a_wrong_value_is_a_sentence_or_changes_nothing(subject, record_property):
    tally = sweep.Tally(subject.answer)
    try_one(tally, subject, "as it should be", subject.content, may_differ=False)
    for path, name, content in sweep.wrong_texts(subject.json):
        try_one(tally, subject, name, content, subject.is_free(path))
    for name, content in sweep.missing_texts(subject.json):
        try_one(tally, subject, name, content, may_differ=True)
    record_property("outcomes", str(tally.counts))
    assert tally.counts["refused"] > len(sweep.WRONG)


@pytest.mark.slow
@pytest.mark.long
def test_several_wrong_values_at_once(subject, record_property):
    tally = sweep.Tally(subject.answer)
    for paths, name, content in sweep.random_texts(subject.json, RANDOM_CASES,
                                                   np.random.default_rng(1)):
        try_one(tally, subject, name, content, any(map(subject.is_free, paths)))
    record_property("outcomes", str(tally.counts))
    assert tally.counts["refused"] > RANDOM_CASES // 4
