"""A small corpus whose examples begin with their number, and batches of it."""

import itertools

import numpy as np
import tensorflow as tf

from mobilebert_tf.data.corpus import batches as corpus_batches
from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.directory import CorpusDirectory, Shard
from mobilebert_tf.data.corpus.masking import Masking
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

VOCABULARY = Vocabulary([*SPECIAL_PIECES, *(f"p{i}" for i in range(995))])
LENGTH = 40
SHARDS = [37, 52, 41, 3, 60, 45]
BATCH = 8
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


def batches(corpus, seed=1, masking=Masking()):  # noqa: B008
    return CorpusBatches(corpus, "train", BATCH, masking, seed)


def take(dataset, count):
    return list(dataset.take(count).as_numpy_iterator())


def numbers(batch):
    """Which examples a batch holds."""
    return [tuple(row) for row in batch["original_word_ids"][:, 1:3].tolist()]


def unmasked(made, first_step=0, epochs=1):
    """The batches before masking, whole, each with its step; masks depend on nothing else."""
    return list(made._generate(first_step, slice(0, BATCH), epochs))


def assert_same(some, others):
    assert len(some) == len(others) > 0
    for one, other in zip(some, others, strict=True):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], name)
            assert one[name].dtype == other[name].dtype
