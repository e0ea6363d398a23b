"""Ranges of activations by channel, measured on inputs or estimated from the weights."""

import dataclasses

import numpy as np

from mobilebert_tf.export.lean import places
from mobilebert_tf.export.lean.lean_model import LeanModel
from mobilebert_tf.export.lean.places import Place
from mobilebert_tf.export.lean.weights.affine import Affine
from mobilebert_tf.export.lean.weights.dense import LeanDense

_BATCH = 16


@dataclasses.dataclass(frozen=True)
class Range:
    """The lowest and the highest value of every channel at a place.

    Args:
      low, high: `(channels,)`; `()` for attention logits, over all heads and pairs of real tokens.
      has_center: whether the middle of the range is known; otherwise only its width is.
    """

    low: np.ndarray
    high: np.ndarray
    has_center: bool = True

    @property
    def center(self) -> np.ndarray:
        return (self.low + self.high) / 2

    @property
    def radius(self) -> np.ndarray:
        return (self.high - self.low) / 2


def measured(model: LeanModel, inputs) -> dict[Place, Range]:
    """Run a model on inputs; return the ranges over all real tokens, by place.

    Args:
      inputs: `input_word_ids`, `input_mask`, `input_type_ids`, int32 `(examples, length)`.
    """
    import tensorflow as tf

    from mobilebert_tf.export.lean import graph as lean_graph

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


def estimated(model: LeanModel) -> dict[Place, Range]:
    """Estimate from the weights how wide the ranges are in relation to each other, by place.

    A channel is wide if large weights write it and small weights read it: its width is the square
    root of the norm of the weights that write it over the norm of those that read it. Scales that
    training gave the channels by chance cancel out. Source: the cross-layer equalization of Nagel
    et al. 2019 (arXiv:1906.04721). It uses ranges of weights; here they are norms, since several
    layers write and read a channel.
    """
    config, blocks, embedding = model.config, model.blocks, model.embedding
    ranges = {}

    def put(place, written, *readers):
        read = np.sqrt(sum(_norms(dense, axis=1) ** 2 for dense in readers))
        width = np.sqrt(written / np.maximum(read, 1e-30 + 1e-9 * read.max()))
        ranges[place] = Range(-width, width, has_center=False)

    written = _norms_after(embedding.norm, _embedded(embedding))
    for index, block in enumerate(blocks):
        put(places.hidden(index), written, *_hidden_readers(block, config))
        written = _put_block(index, block, config, written, put)
    last = places.hidden(len(blocks))
    if model.head.is_linear:
        put(last, written, model.head.hidden or model.head.output)
    else:
        ranges[last] = Range(-written, written, has_center=False)
    return ranges


def _put_block(index, block, config, hidden, put):
    """Put the places of a block; return the norms of the weights that write its output."""
    inner = hidden
    if block.input_bottleneck is not None:
        inner = _norms_after(block.input_bottleneck.norm, _norms(block.input_bottleneck.dense))
    if block.shared_bottleneck is not None:
        put(places.shared(index), _norms_after(
            block.shared_bottleneck.norm, _norms(block.shared_bottleneck.dense)),
            block.query, block.key)
    put(places.value(index), _norms(block.value), block.attention_output.dense)
    # Queries read the channels of keys, and keys those of queries.
    put(places.key(index), _norms(block.key), _transposed(block.query))
    put(places.query(index), _norms(block.query), _transposed(block.key))
    firsts = [one.intermediate for one in block.feed_forwards]
    put(places.inner(index, 0), inner, firsts[0], *(
        [block.query, block.key, block.value] if config.attention_input == "bottleneck" else []))
    inner = _added(block.attention_output, inner)
    put(places.inner(index, 1), inner, firsts[0])
    for number, one in enumerate(block.feed_forwards):
        put(places.intermediate(index, number), _norms(one.intermediate), one.output.dense)
        inner = _added(one.output, inner)
        reader = (firsts[number + 1] if number + 1 < len(firsts)
                  else block.output_bottleneck and block.output_bottleneck.dense)
        if reader is not None:
            put(places.inner(index, number + 2), inner, reader)
    return inner if block.output_bottleneck is None else _added(block.output_bottleneck, hidden)


def _hidden_readers(block, config):
    """The dense layers that read a block's input."""
    bottlenecks = [one.dense for one in (block.input_bottleneck, block.shared_bottleneck)
                   if one is not None]
    return bottlenecks + {
        "block_input": [block.query, block.key, block.value],
        "shared_bottleneck": [block.value], "bottleneck": []}[config.attention_input]


def _embedded(embedding):
    """The norms of the tables that write the channels of the embedding's sum."""
    words = embedding.word_table.astype(np.float64).std(axis=0)
    if embedding.projection is not None:
        kernel = embedding.projection.kernel.astype(np.float64)
        words = np.sqrt((np.resize(words, len(kernel)) ** 2) @ kernel ** 2)
    tables = (table.astype(np.float64).std(axis=0)
              for table in (embedding.position_table, embedding.type_table) if table is not None)
    return np.sqrt(words ** 2 + sum(table ** 2 for table in tables))


def _norms(dense, axis=0):
    """The norms of the weights of each unit, or with axis=1 of each input feature."""
    return np.linalg.norm(dense.kernel.astype(np.float64), axis=axis)


def _transposed(dense):
    return LeanDense(dense.kernel.T, dense.bias)


def _added(dense_norm, residual):
    if dense_norm.residual_scale is not None:
        residual = np.abs(dense_norm.residual_scale) * residual
    return _norms_after(dense_norm.norm, np.hypot(_norms(dense_norm.dense), residual))


def _norms_after(norm, written):
    """The norms of the weights that write channels, after a norm; a LayerNorm replaces them."""
    match norm:
        case None:
            return written
        case Affine(scale, _):
            return np.abs(scale) * written
    return np.abs(norm.gamma.astype(np.float64))
