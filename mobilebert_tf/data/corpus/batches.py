"""Masked batches of a corpus on disk; a batch depends on its step alone."""

import contextlib
import dataclasses
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from mobilebert_tf.data import generated
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.masking import Masking, draw_noise, mask
from mobilebert_tf.data.corpus.replacing import replace
from mobilebert_tf.data.corpus.shard import Shard
from mobilebert_tf.data.untuned import untuned
from mobilebert_tf.errors import InputError

# Examples in memory at a time, about. 128 tokens each take 100 MB.
_GROUP_EXAMPLES = 200_000
# Batches whose examples are sorted together. More make the lengths in a batch more alike.
_POOL_BATCHES = 50
_LENGTH_STEP = 8
# Batches prepared ahead: training uses them while the next group is read.
_AHEAD = 16
_RECORDS_AT_ONCE = 2048
_FEATURES = {"ids": tf.io.RaggedFeature(tf.int64),
             "first_length": tf.io.FixedLenFeature((), tf.int64),
             "next_sentence_label": tf.io.FixedLenFeature((), tf.int64)}


class CorpusBatches:
    """Batches of a corpus, shuffled anew each epoch and masked anew each step.

    A step's batch depends on the corpus, the arguments and the step alone. So training can resume
    at any step, and several workers can share a batch.

    An epoch permutes the shards and reads them in groups that fit into memory. A group's examples
    are permuted, cut into pools, sorted by length within each pool and cut into batches of similar
    lengths; the batches are permuted. Examples that do not fill a group's last batch are left out;
    each epoch leaves out others.

    Args:
      corpus: a corpus, as `mobilebert corpus` makes it.
      split: "train" or "validation".
      batch_size: examples of a step, over all workers.
      masking: which tokens are predicted.
      seed: seed of order and masks, at least 0.
      replacement_rate: fraction of the tokens that random pieces replace, in the original ids
        too. Special pieces neither replace nor are replaced, and masked tokens are left alone.
    Raises:
      InputError: if the split is unknown or has fewer examples than a batch; the seed is negative;
        or the vocabulary cannot be read or has no [MASK].
    """

    def __init__(self, corpus: CorpusDirectory, split: str, batch_size: int, masking: Masking,
                 seed: int, replacement_rate: float = 0.0):
        if split not in corpus.shards:
            raise InputError(f"a corpus has no split {split!r}, only {', '.join(corpus.shards)}")
        if batch_size < 1:
            raise InputError(f"batch_size must be 1 or more. Received: {batch_size}")
        if corpus.count(split) < batch_size:
            raise InputError(f"{split} of {corpus.directory} has {corpus.count(split):,} examples, "
                             f"fewer than a batch of {batch_size:,}")
        if seed < 0:
            raise InputError(f"seed must be 0 or more. Received: {seed}")
        self.batch_size = batch_size
        self._corpus = corpus
        self._shards = corpus.shards[split]
        self._masking = masking
        if not 0 <= replacement_rate <= 1:
            raise InputError(f"replacement_rate must be from 0 to 1. Received: {replacement_rate}")
        self._seed = seed
        self._replacement_rate = replacement_rate
        self._vocabulary = corpus.vocabulary()
        self._failure = None

    @property
    def steps_per_epoch(self) -> int:
        """Batches of the first epoch. With several groups, later epochs may differ by a few."""
        return sum(group.batches for group in self._groups(epoch=0))

    @tf.autograph.experimental.do_not_convert
    def dataset(self, first_step: int = 0, worker: int = 0, workers: int = 1,
                epochs: int | None = None) -> tf.data.Dataset:
        """Return the batches from a step on, without reading those before it.

        Each batch is a dict: `input_word_ids` (masked), `input_mask`, `input_type_ids` and
        `original_word_ids`, int32 `(batch, seq)`; `masked_positions` and `masked_ids`, int32, and
        `masked_weights`, float32, `(batch, predictions)`, as `mask` returns them; and
        `next_sentence_labels`, int32 `(batch,)`, -1 for an example without a second segment.
        `batch` is static: a worker's share of `batch_size`. `seq` is a multiple of 8, or the
        corpus's length.

        Args:
          first_step: the first step, counted from 0 over all epochs.
          worker: the worker whose rows are returned, counted from 0.
          workers: number of workers that share each batch.
          epochs: number of epochs after which the stream ends, counted from step 0; None for an
            endless stream.
        Raises:
          InputError: if the workers cannot share a batch equally, or `worker` is out of range.
        """
        if workers < 1 or self.batch_size % workers:
            raise InputError(f"a batch of {self.batch_size} examples cannot be shared equally by "
                             f"{workers} workers")
        if not 0 <= worker < workers:
            raise InputError(f"worker must be from 0 to {workers - 1}. Received: {worker}")
        share = self.batch_size // workers
        rows = slice(worker * share, (worker + 1) * share)
        padded = tf.TensorSpec((share, None), tf.int32)
        dataset = generated.dataset(lambda: self._generate(first_step, rows, epochs), {
            "step": tf.TensorSpec((), tf.int64), "original_word_ids": padded,
            "input_mask": padded, "input_type_ids": padded,
            "next_sentence_labels": tf.TensorSpec((share,), tf.int32)})
        return untuned(dataset.map(lambda batch: self._masked(batch, rows), num_parallel_calls=2,
                                   deterministic=True).prefetch(_AHEAD))

    @contextlib.contextmanager
    def reading_errors(self) -> Iterator[None]:
        """Raise errors in reading the corpus as InputError; use it around a dataset's use.

        tf.data replaces every exception by its own.
        """
        self._failure = None
        try:
            yield
        except tf.errors.OpError:
            if self._failure is None:
                raise
            raise self._failure from None

    def _masked(self, batch, rows):
        batch = dict(batch)
        step = batch.pop("step")
        noise = draw_noise(tf.stack([tf.constant(self._seed, tf.int64), step]),
                           self.batch_size, self._corpus.length)[rows]
        word_ids, positions, labels, weights = mask(
            batch["original_word_ids"], batch["input_mask"], noise, self._vocabulary,
            self._masking)
        if self._replacement_rate:
            # Negative, unlike every seed of masks.
            noise = draw_noise(tf.stack([tf.constant(-1 - self._seed, tf.int64), step]),
                               self.batch_size, self._corpus.length)[rows]
            batch["original_word_ids"], word_ids = replace(
                batch["original_word_ids"], word_ids, batch["input_mask"], noise,
                self._vocabulary, self._replacement_rate)
        return {"input_word_ids": word_ids, "masked_positions": positions, "masked_ids": labels,
                "masked_weights": weights, **batch}

    def _generate(self, first_step, rows, epochs):
        """Yield the batches of one worker with their steps, before masking."""
        loaded, examples = None, None
        for step, seed, group in self._seeded_groups(first_step, epochs):
            if group.shards != loaded:
                examples = None  # free the memory before the next group is read
                examples = self._read(group)
                loaded = group.shards
            order = _batches(examples.lengths, self.batch_size, np.random.default_rng(seed))
            for at in range(max(step, first_step), step + len(order)):
                yield {"step": at, **self._padded(examples, order[at - step], rows)}

    def _seeded_groups(self, first_step, epochs):
        """Yield (first step, seed of the order, group) for each group that ends after a step."""
        step, epoch = 0, 0
        while epochs is None or epoch < epochs:
            for index, group in enumerate(self._groups(epoch)):
                if first_step < step + group.batches:
                    # From 1: NumPy ignores a final 0, and would give the seed of the shards' order.
                    yield step, [self._seed, epoch, index + 1], group
                step += group.batches
            epoch += 1

    def _groups(self, epoch):
        """Return the groups of an epoch; only the shards' counts are needed."""
        total = sum(shard.examples for shard in self._shards)
        # At least two batches a group, so that an epoch has at least one step.
        count = -(-total // max(_GROUP_EXAMPLES, 2 * self.batch_size))
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._shards))
        members, before = [[] for _ in range(count)], 0
        for index in order:
            shard = self._shards[index]
            if shard.examples:
                members[before * count // total].append(int(index))
                before += shard.examples
        # A shard of more examples than a group leaves the next groups empty.
        return [_Group(tuple(self._shards[index] for index in sorted(group)), self.batch_size)
                for group in members if group]

    def _read(self, group):
        parts = []
        for shard in group.shards:
            try:
                parts.extend(_read(self._corpus, shard))
            except InputError as error:
                self._failure = error
                raise
        ids, lengths, first_lengths, labels = (
            np.concatenate(column) for column in zip(*parts, strict=True))
        return _Examples(ids, np.cumsum(lengths) - lengths, lengths, first_lengths, labels)

    def _padded(self, examples, batch, share):
        """Return the encoder's inputs of a share of a batch, padded as the whole batch is.

        So a worker's results do not depend on the number of workers: padding after a text's last
        token matters a little, and dropout draws a number for each position.
        """
        width = -(-int(examples.lengths[batch].max()) // _LENGTH_STEP) * _LENGTH_STEP
        rows = batch[share]
        lengths = examples.lengths[rows, np.newaxis]
        place = np.arange(min(width, self._corpus.length))
        is_real = place < lengths
        at = np.where(is_real, examples.starts[rows, np.newaxis] + place, 0)
        is_second = is_real & (place >= examples.first_lengths[rows, np.newaxis])
        return {"original_word_ids": np.where(is_real, examples.ids[at], self._vocabulary.pad_id)
                .astype(np.int32), "input_mask": is_real.astype(np.int32),
                "input_type_ids": is_second.astype(np.int32),
                "next_sentence_labels": examples.labels[rows]}


@dataclasses.dataclass(frozen=True)
class _Group:
    """Shards that are in memory together."""

    shards: tuple[Shard, ...]
    batch_size: int

    @property
    def batches(self):
        return sum(shard.examples for shard in self.shards) // self.batch_size


@dataclasses.dataclass(frozen=True)
class _Examples:
    """A group's examples: all ids, each example's start in them, and its other fields.

    All are int32, but `starts` int64.
    """

    ids: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    first_lengths: np.ndarray
    labels: np.ndarray


def _batches(lengths, batch_size, random):
    """Return the rows of a group's batches, int `(batches, batch_size)`."""
    order = random.permutation(len(lengths))
    # Left out before sorting: after it, always the longest would be left out.
    order = order[: len(order) // batch_size * batch_size]
    pool = _POOL_BATCHES * batch_size
    for start in range(0, len(order), pool):
        part = order[start : start + pool]
        order[start : start + pool] = part[np.argsort(lengths[part], kind="stable")]
    return random.permutation(order.reshape(-1, batch_size))


def _read(corpus, shard):
    """Return parts of a shard: [(ids, lengths, first lengths, labels)], int32.

    Raises:
      InputError: if the file is damaged or does not hold what corpus.json says.
    """
    path = corpus.directory / shard.file
    records = tf.data.TFRecordDataset(str(path), buffer_size=1 << 20).batch(_RECORDS_AT_ONCE)
    parts = []
    try:
        for serialized in records:
            parsed = tf.io.parse_example(serialized, _FEATURES)
            ids = parsed["ids"]
            parts.append([column.numpy().astype(np.int32) for column in (
                ids.values, ids.row_lengths(), parsed["first_length"],
                parsed["next_sentence_label"])])
    except (tf.errors.DataLossError, tf.errors.InvalidArgumentError) as error:
        raise InputError(f"{path} is damaged; make the corpus again") from error
    except tf.errors.NotFoundError as error:
        raise InputError(f"{path} is missing from the corpus; make it again") from error
    found = sum(len(lengths) for _, lengths, *_ in parts)
    if found != shard.examples:
        raise InputError(f"{path} holds {found:,} examples, not {shard.examples:,} as the corpus "
                         "says; make it again")
    longest = max(int(lengths.max()) for _, lengths, *_ in parts)
    if longest > corpus.length:
        raise InputError(f"{path} holds an example of {longest} tokens, and the corpus says "
                         f"{corpus.length} at most; make it again")
    return parts
