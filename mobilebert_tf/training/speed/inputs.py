"""Batches and a corpus of random pieces, to measure speed on."""

import os
from pathlib import Path

import numpy as np
import tensorflow as tf

from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.shard import Shard
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

_MASKED = 0.15


def batch(vocab_size: int, batch_size: int, length: int) -> dict:
    """Return a batch as `CorpusBatches` gives it, without padding."""
    random = np.random.default_rng(0)
    ids = random.integers(len(SPECIAL_PIECES), vocab_size, (batch_size, length), np.int32)
    count = max(1, round(_MASKED * length))
    positions = np.sort(random.random((batch_size, length)).argsort(axis=1)[:, :count], axis=1)
    labels = np.take_along_axis(ids, positions, axis=1)
    masked = ids.copy()
    np.put_along_axis(masked, positions, SPECIAL_PIECES.index("[MASK]"), axis=1)
    return {name: tf.constant(values) for name, values in {
        "input_word_ids": masked, "original_word_ids": ids, "input_mask": np.ones_like(ids),
        "input_type_ids": np.zeros_like(ids), "masked_positions": positions.astype(np.int32),
        "masked_ids": labels, "masked_weights": np.ones(labels.shape, np.float32),
        "next_sentence_labels": np.full(batch_size, -1, np.int32)}.items()}


def batch_spec(values: dict) -> dict:
    """Return the signature of a batch as the training loop has it: only the batch size is fixed."""
    return {name: tf.TensorSpec((value.shape[0], *[None] * (value.shape.rank - 1)), value.dtype)
            for name, value in values.items()}


def vocabulary(size: int) -> Vocabulary:
    """Return a vocabulary of made-up pieces."""
    return Vocabulary([*SPECIAL_PIECES, *(f"p{index}" for index in range(
        size - len(SPECIAL_PIECES)))])


def corpus(directory: str | os.PathLike, pieces: Vocabulary, length: int,
           examples: int) -> CorpusDirectory:
    """Write a corpus of single sentences, each of the full length; return it."""
    path = Path(directory) / "train-0.tfrecord"
    ids = np.random.default_rng(0).integers(
        len(SPECIAL_PIECES), len(pieces), (examples, length))
    ids[:, 0], ids[:, -1] = pieces.cls_id, pieces.sep_id
    with tf.io.TFRecordWriter(str(path)) as writer:
        for row in ids:
            features = {"ids": row, "first_length": [length], "next_sentence_label": [-1]}
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                name: tf.train.Feature(int64_list=tf.train.Int64List(value=values))
                for name, values in features.items()})).SerializeToString())
    shards = {"train": (Shard(path.name, examples, examples * length, path.stat().st_size),),
              "validation": ()}
    CorpusDirectory(Path(directory), "sentences", length, True, shards, {}, {}).save(pieces)
    return CorpusDirectory.load(directory)
