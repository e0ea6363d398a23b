"""What a batch holds: the records, padded, masked and with tokens replaced."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.masking import Masking

from .numbered_corpus import (
    BATCH,
    LENGTH,
    VOCABULARY,
    batches,
    numbers,
    take,
    unmasked,
    write_shard,
)

pytestmark = pytest.mark.usefixtures("small_groups")
# What every row of a batch has, padded or not.
PADDED = {"input_word_ids", "input_mask", "input_type_ids", "original_word_ids",
          "masked_positions", "masked_ids", "masked_weights"}


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
