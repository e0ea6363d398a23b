import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.data.corpus.masking import Masking, draw_noise, mask
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

VOCABULARY = Vocabulary([*SPECIAL_PIECES, *(f"p{i}" for i in range(695)),
                         *(f"##p{i}" for i in range(300))])
ROWS, LENGTH = 200, 64


@pytest.fixture(scope="module")
def examples():
    """ids and mask of rows of 3 to 64 tokens, some of them [UNK], with a [SEP] at half."""
    random = np.random.default_rng(0)
    lengths = random.integers(3, LENGTH + 1, ROWS)
    lengths[0] = LENGTH
    input_mask = (np.arange(LENGTH) < lengths[:, None]).astype(np.int32)
    ids = random.integers(5, len(VOCABULARY), input_mask.shape).astype(np.int32)
    ids[random.random(ids.shape) < 0.05] = VOCABULARY.unk_id
    ids[:, 0] = VOCABULARY.cls_id
    ids[np.arange(ROWS), lengths // 2] = VOCABULARY.sep_id
    ids[np.arange(ROWS), lengths - 1] = VOCABULARY.sep_id
    return ids * input_mask, input_mask


def run(examples, masking, seed=(1, 2), rows=slice(None), width=LENGTH):
    """Masked ids, and where, what and with which weight is predicted."""
    ids, input_mask = (values[rows, :width] for values in examples)
    noise = draw_noise(tf.constant(seed, tf.int64), ROWS, LENGTH)[rows]
    return [value.numpy() for value in mask(tf.constant(ids), tf.constant(input_mask), noise,
                                            VOCABULARY, masking)]


def chosen(examples, result):
    """bool `(rows, LENGTH)`: what is predicted; checks labels, order and what is left alone."""
    ids, _ = examples
    masked, positions, labels, weights = result
    assert [value.dtype for value in result] == [np.int32, np.int32, np.int32, np.float32]
    where = np.zeros(ids.shape, bool)
    for row in range(len(ids)):
        real = weights[row] == 1
        assert (np.diff(real.astype(int)) <= 0).all()
        assert (np.diff(positions[row][real]) > 0).all()
        where[row, positions[row][real]] = True
        np.testing.assert_array_equal(labels[row][real], ids[row, positions[row][real]])
        assert not labels[row][~real].any()
        assert not positions[row][~real].any()
    np.testing.assert_array_equal(masked[~where], ids[~where])
    assert weights.shape[1] == where.sum(axis=1).max()
    return where


@pytest.mark.parametrize("whole_word", [False, True])
@pytest.mark.parametrize("rate", [0.15, 1])
def test_special_pieces_are_never_chosen(examples, rate, whole_word):
    where = chosen(examples, run(examples, Masking(rate=rate, whole_word=whole_word)))
    specials = [VOCABULARY.ids[piece] for piece in SPECIAL_PIECES]
    assert not np.isin(examples[0][where], specials).any()
    if rate == 1:
        assert not (~np.isin(examples[0], specials) & ~where).any()


def test_as_many_as_the_rate_says_and_at_least_one(examples):
    ids, input_mask = examples
    where = chosen(examples, run(examples, Masking()))
    possible = (ids >= 5).sum(axis=1)
    wanted = np.maximum(1, np.round(0.15 * input_mask.sum(axis=1)))
    np.testing.assert_array_equal(where.sum(axis=1), np.minimum(wanted, possible))
    assert {0, 1, 10} <= set(where.sum(axis=1).tolist())


def test_every_place_is_chosen_alike(examples):
    ids, input_mask = (np.repeat(values[:1], ROWS, axis=0) for values in examples)
    times = sum(chosen((ids, input_mask), run((ids, input_mask), Masking(), (1, step))).sum(axis=0)
                for step in range(20))
    selectable = ids[0] >= 5
    expected = 20 * ROWS * 10 / selectable.sum()
    # Five standard deviations of a binomial: no place is preferred, and rows differ.
    assert (abs(times[selectable] - expected) < 5 * np.sqrt(expected)).all()


def test_of_the_chosen_most_become_mask_and_some_any_piece(examples):
    masking = Masking(rate=1)
    result = run(examples, masking)
    where = chosen(examples, result)
    now, before, total = result[0][where], examples[0][where], where.sum()
    assert total > 4000
    spread = 5 / np.sqrt(total)
    is_mask, is_same = now == VOCABULARY.mask_id, now == before
    assert abs(is_mask.mean() - 0.8) < 0.4 * spread
    assert abs(is_same.mean() - 0.1) < 0.3 * spread
    pieces = now[~is_mask & ~is_same]
    assert abs(len(pieces) / total - 0.1) < 0.3 * spread
    # From anywhere in the vocabulary.
    assert len(set(pieces)) > 0.7 * len(pieces)
    assert abs(pieces.mean() - 500) < 5 * 289 / np.sqrt(len(pieces))


@pytest.mark.parametrize(("masking", "kept", "masked"), [
    (Masking(rate=1, to_mask=1, to_random=0), 0, 1),
    (Masking(rate=1, to_mask=0, to_random=0), 1, 0),
    (Masking(rate=1, to_mask=0, to_random=1), 0, 0)])
def test_parts_at_their_ends(examples, masking, kept, masked):
    result = run(examples, masking)
    where = chosen(examples, result)
    assert (result[0][where] == VOCABULARY.mask_id).mean() == pytest.approx(masked, abs=0.01)
    assert (result[0][where] == examples[0][where]).mean() == pytest.approx(kept, abs=0.01)


def test_a_rate_of_0_predicts_nothing(examples):
    masked, positions, labels, weights = run(examples, Masking(rate=0))
    np.testing.assert_array_equal(masked, examples[0])
    assert positions.shape == labels.shape == weights.shape == (ROWS, 0)


def words(ids):
    """The places of each word of a row, by the definition, without its special pieces."""
    found = []
    for place, piece in enumerate(ids):
        if piece < 5:
            found.append([])
        elif VOCABULARY.pieces[piece].startswith("##") and ids[place - 1] >= 5:
            found[-1].append(place)
        else:
            found.append([place])
    return found


def test_words_are_chosen_whole(examples):
    where = chosen(examples, run(examples, Masking(whole_word=True)))
    sizes = []
    for ids, input_mask, row in zip(*examples, where, strict=True):
        real = words(ids[: input_mask.sum()])
        whole = [word for word in real if word and row[word].all()]
        assert sum(map(len, whole)) == row.sum()
        wanted = max(1, round(0.15 * len(real)))
        assert len(whole) == min(wanted, sum(map(bool, real)))
        sizes.extend(map(len, whole))
    assert sum(size > 1 for size in sizes) > 100


@pytest.mark.parametrize("whole_word", [False, True])
def test_a_rows_mask_depends_on_its_seed_step_and_number_alone(examples, whole_word):
    masking = Masking(whole_word=whole_word)
    where, masked = chosen(examples, run(examples, masking)), run(examples, masking)[0]
    for seed in ((1, 3), (2, 2)):
        assert (chosen(examples, run(examples, masking, seed)) != where).any(axis=1).mean() > 0.8
    # Other rows beside it, less padding, fewer predictions in the batch.
    short = examples[1].sum(axis=1) <= 16
    part = tuple(values[short][:, :16] for values in examples)
    result = run(examples, masking, rows=short, width=16)
    np.testing.assert_array_equal(chosen(part, result), where[short][:, :16])
    np.testing.assert_array_equal(result[0], masked[short][:, :16])


def test_rows_of_the_same_tokens_differ(examples):
    same = tuple(np.repeat(values[:1], ROWS, axis=0) for values in examples)
    where = chosen(same, run(same, Masking()))
    assert len({tuple(row) for row in where.tolist()}) == ROWS


@pytest.mark.parametrize(("arguments", "message"), [
    ({"rate": -0.1}, "rate of the masking must be from 0 to 1. Received: -0.1"),
    ({"rate": 1.5}, "Received: 1.5"),
    ({"to_mask": 2}, "to_mask of the masking must be from 0 to 1. Received: 2"),
    ({"to_random": float("nan")}, "to_random of the masking must be from 0 to 1. Received: nan"),
    ({"to_mask": 0.8, "to_random": 0.3}, "must not exceed 1 together. Received: 0.8 and 0.3")])
def test_parts_that_cannot_be(arguments, message):
    with pytest.raises(InputError, match=message):
        Masking(**arguments)
