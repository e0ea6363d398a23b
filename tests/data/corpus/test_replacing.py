"""Replacing: which tokens, by what, and that the same noise gives the same."""

import numpy as np
import pytest
import scipy.stats
import tensorflow as tf

from mobilebert_tf.data.corpus.masking import Masking, draw_noise, mask
from mobilebert_tf.data.corpus.replacing import replace
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

VOCABULARY = Vocabulary([*SPECIAL_PIECES, *(f"p{i}" for i in range(45))])
SPECIAL = range(len(SPECIAL_PIECES))
ROWS, LENGTH = 512, 40


@pytest.fixture(scope="module")
def texts():
    """(ids, input_mask): [CLS], 3 to 38 tokens, [SEP], padding."""
    random = np.random.default_rng(0)
    lengths = random.integers(5, LENGTH + 1, ROWS)[:, np.newaxis]
    place = np.arange(LENGTH)
    ids = random.integers(len(SPECIAL), len(VOCABULARY), (ROWS, LENGTH))
    ids = np.where(place == 0, 2, np.where(place == lengths - 1, 3, ids))
    return (np.where(place < lengths, ids, 0).astype(np.int32),
            (place < lengths).astype(np.int32))


def noise(seed=7):
    return draw_noise(tf.constant([seed, 3]), ROWS, LENGTH)


def replaced(texts, rate, masked=None):
    ids, input_mask = texts
    masked = ids if masked is None else masked
    return [value.numpy() for value in replace(ids, masked, input_mask, noise(), VOCABULARY, rate)]


def test_a_rate_of_0_changes_nothing(texts):
    ids, masked = replaced(texts, 0.0)
    np.testing.assert_array_equal(ids, texts[0])
    np.testing.assert_array_equal(masked, texts[0])


def test_special_pieces_and_padding_stay_and_none_appears(texts):
    ids, _ = replaced(texts, 1.0)
    plain = texts[0] >= len(SPECIAL)
    np.testing.assert_array_equal(ids[~plain], texts[0][~plain])
    assert not np.isin(ids[plain], SPECIAL).any()


def test_every_token_alike_by_every_piece_alike(texts):
    ids, _ = replaced(texts, 0.3)
    plain = texts[0] >= len(SPECIAL)
    # A piece stands in its own place now and then.
    seen = (ids != texts[0])[plain].sum()
    expected = 0.3 * (1 - 1 / 45)
    assert scipy.stats.binomtest(int(seen), int(plain.sum()), expected).pvalue > 0.001
    by_place = [(ids != texts[0])[:, place][plain[:, place]].mean() for place in range(1, 20)]
    assert np.ptp(by_place) < 0.15
    counts = np.bincount(ids[ids != texts[0]], minlength=50)[len(SPECIAL):]
    assert scipy.stats.chisquare(counts).pvalue > 0.001


def test_what_is_masked_stays_masked_and_the_rest_is_read_alike(texts):
    ids, input_mask = texts
    masked = mask(ids, input_mask, noise(seed=1), VOCABULARY, Masking(0.3, 1.0, 0.0))[0].numpy()
    new_ids, new_masked = replaced(texts, 1.0, masked)
    hidden = masked != ids
    assert hidden.any()
    np.testing.assert_array_equal(new_masked[hidden], masked[hidden])
    np.testing.assert_array_equal(new_ids[hidden], ids[hidden])
    np.testing.assert_array_equal(new_ids[~hidden], new_masked[~hidden])
    assert (new_ids != ids).any()


def test_padding_makes_no_difference(texts):
    ids, input_mask = (value[input_width(texts) <= 20] for value in texts)
    rows = np.flatnonzero(input_width(texts) <= 20)
    wide, _ = replace(ids, ids, input_mask, tf.gather(noise(), rows), VOCABULARY, 0.5)
    narrow, _ = replace(ids[:, :20], ids[:, :20], input_mask[:, :20], tf.gather(noise(), rows),
                        VOCABULARY, 0.5)
    np.testing.assert_array_equal(wide[:, :20], narrow)


def input_width(texts):
    return texts[1].sum(1)
