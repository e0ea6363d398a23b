import itertools

import pytest

from mobilebert_tf.evaluation.entities import entities, spans
from mobilebert_tf.text import words


@pytest.mark.parametrize(("tags", "expected"), [
    ("", []),
    ("O O", []),
    ("B-X I-X O", [("X", 0, 2)]),
    ("B-X B-X", [("X", 0, 1), ("X", 1, 2)]),
    # I- begins an entity after O, at the start, and after another type.
    ("O I-X I-X", [("X", 1, 3)]),
    ("I-X B-X I-X", [("X", 0, 1), ("X", 1, 3)]),
    ("B-X I-Y I-Y I-X", [("X", 0, 1), ("Y", 1, 3), ("X", 3, 4)]),
    ("B-X O I-X", [("X", 0, 1), ("X", 2, 3)]),
    ("B-creative-work I-creative-work I-work", [("creative-work", 0, 2), ("work", 2, 3)]),
])
def test_spans(tags, expected):
    assert spans(tags.split()) == expected


def test_spans_are_seqevals():
    from seqeval.metrics.sequence_labeling import get_entities

    for tags in itertools.product(["O", "B-X", "I-X", "B-Y", "I-Y"], repeat=5):
        assert [(kind, start, end - 1) for kind, start, end in spans(tags)] == (
            get_entities(list(tags)))


def test_entities_are_slices_of_the_text():
    text = "  I met  Ann-Marie\u00a0Lee\tin S\u00e3o  Tom\u00e9 (Oslo)."
    found, offsets = words.split(text)
    assert found == ["I", "met", "Ann-Marie", "Lee", "in", "S\u00e3o", "Tom\u00e9", "(", "Oslo",
                     ")", "."]
    tags = ["O", "O", "B-PER", "I-PER", "O", "I-LOC", "I-LOC", "O", "B-LOC", "O", "O"]
    probabilities = [.9, .9, .5, 1.0, .9, .25, .75, .9, .125, .9, .9]
    assert entities(text, offsets, tags, probabilities) == [
        {"type": "PER", "text": "Ann-Marie\u00a0Lee", "start": 9, "end": 22, "probability": .75},
        {"type": "LOC", "text": "S\u00e3o  Tom\u00e9", "start": 26, "end": 35, "probability": .5},
        {"type": "LOC", "text": "Oslo", "start": 37, "end": 41, "probability": .125}]
    for entity in entities(text, offsets, tags):
        assert set(entity) == {"type", "text", "start", "end"}
        assert entity["text"] == text[entity["start"]:entity["end"]]


def test_entities_of_nothing():
    assert entities("", [], [], []) == []


@pytest.mark.parametrize("given", [
    ([(0, 1)], ["O", "O"]), ([(0, 1), (1, 2)], ["O"]), ([(0, 1)], ["O"], [])])
def test_another_number_of_tags_or_probabilities_is_refused(given):
    with pytest.raises(ValueError, match="Received: "):
        entities("ab", *given)
