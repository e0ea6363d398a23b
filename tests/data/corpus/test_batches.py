import collections
import itertools

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.data.corpus import batches as corpus_batches
from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.masking import Masking
from mobilebert_tf.data.corpus.shard import Shard
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

VOCABULARY = Vocabulary([*SPECIAL_PIECES, *(f"p{i}" for i in range(995))])
LENGTH = 40
SHARDS = [37, 52, 41, 3, 60, 45]
BATCH = 8
# What every row of a batch has, padded or not.
PADDED = {"input_word_ids", "input_mask", "input_type_ids", "original_word_ids",
          "masked_positions", "masked_ids", "masked_weights"}
_SHARDS_READ = {}


def record(ids, first_length, label):
    features = {"ids": ids, "first_length": [first_length], "next_sentence_label": [label]}
    return tf.train.Example(features=tf.train.Features(feature={
        name: tf.train.Feature(int64_list=tf.train.Int64List(value=value))
        for name, value in features.items()})).SerializeToString()


def write_shard(path, examples):
    with tf.io.TFRecordWriter(str(path)) as writer:
        for ids, first_length, label in examples:
            writer.write(record(ids, first_length, label))
    return Shard(path.name, len(examples), sum(len(ids) for ids, *_ in examples),
                 path.stat().st_size)


def make(directory, counts, random):
    """A corpus whose examples all differ: pairs and, of every third, one part; 5 to 40 tokens."""
    shards, number = [], itertools.count()
    for index, count in enumerate(counts):
        examples = []
        for _ in range(count):
            n = next(number)
            # The first two tokens are the example's number.
            tokens = [10 + n // 900, 10 + n % 900,
                      *random.integers(10, 1000, random.integers(0, LENGTH - 4))]
            if n % 3 == 0 or len(tokens) < 5:
                examples.append(([2, *tokens, 3], len(tokens) + 2, -1))
            else:
                examples.append(([2, *tokens[:3], 3, *tokens[4:], 3], 5, n % 2))
        shards.append(write_shard(directory / f"train-{index}.tfrecord", examples))
    held_out = write_shard(directory / "validation-0.tfrecord", examples[:20])
    corpus = CorpusDirectory(directory, "pairs", LENGTH, True,
                             {"train": tuple(shards), "validation": (held_out,)}, {}, {})
    corpus.save(VOCABULARY)
    return CorpusDirectory.load(directory)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return make(tmp_path_factory.mktemp("corpus"), SHARDS, np.random.default_rng(0))


def make_small(patch):
    """Three groups an epoch, of few small pools; a shard is read once for all tests."""
    patch.setattr(corpus_batches, "_GROUP_EXAMPLES", 100)
    patch.setattr(corpus_batches, "_POOL_BATCHES", 4)
    original = corpus_batches._read

    def read(corpus, shard):
        path = corpus.directory / shard.file
        if path not in _SHARDS_READ:
            _SHARDS_READ[path] = original(corpus, shard)
        return _SHARDS_READ[path]

    patch.setattr(corpus_batches, "_read", read)


@pytest.fixture(autouse=True)
def small_groups(monkeypatch):
    make_small(monkeypatch)


def batches(corpus, seed=1, masking=Masking()):  # noqa: B008
    return CorpusBatches(corpus, "train", BATCH, masking, seed)


def take(dataset, count):
    return list(dataset.take(count).as_numpy_iterator())


def assert_same(some, others):
    assert len(some) == len(others) > 0
    for one, other in zip(some, others, strict=True):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], name)
            assert one[name].dtype == other[name].dtype


def numbers(batch):
    """Which examples a batch holds."""
    return [tuple(row) for row in batch["original_word_ids"][:, 1:3].tolist()]


def unmasked(made, first_step=0, epochs=1):
    """The batches before masking, whole, each with its step; masks depend on nothing else."""
    return list(made._generate(first_step, slice(0, BATCH), epochs))


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


