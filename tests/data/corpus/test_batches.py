"""The order of batches: by seed, epoch, step and worker, nearly without padding."""

import collections
import itertools

import numpy as np
import pytest

from mobilebert_tf.data.corpus import batches as corpus_batches
from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.masking import Masking
from mobilebert_tf.errors import InputError

from .numbered_corpus import BATCH, SHARDS, assert_same, batches, make, numbers, take, unmasked

pytestmark = pytest.mark.usefixtures("small_groups")


@pytest.fixture
def read(small_groups, monkeypatch):
    """The names of the shards that are read, in order."""
    names = []
    original = corpus_batches._read
    monkeypatch.setattr(corpus_batches, "_read",
                        lambda corpus, shard: names.append(shard.file) or original(corpus, shard))
    return names


def test_a_stream_from_a_step_on_is_the_tail_of_the_whole(corpus):
    made = batches(corpus)
    whole = unmasked(made, epochs=3)
    assert [batch["step"] for batch in whole] == list(range(len(whole)))
    for first in (1, made.steps_per_epoch - 1, made.steps_per_epoch, 70):
        tail = unmasked(made, first, epochs=3)
        assert len(tail) == len(whole) - first > 0
        for one, other in zip(tail, whole[first:], strict=True):
            assert one.keys() == other.keys()
            for name in one:
                np.testing.assert_array_equal(one[name], other[name], name)
    first = made.steps_per_epoch + 2
    assert_same(take(made.dataset(first_step=first), 20), take(made.dataset(), first + 20)[first:])


def test_workers_share_the_batch_of_one(corpus):
    alone = take(batches(corpus).dataset(), 20)
    shares = [take(batches(corpus).dataset(worker=worker, workers=2), 20) for worker in range(2)]
    for whole, *parts in zip(alone, *shares, strict=True):
        for name, value in whole.items():
            shared = [part[name] for part in parts]
            if name.startswith("masked_"):
                shared = [np.pad(part, ((0, 0), (0, value.shape[1] - part.shape[1])))
                          for part in shared]
            # All else is as wide as the whole: a model may see how far its rows are padded.
            np.testing.assert_array_equal(np.concatenate(shared), value, name)


def test_an_epoch_holds_every_example_at_most_once_and_nearly_all(corpus, epochs):
    assert batches(corpus).steps_per_epoch == len(epochs[0])
    for epoch in epochs:
        seen = collections.Counter(itertools.chain.from_iterable(map(numbers, epoch)))
        assert set(seen.values()) == {1}
        # Less than a batch is left out of each of three groups.
        assert sum(SHARDS) - 3 * BATCH < len(seen) == len(epoch) * BATCH


def test_a_shard_of_more_examples_than_a_group_leaves_no_empty_group(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_batches, "_GROUP_EXAMPLES", 20)
    whole = unmasked(batches(make(tmp_path, [60, 30], np.random.default_rng(0))))
    seen = collections.Counter(itertools.chain.from_iterable(map(numbers, whole)))
    assert set(seen.values()) == {1}
    assert len(seen) == 60 // BATCH * BATCH + 30 // BATCH * BATCH


def test_epochs_differ_in_order_in_what_they_leave_out_and_in_masks(corpus, epochs):
    orders = [[numbers(batch) for batch in epoch] for epoch in epochs]
    assert orders[0][:5] != orders[1][:5] != orders[2][:5]
    groups = [{group.shards for group in batches(corpus)._groups(epoch)} for epoch in range(3)]
    assert groups[0] != groups[1] != groups[2]
    left_in = [frozenset(itertools.chain.from_iterable(order)) for order in orders]
    assert len(set(left_in)) == 3
    where = collections.defaultdict(set)
    for batch in itertools.chain.from_iterable(epochs):
        for number, positions, weights in zip(
                numbers(batch), batch["masked_positions"], batch["masked_weights"], strict=True):
            where[number].add(tuple(positions[weights == 1].tolist()))
    # Of a long example two masks are hardly ever the same.
    several = [positions for positions in where.values() if max(map(len, positions)) >= 4]
    assert len(several) > 50
    assert np.mean([len(positions) > 1 for positions in several]) > 0.9


def padded_tokens(corpus, monkeypatch, pool):
    monkeypatch.setattr(corpus_batches, "_POOL_BATCHES", pool)
    made = unmasked(batches(corpus))
    return sum(batch["input_mask"].size for batch in made), made


def test_sorting_by_length_saves_padding_and_leaves_batches_in_any_order(corpus, monkeypatch):
    monkeypatch.setattr(corpus_batches, "_GROUP_EXAMPLES", 1000)
    unsorted, _ = padded_tokens(corpus, monkeypatch, 1)
    padded, made = padded_tokens(corpus, monkeypatch, 30)
    assert padded < 0.8 * unsorted
    widths = [batch["input_mask"].shape[1] for batch in made]
    assert abs(np.corrcoef(widths[1:], widths[:-1])[0, 1]) < 0.5


def test_a_seed_decides_the_order(corpus):
    some, others = (next(batches(corpus, seed)._generate(0, slice(0, BATCH), 1)) for seed in (1, 2))
    assert numbers(some) != numbers(others)


def test_a_step_far_away_costs_nothing(corpus, read):
    made = batches(corpus)
    step = made.steps_per_epoch * 1000
    start, _, group = next(made._seeded_groups(step, None))
    assert start <= step < start + group.batches
    assert next(made._generate(step, slice(0, BATCH), None))["step"] == step
    assert read == [shard.file for shard in group.shards]


def test_one_group_is_read_once(corpus, read, monkeypatch):
    monkeypatch.setattr(corpus_batches, "_GROUP_EXAMPLES", 1000)
    made = list(batches(corpus)._generate(0, slice(0, BATCH), 2))
    assert len(made) == 2 * (sum(SHARDS) // BATCH)
    assert len(read) == len(SHARDS)
    # And in another order.
    assert numbers(made[0]) != numbers(made[len(made) // 2])


@pytest.mark.parametrize(("arguments", "message"), [
    (("validation", 21, Masking(), 1), "validation of .* has 20 examples, fewer than a batch of 2"),
    (("dev", 4, Masking(), 1), "no split 'dev', only train, validation"),
    (("train", 0, Masking(), 1), "batch_size must be 1 or more. Received: 0"),
    (("train", 4, Masking(), -1), "seed must be 0 or more. Received: -1")])
def test_arguments_that_cannot_be(corpus, arguments, message):
    with pytest.raises(InputError, match=message):
        CorpusBatches(corpus, *arguments)


def test_workers_that_cannot_be(corpus):
    with pytest.raises(InputError, match="8 examples cannot be shared equally by 3 workers"):
        batches(corpus).dataset(workers=3)
    with pytest.raises(InputError, match="worker must be from 0 to 1. Received: 2"):
        batches(corpus).dataset(worker=2, workers=2)


def test_a_vocabulary_without_mask(tmp_path):
    corpus = make(tmp_path, [9], np.random.default_rng(0))
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\nword\n")
    with pytest.raises(InputError, match=r"lacks the special pieces \[MASK\]"):
        batches(corpus)
