"""Ranges of activations, channel by channel: measured on inputs, or estimated from the weights."""

import dataclasses
import math

import numpy as np

from .lean_model import Affine, LeanModel

_BATCH = 16
# The channels of a trained model are far from normal; what matters is their ratio to each other.
_DEVIATIONS = 3.0


@dataclasses.dataclass(frozen=True)
class Range:
    """The least and the greatest value of every channel at a place, `(channels,)`; of attention
    logits over all heads and pairs of real tokens, `()`."""

    low: np.ndarray
    high: np.ndarray

    @property
    def center(self) -> np.ndarray:
        return (self.low + self.high) / 2

    @property
    def radius(self) -> np.ndarray:
        return (self.high - self.low) / 2


def measured(model: LeanModel, inputs) -> dict[str, Range]:
    """The ranges that a model has on inputs, at every real token.

    Args:
      inputs: `input_word_ids`, `input_mask`, `input_type_ids`, int32 `(examples, length)`.
    Returns: by the places that `lean_graph.outputs` names to its `tap`.
    """
    import tensorflow as tf

    from . import lean_graph

    ids, mask, types = (inputs[name] for name in (
        "input_word_ids", "input_mask", "input_type_ids"))
    low, high = {}, {}
    for start in range(0, len(ids), _BATCH):
        rows = slice(start, start + _BATCH)
        real = mask[rows].astype(bool)

        pairs = real[:, :, np.newaxis] & real[:, np.newaxis, :]

        def record(place, tensor, real=real, pairs=pairs):
            values = (tensor.numpy()[real] if tensor.shape.rank == 3
                      else tensor.numpy().transpose(0, 2, 3, 1)[pairs].reshape(-1))
            low[place] = np.minimum(low.get(place, np.inf), values.min(axis=0))
            high[place] = np.maximum(high.get(place, -np.inf), values.max(axis=0))
            return tensor

        lean_graph.outputs(dataclasses.replace(model, first_position_only=False),
                           *(tf.constant(values[rows]) for values in (ids, mask, types)),
                           tap=record)
    return {place: Range(low[place].astype(np.float64), high[place].astype(np.float64))
            for place in low}


def estimated(model: LeanModel) -> dict[str, Range]:
    """The ranges that the weights let expect of a NoNorm model, its inputs independent.

    Means and variances are carried from the embedding to the last block as if the channels that
    a dense layer sums were independent of each other.
    """
    return _Estimate(model).ranges


@dataclasses.dataclass(frozen=True)
class _Moments:
    mean: np.ndarray
    variance: np.ndarray

    def through(self, dense):
        kernel = dense.kernel.astype(np.float64)
        return _Moments(self.mean @ kernel + dense.bias, self.variance @ kernel ** 2)

    def plus(self, other):
        return _Moments(self.mean + other.mean, self.variance + other.variance)

    def normalized(self, norm):
        match norm:
            case None:
                return self
            case Affine(scale, shift):
                return _Moments(scale * self.mean + (0.0 if shift is None else shift),
                                np.square(scale, dtype=np.float64) * self.variance)
        return _Moments(norm.beta.astype(np.float64), np.square(norm.gamma, dtype=np.float64))

    def rectified(self):
        """Of max(x, 0), for a normal x: Frey and Hinton 1999, rectified Gaussian units."""
        deviation = np.sqrt(self.variance) + 1e-30
        z = self.mean / deviation
        density = np.exp(-z ** 2 / 2) / np.sqrt(2 * np.pi)
        below = _normal_cdf(z)
        mean = self.mean * below + deviation * density
        square = (self.mean ** 2 + self.variance) * below + self.mean * deviation * density
        return _Moments(mean, np.maximum(square - mean ** 2, 0))


class _Estimate:
    def __init__(self, model):
        self.ranges = {}
        embedding, config = model.embedding, model.config
        words = _of_rows(embedding.word_table)
        if config.trigram_input:
            words = _Moments(np.tile(words.mean, 3), np.tile(words.variance, 3))
        if embedding.projection is not None:
            words = words.through(embedding.projection)
        for table in (embedding.position_table, embedding.type_table):
            if table is not None:
                words = words.plus(_of_rows(table))
        hidden = self._at("hidden_0", words.normalized(embedding.norm))
        for index, block in enumerate(model.blocks):
            hidden = self._at(f"hidden_{index + 1}", self._block(
                f"block_{index}", block, hidden, config.attention_input))

    def _at(self, place, moments):
        deviation = _DEVIATIONS * np.sqrt(moments.variance)
        self.ranges[place] = Range(moments.mean - deviation, moments.mean + deviation)
        return moments

    def _block(self, name, block, hidden, attention_input):
        inner = hidden
        if block.input_bottleneck is not None:
            inner = hidden.through(block.input_bottleneck.dense).normalized(
                block.input_bottleneck.norm)
        query_key, value = {"bottleneck": (inner, inner)}.get(attention_input, (hidden, hidden))
        if block.shared_bottleneck is not None:
            query_key = self._at(f"{name}/shared", hidden.through(
                block.shared_bottleneck.dense).normalized(block.shared_bottleneck.norm))
        self._at(f"{name}/inner_0", inner)
        self._at(f"{name}/query", query_key.through(block.query))
        self._at(f"{name}/key", query_key.through(block.key))
        context = self._at(f"{name}/value", value.through(block.value))
        inner = self._at(f"{name}/inner_1", self._added(context, block.attention_output, inner))
        for index, feed_forward in enumerate(block.feed_forwards):
            middle = inner.through(feed_forward.intermediate).rectified()
            self._at(f"{name}/intermediate_{index}", middle)
            inner = self._at(f"{name}/inner_{index + 2}",
                             self._added(middle, feed_forward.output, inner))
        if block.output_bottleneck is None:
            return inner
        return self._added(inner, block.output_bottleneck, hidden)

    def _added(self, moments, dense_norm, residual):
        return moments.through(dense_norm.dense).plus(residual).normalized(dense_norm.norm)


def _of_rows(table):
    table = table.astype(np.float64)
    return _Moments(table.mean(axis=0), table.var(axis=0))


_erf = np.vectorize(math.erf, otypes=[np.float64])


def _normal_cdf(z):
    return (1 + _erf(z / np.sqrt(2))) / 2