@pytest.fixture(scope="module")
def epochs(corpus):
    """The batches of three epochs, by epoch."""
    with pytest.MonkeyPatch.context() as patch:
        make_small(patch)
        made = batches(corpus)
        found, first = (take(made.dataset(epochs=count), -1) for count in (3, 1))
        ends = [len(unmasked(made, epochs=count)) for count in (1, 2, 3)]
    assert (len(first), len(found)) == (ends[0], ends[2])
    assert_same(found[: ends[0]], first)
    return [found[: ends[0]], found[ends[0]: ends[1]], found[ends[1]:]]


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


def test_inputs_are_what_the_records_hold(corpus, epochs):
    written = {}
    for path in [str(corpus.directory / shard.file) for shard in corpus.shards["train"]]:
        for serialized in tf.data.TFRecordDataset(path).as_numpy_iterator():
            feature = tf.train.Example.FromString(serialized).features.feature
            ids, (first,), (label,) = (
                list(feature[name].int64_list.value)
                for name in ("ids", "first_length", "next_sentence_label"))
            written[tuple(ids[1:3])] = ids, first, label
    for batch in epochs[0]:
        longest = batch["input_mask"].sum(axis=1).max()
        assert batch["input_mask"].shape == (BATCH, -(-longest // 8) * 8)
        for row, number in enumerate(numbers(batch)):
            ids, first, label = written[number]
            padding = [0] * (batch["input_mask"].shape[1] - len(ids))
            assert batch["original_word_ids"][row].tolist() == ids + padding
            assert batch["input_mask"][row].tolist() == [1] * len(ids) + padding
            assert batch["input_type_ids"][row].tolist() == (
                [0] * first + [1] * (len(ids) - first) + padding)
            assert batch["next_sentence_labels"][row] == label


def test_masked_ids_restore_the_originals(epochs):
    for batch in epochs[0]:
        restored = batch["input_word_ids"].copy()
        chosen = batch["masked_weights"] == 1
        rows = np.nonzero(chosen)[0]
        restored[rows, batch["masked_positions"][chosen]] = batch["masked_ids"][chosen]
        np.testing.assert_array_equal(restored, batch["original_word_ids"])
        assert (batch["input_word_ids"] != batch["original_word_ids"]).any()


def test_types_and_shapes(corpus):
    dataset = batches(corpus).dataset(workers=4)
    int32 = PADDED - {"masked_weights"} | {"next_sentence_labels"}
    assert {name: spec.dtype for name, spec in dataset.element_spec.items()} == {
        **dict.fromkeys(int32, tf.int32), "masked_weights": tf.float32}
    assert {name: spec.shape.as_list() for name, spec in dataset.element_spec.items()} == {
        **dict.fromkeys(PADDED, [2, None]), "next_sentence_labels": [2]}


def test_padding_stays_below_the_corpus_length(tmp_path):
    corpus = CorpusDirectory(tmp_path, "sentences", 11, True, {
        "train": (write_shard(tmp_path / "train-0.tfrecord",
                              [([2, *range(10, 10 + n), 3], n + 2, -1) for n in range(2, 10)]),),
        "validation": ()}, {}, {})
    corpus.save(VOCABULARY)
    (batch,) = take(CorpusBatches(corpus, "train", 8, Masking(rate=0), 0).dataset(), 1)
    assert batch["input_mask"].shape == (8, 11)
    assert batch["masked_positions"].shape == (8, 0)
    np.testing.assert_array_equal(batch["input_word_ids"], batch["original_word_ids"])


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


def test_seed_and_step_decide_masks_and_replacements(tmp_path):
    """All examples are the same, so batches differ only by masks and replaced tokens."""
    shard = write_shard(tmp_path / "train-0.tfrecord", [([2, *range(10, 40), 3], 32, -1)] * BATCH)
    corpus = CorpusDirectory(tmp_path, "sentences", LENGTH, True,
                             {"train": (shard,), "validation": ()}, {}, {})
    corpus.save(VOCABULARY)
    made = [batch for seed in (1, 2) for batch in take(
        CorpusBatches(corpus, "train", BATCH, Masking(), seed, 0.5).dataset(), 2)]
    for name in ("masked_positions", "original_word_ids"):
        assert len({batch[name].tobytes() for batch in made}) == 4
    (plain, again) = unmasked(batches(corpus), epochs=2)
    np.testing.assert_array_equal(plain["original_word_ids"], again["original_word_ids"])


def test_replaced_tokens_are_read_in_both_ids_and_masks_stay(corpus):
    def made(seed=1, rate=0.5, **part):
        made = CorpusBatches(corpus, "train", BATCH, Masking(), seed, rate)
        return take(made.dataset(**part), 20)

    before = made(rate=0.0)
    batches = made()
    changed = total = 0
    for batch, plain in zip(batches, before, strict=True):
        for name in ("masked_positions", "masked_ids", "masked_weights", "input_mask"):
            np.testing.assert_array_equal(batch[name], plain[name])
        hidden = plain["input_word_ids"] != plain["original_word_ids"]
        for name in ("input_word_ids", "original_word_ids"):
            np.testing.assert_array_equal(batch[name][hidden], plain[name][hidden])
        read = batch["original_word_ids"][~hidden]
        np.testing.assert_array_equal(batch["input_word_ids"][~hidden], read)
        changed += (read != plain["original_word_ids"][~hidden]).sum()
        total += (plain["original_word_ids"][~hidden] > 3).sum()
    assert 0.45 < changed / total < 0.55
    # From a later step on, by two workers.
    halves = [made(first_step=5, worker=worker, workers=2)[:15] for worker in range(2)]
    for whole, *parts in zip(batches[5:], *halves, strict=True):
        np.testing.assert_array_equal(
            whole["original_word_ids"], np.concatenate([part["original_word_ids"]
                                                        for part in parts]))


def test_a_seed_decides_the_order(corpus):
    some, others = (next(batches(corpus, seed)._generate(0, slice(0, BATCH), 1)) for seed in (1, 2))
    assert numbers(some) != numbers(others)


def test_a_step_far_away_costs_nothing(corpus, monkeypatch):
    read = []
    original = corpus_batches._read
    monkeypatch.setattr(corpus_batches, "_read",
                        lambda corpus, shard: read.append(shard.file) or original(corpus, shard))
    made = batches(corpus)
    step = made.steps_per_epoch * 1000
    start, _, group = next(made._seeded_groups(step, None))
    assert start <= step < start + group.batches
    assert next(made._generate(step, slice(0, BATCH), None))["step"] == step
    assert read == [shard.file for shard in group.shards]


def test_one_group_is_read_once(corpus, monkeypatch):
    monkeypatch.setattr(corpus_batches, "_GROUP_EXAMPLES", 1000)
    read = []
    original = corpus_batches._read
    monkeypatch.setattr(corpus_batches, "_read",
                        lambda corpus, shard: read.append(shard.file) or original(corpus, shard))
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


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def cut(path):
    path.write_bytes(path.read_bytes()[:-5])


def foreign(path):
    with tf.io.TFRecordWriter(str(path)) as writer:
        writer.write(tf.train.Example().SerializeToString())


def fewer(path):
    write_shard(path, [([2, 10, 3], 3, -1)])


def longer(path):
    write_shard(path, [([2, *[10] * 50, 3], 52, -1)] * 9)


@pytest.mark.parametrize(("damage", "message"), [
    (flip, "is damaged; make the corpus again"),
    (cut, "is damaged; make the corpus again"),
    (foreign, "is damaged; make the corpus again"),
    (fewer, "holds 1 examples, not 9 as the corpus says"),
    (longer, "holds an example of 52 tokens, and the corpus says 40 at most"),
    (lambda path: path.unlink(), "is missing from the corpus")])
def test_a_damaged_shard_is_named(tmp_path, damage, message):
    made = batches(make(tmp_path, [9], np.random.default_rng(0)))
    damage(tmp_path / "train-0.tfrecord")
    with pytest.raises(InputError, match=f"train-0.tfrecord {message}"):
        unmasked(made)


def test_errors_in_reading_come_through_tf_data(tmp_path):
    made = batches(make(tmp_path, [9], np.random.default_rng(0)))
    dataset = made.dataset()
    cut(tmp_path / "train-0.tfrecord")
    with pytest.raises(InputError, match="train-0.tfrecord is damaged"), made.reading_errors():
        take(dataset, 1)


def test_other_errors_pass(corpus):
    with pytest.raises(tf.errors.OutOfRangeError), batches(corpus).reading_errors():
        raise tf.errors.OutOfRangeError(None, None, "end")
