"""Masked batches of a corpus on disk, each a function of its step alone."""

import contextlib
import dataclasses
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from mobilebert_tf.data.corpus.directory import CorpusDirectory, Shard
from mobilebert_tf.data.corpus.masking import Masking, draw_noise, mask
from mobilebert_tf.data.corpus.replacing import replace
from mobilebert_tf.errors import InputError

# Examples in memory at a time, about: 100 MB where each has 128 tokens.
_GROUP_EXAMPLES = 200_000
# Batches whose examples are sorted together; with more, the lengths of one differ less.
_POOL_BATCHES = 50
_LENGTH_STEP = 8
# Batches ready for the model: training goes on with them while the next group is read.
_AHEAD = 16
_RECORDS_AT_ONCE = 2048
_FEATURES = {"ids": tf.io.RaggedFeature(tf.int64),
             "first_length": tf.io.FixedLenFeature((), tf.int64),
             "next_sentence_label": tf.io.FixedLenFeature((), tf.int64)}


class CorpusBatches:
    """Batches of a corpus, shuffled anew each epoch and masked anew each step.

    The batch of a step is a function of the corpus, the arguments and the step, so training
    continues from a step's number, and several workers take rows of the same batch.

    An epoch permutes the shards and reads them in groups that fit into memory. A group's examples
    are permuted, cut into pools, sorted by length in each pool, cut into batches of near lengths,
    and these are permuted. What does not fill a group's last batch is left out: other examples in
    each epoch.

    Args:
      corpus: as `mobilebert corpus` makes it.
      split: `train` or `validation`.
      batch_size: examples of a step, over all workers.
      masking: what is predicted.
      seed: of the order and of the masks, at least 0.
      replacement_rate: part of the tokens in whose place any piece of the vocabulary is read, in
        the original ids too; of a token that is predicted, the label stays.
    Raises:
      InputError: for an unknown split, one with fewer examples than a batch, a negative seed, or a
        vocabulary that cannot be read or has no [MASK].
    """

    def __init__(self, corpus: CorpusDirectory, split: str, batch_size: int, masking: Masking,
                 seed: int, replacement_rate: float = 0.0):
        if split not in corpus.shards:
            raise InputError(f"a corpus has no split {split!r}, only {', '.join(corpus.shards)}")
        if batch_size < 1:
            raise InputError(f"a batch of {batch_size} examples is none")
        if corpus.count(split) < batch_size:
            raise InputError(f"{split} of {corpus.directory} has {corpus.count(split):,} examples, "
                             f"fewer than a batch of {batch_size:,}")
        if seed < 0:
            raise InputError(f"the seed is {seed}, below 0")
        self.batch_size = batch_size
        self._corpus = corpus
        self._shards = corpus.shards[split]
        self._masking = masking
        if not 0 <= replacement_rate <= 1:
            raise InputError(f"replacement_rate is {replacement_rate}, not from 0 to 1")
        self._seed = seed
        self._replacement_rate = replacement_rate
        self._vocabulary = corpus.vocabulary()
        self._failure = None

    @property
    def steps_per_epoch(self) -> int:
        """Batches of the first epoch; with several groups, later ones may have a few more or less.
        """
        return sum(group.batches for group in self._groups(epoch=0))

    @tf.autograph.experimental.do_not_convert
    def dataset(self, first_step: int = 0, worker: int = 0, workers: int = 1,
                epochs: int | None = None) -> tf.data.Dataset:
        """The batches from a step on, without reading those before it.

        Each is a dict: `input_word_ids` (masked), `input_mask`, `input_type_ids` and
        `original_word_ids`, int32 `(batch, seq)`; `masked_positions` and `masked_ids`, int32, and
        `masked_weights`, float32 `(batch, predictions)`, as `mask` gives them;
        `next_sentence_labels`, int32 `(batch,)`, -1 where an example has no second part. `batch` is
        static, a worker's part of `batch_size`; `seq` is a multiple of 8, the corpus's length at
        most.

        Args:
          first_step: counted from 0 over all epochs.
          worker: whose rows, from 0.
          workers: how many share each batch.
          epochs: where the stream ends, counted from the first step of all; None for never.
        Raises:
          InputError: for a batch that workers cannot share equally, or a worker that is none.
        """
        if workers < 1 or self.batch_size % workers:
            raise InputError(f"a batch of {self.batch_size} examples cannot be shared equally by "
                             f"{workers} workers")
        if not 0 <= worker < workers:
            raise InputError(f"worker {worker} is none of {workers}, counted from 0")
        share = self.batch_size // workers
        rows = slice(worker * share, (worker + 1) * share)
        padded = tf.TensorSpec((share, None), tf.int32)
        dataset = tf.data.Dataset.from_generator(
            lambda: self._generate(first_step, rows, epochs),
            output_signature={
                "step": tf.TensorSpec((), tf.int64), "original_word_ids": padded,
                "input_mask": padded, "input_type_ids": padded,
                "next_sentence_labels": tf.TensorSpec((share,), tf.int32)})
        options = tf.data.Options()
        # With it, an iterator's end waits for the tuning thread, a minute or two.
        options.autotune.enabled = False
        return dataset.map(lambda batch: self._masked(batch, rows), num_parallel_calls=2,
                           deterministic=True).prefetch(_AHEAD).with_options(options)

    @contextlib.contextmanager
    def reading_errors(self) -> Iterator[None]:
        """Around the use of a dataset: raises what is wrong with the corpus as InputError.

        tf.data replaces any exception below it by its own.
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
            # Negative, which no seed of masks is.
            noise = draw_noise(tf.stack([tf.constant(-1 - self._seed, tf.int64), step]),
                               self.batch_size, self._corpus.length)[rows]
            batch["original_word_ids"], word_ids = replace(
                batch["original_word_ids"], word_ids, batch["input_mask"], noise,
                self._vocabulary, self._replacement_rate)
        return {"input_word_ids": word_ids, "masked_positions": positions, "masked_ids": labels,
                "masked_weights": weights, **batch}

    def _generate(self, first_step, rows, epochs):
        """The batches of one worker, with their steps, before masking."""
        loaded, examples = None, None
        for step, seed, group in self._seeded_groups(first_step, epochs):
            if group.shards != loaded:
                examples = None  # freed before the next group takes its place
                examples = self._read(group)
                loaded = group.shards
            order = _batches(examples.lengths, self.batch_size, np.random.default_rng(seed))
            for at in range(max(step, first_step), step + len(order)):
                yield {"step": at, **self._padded(examples, order[at - step], rows)}

    def _seeded_groups(self, first_step, epochs):
        """(its first step, seed of its order, group) of each group that ends after a step."""
        step, epoch = 0, 0
        while epochs is None or epoch < epochs:
            for index, group in enumerate(self._groups(epoch)):
                if first_step < step + group.batches:
                    # From 1: to NumPy a seed's final zero is none, and that is the shards' seed.
                    yield step, [self._seed, epoch, index + 1], group
                step += group.batches
            epoch += 1

    def _groups(self, epoch):
        """The groups of an epoch, found by the counts alone."""
        total = sum(shard.examples for shard in self._shards)
        # At least two batches, so that one of several groups fills one and an epoch has a step.
        count = -(-total // max(_GROUP_EXAMPLES, 2 * self.batch_size))
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._shards))
        members, before = [[] for _ in range(count)], 0
        for index in order:
            shard = self._shards[index]
            if shard.examples:
                members[before * count // total].append(int(index))
                before += shard.examples
        return [_Group(tuple(self._shards[index] for index in sorted(group)), self.batch_size)
                for group in members]

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
        """The encoder's inputs of a share of a batch, padded as the whole batch is.

        What follows a text's last token matters a little, and dropout draws as many numbers as
        there are places: workers differ in neither.
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
    """A group's examples: all ids, where each example starts in them, and the rest, int32."""

    ids: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    first_lengths: np.ndarray
    labels: np.ndarray


def _batches(lengths, batch_size, random):
    """The rows of a group's batches, int `(batches, batch_size)`."""
    order = random.permutation(len(lengths))
    # Left out before sorting, which would leave out the longest.
    order = order[: len(order) // batch_size * batch_size]
    pool = _POOL_BATCHES * batch_size
    for start in range(0, len(order), pool):
        part = order[start : start + pool]
        order[start : start + pool] = part[np.argsort(lengths[part], kind="stable")]
    return random.permutation(order.reshape(-1, batch_size))


def _read(corpus, shard):
    """[(ids, lengths, first lengths, labels)] of a shard, int32, in parts.

    Raises:
      InputError: for a damaged file, or one that does not hold what corpus.json says.
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
