import numpy as np
import pytest

from mobilebert_tf.data import pretraining
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

VOCABULARY = Vocabulary([*SPECIAL_PIECES, *(f"p{i}" for i in range(995))])


def test_blocks_hold_the_stream_between_cls_and_sep():
    made = pretraining.blocks([[5, 6, 7], [8], [9, 10, 11, 12]], VOCABULARY, 5)
    assert made.tolist() == [[2, 5, 6, 7, 3], [2, 8, 9, 10, 3]]
    with pytest.raises(InputError, match="2 tokens, one block needs 3"):
        pretraining.blocks([[5, 6]], VOCABULARY, 5)


def take(examples, count, seed=1):
    dataset = pretraining.masked_batches(examples, VOCABULARY, 8, seed)
    return [[{name: value.numpy() for name, value in part.items()} for part in parts]
            for parts in dataset.take(count)]


@pytest.fixture(scope="module")
def drawn():
    tokens = np.random.default_rng(0).integers(100, 1000, 4000)
    examples = pretraining.blocks([tokens], VOCABULARY, 102)
    # 40 blocks of 100 tokens, drawn ten times over.
    return examples, take(examples, 50)


def test_labels_are_what_stood_there_and_the_rest_is_untouched(drawn):
    examples, batches = drawn
    rows = {tuple(row) for row in examples.tolist()}
    for inputs, labels, weights in batches:
        restored = inputs["input_word_ids"].copy()
        assert inputs["input_mask"].all()
        for row, positions, pieces, weight in zip(
                restored, inputs["masked_positions"], labels["mlm_logits"],
                weights["mlm_logits"], strict=True):
            chosen = positions[weight == 1]
            assert len(set(chosen)) == len(chosen) == 15
            row[chosen] = pieces[weight == 1]
        assert {tuple(row) for row in restored.tolist()} <= rows


def test_of_the_chosen_most_become_mask_and_some_stay(drawn):
    _, batches = drawn
    masked = same = total = edge = 0
    for inputs, labels, weights in batches:
        chosen = weights["mlm_logits"] == 1
        now = np.take_along_axis(inputs["input_word_ids"], inputs["masked_positions"], 1)[chosen]
        masked += (now == VOCABULARY.mask_id).sum()
        same += (now == labels["mlm_logits"][chosen]).sum()
        edge += np.isin(labels["mlm_logits"][chosen], [VOCABULARY.cls_id, VOCABULARY.sep_id]).sum()
        total += len(now)
    assert total == 50 * 8 * 15
    assert edge == 0
    # Within five standard deviations of a binomial of 6,000.
    assert abs(masked / total - 0.8) < 0.026
    assert abs(same / total - 0.1) < 0.02


def test_no_two_passes_mask_alike(drawn):
    _, batches = drawn
    positions = {}
    for inputs, labels, _ in batches:
        for row, where, what in zip(inputs["input_word_ids"], inputs["masked_positions"],
                                    labels["mlm_logits"], strict=True):
            original = row.copy()
            original[where] = what
            positions.setdefault(tuple(original), []).append(tuple(sorted(where)))
    repeated = [where for where in positions.values() if len(where) > 1]
    assert len(repeated) > 20
    assert all(len(set(where)) > 1 for where in repeated)
