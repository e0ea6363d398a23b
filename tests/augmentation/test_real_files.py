"""Real files of questions and tags, with a masked LM that puts any piece anywhere."""

import numpy as np
import pytest

from mobilebert_tf.augmentation.augment_examples import augment_examples
from mobilebert_tf.augmentation.eligible import is_eligible
from mobilebert_tf.augmentation.settings import AugmentationSettings
from mobilebert_tf.data.datasets import conll, squad
from mobilebert_tf.text.tokenizer import Tokenizer

SETTINGS = AugmentationSettings(draws=4, probability=0.7)


class AnyPiece:
    """A masked LM that draws its answers; its words have random vectors."""

    max_positions = 512

    def __init__(self, vocabulary, lower_case):
        self.tokenizer = Tokenizer(vocabulary, lower_case)
        self.random = np.random.default_rng(1)
        self.word_table = self.random.normal(size=(len(self.tokenizer.vocabulary), 4))

    def best(self, ids, type_ids, positions, count):
        assert ids.shape[1] <= 255
        return self.random.integers(1000, len(self.tokenizer.vocabulary), (len(ids), count))


@pytest.fixture(params=[True, False])
def model(request, repository):
    return AnyPiece(repository / "models" / "mobilebert_mini" / "vocab.txt", request.param)


def test_answers_stay_at_their_places(model, shared_data):
    questions = squad.read(
        shared_data / "squad" / "adversarial_qa_valid_squadformat.json")[:120]
    found = augment_examples(questions, model, SETTINGS)
    originals = {question.id: question for question in questions}
    new = [question for question in found if question.id not in originals]
    assert len(new) == 4 * len(questions)
    assert len({question.id for question in found}) == len(found)
    for question in new:
        original = originals[question.id.partition("-augmented-")[0]]
        assert question.question == original.question
        assert question.context != original.context
        assert [answer.text for answer in question.answers] == [
            answer.text for answer in original.answers]
        for answer, before in zip(question.answers, original.answers, strict=True):
            assert question.context[answer.start:][:len(answer.text)] == answer.text
            # It is the same one of several such texts: as many words stand before it.
            assert _words(question.context[:answer.start]) == _words(
                original.context[:before.start])


def _words(text):
    """How many parts without blanks a text has; replacing a word by a word keeps their number."""
    return len(text.split())


def test_tags_and_entities_stay(model, shared_data):
    sentences = conll.read(shared_data / "tagging" / "wikigold" / "wikigold.conll.txt")[:200]
    found = list(augment_examples(sentences, model, SETTINGS))
    assert len(found) > 4 * len(sentences)
    changed, original, remaining = 0, None, list(sentences)
    for sentence in found:
        if remaining and sentence == remaining[0]:
            original = remaining.pop(0)
        assert sentence.tags == original.tags
        for word, before, tag in zip(sentence.words, original.words, sentence.tags, strict=True):
            assert word == before or (tag == "O" and is_eligible(before))
            assert len(word.split()) == 1
            changed += word != before
    assert remaining == []
    assert changed > len(found)
