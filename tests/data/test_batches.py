import numpy as np
import pytest

from mobilebert_tf.data.classification import LabelledBatches
from mobilebert_tf.data.glue import LabelledTexts
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

WORDS = [f"w{letter}" for letter in "abcdefghij"]


@pytest.fixture
def tokenizer():
    return Tokenizer(Vocabulary([*SPECIAL_PIECES, *WORDS]))


def batches(tokenizer, counts, length=40, batch_size=2):
    """One text of each number of words, its label the number's place."""
    texts = tuple(" ".join(WORDS[i % 10] for i in range(count)) for count in counts)
    return LabelledBatches(LabelledTexts(texts, tuple(range(len(counts)))), tokenizer, length,
                           batch_size)


def test_every_example_comes_once_packed_and_padded(tokenizer):
    counts = [1, 13, 14, 30, 37, 60, 2]
    seen = {}
    for inputs, labels in batches(tokenizer, counts).dataset():
        ids, mask = inputs["input_word_ids"].numpy(), inputs["input_mask"].numpy()
        assert ids.dtype == mask.dtype == np.int32
        assert not inputs["input_type_ids"].numpy().any()
        assert (mask[:, -1] == 0).all(), "the last real token must see padding"
        for row, real, label in zip(ids, mask, labels.numpy(), strict=True):
            assert label not in seen
            seen[label] = (row[real == 1].tolist(), len(row))
            assert not row[real == 0].any()
    for label, count in enumerate(counts):
        words = [5 + i % 10 for i in range(min(count, 37))]
        assert seen[label][0] == [2, *words, 3]
    # 13 words and their two special tokens leave one of 16 for padding; 14 do not.
    assert [seen[label][1] for label in range(7)] == [16, 16, 32, 40, 40, 40, 16]


@pytest.mark.parametrize("batch_size", [1, 2, 3, 50])
def test_steps_are_the_batches_there_are(tokenizer, batch_size):
    made = batches(tokenizer, [1, 1, 1, 20, 20, 20, 20, 35], batch_size=batch_size)
    assert made.steps == sum(1 for _ in made.dataset(shuffle_seed=3)) == int(
        made.dataset().cardinality())


def test_a_seed_fixes_the_order_and_each_pass_has_its_own(tokenizer):
    made = batches(tokenizer, [1] * 60)

    def order(dataset):
        return [label for _, labels in dataset for label in labels.numpy()]

    first, again = made.dataset(shuffle_seed=1), made.dataset(shuffle_seed=1)
    one, two = order(first), order(first)
    assert [one, two] == [order(again), order(again)]
    assert one != two
    assert one != order(made.dataset(shuffle_seed=2))
    assert order(made.dataset()) == list(range(60))
    assert sorted(one) == list(range(60))
