"""Ranges of activations, channel by channel: measured on inputs, or estimated from the weights."""

import dataclasses

import numpy as np

from mobilebert_tf.export.lean.model import Affine, Dense, LeanModel

_BATCH = 16


@dataclasses.dataclass(frozen=True)
class Range:
    """The least and the greatest value of every channel at a place, `(channels,)`; of attention
    logits over all heads and pairs of real tokens, `()`.

    `has_center` tells whether the middle means something, or the width alone.
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


def measured(model: LeanModel, inputs) -> dict[str, Range]:
    """The ranges that a model has on inputs, at every real token.

    Args:
      inputs: `input_word_ids`, `input_mask`, `input_type_ids`, int32 `(examples, length)`.
    Returns: by the places that `lean_graph.outputs` names to its `tap`.
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


def estimated(model: LeanModel) -> dict[str, Range]:
    """Widths that the weights alone let expect, in relation to each other.

    A channel is taken to be as wide as it is written strongly and read weakly: the square root
    of the norm of the weights that write it over that of the weights that read it. Scales that
    training, or somebody's rewriting, happened to give the channels cancel out of it. Source:
    the cross-layer equalization of Nagel et al. 2019 (arXiv:1906.04721), whose ranges of weights
    are norms here, as a channel is written and read by several layers.
    """
    config, blocks, embedding = model.config, model.blocks, model.embedding
    ranges = {}

    def put(place, written, *readers):
        read = np.sqrt(sum(_norms(dense, axis=1) ** 2 for dense in readers))
        width = np.sqrt(written / np.maximum(read, 1e-30 + 1e-9 * read.max()))
        ranges[place] = Range(-width, width, has_center=False)

    written = _norms_after(embedding.norm, _embedded(embedding))
    for index, block in enumerate(blocks):
        put(f"hidden_{index}", written, *_hidden_readers(block, config))
        written = _put_block(f"block_{index}", block, config, written, put)
    if model.head.is_linear:
        put(f"hidden_{len(blocks)}", written, model.head.hidden or model.head.output)
    else:
        ranges[f"hidden_{len(blocks)}"] = Range(-written, written, has_center=False)
    return ranges


def _put_block(name, block, config, hidden, put):
    """Puts the places of a block; returns how strongly its output is written."""
    inner = hidden
    if block.input_bottleneck is not None:
        inner = _norms_after(block.input_bottleneck.norm, _norms(block.input_bottleneck.dense))
    if block.shared_bottleneck is not None:
        put(f"{name}/shared", _norms_after(
            block.shared_bottleneck.norm, _norms(block.shared_bottleneck.dense)),
            block.query, block.key)
    put(f"{name}/value", _norms(block.value), block.attention_output.dense)
    # What reads a key's channel is the query's, and the other way about.
    put(f"{name}/key", _norms(block.key), _transposed(block.query))
    put(f"{name}/query", _norms(block.query), _transposed(block.key))
    firsts = [one.intermediate for one in block.feed_forwards]
    put(f"{name}/inner_0", inner, firsts[0], *(
        [block.query, block.key, block.value] if config.attention_input == "bottleneck" else []))
    inner = _added(block.attention_output, inner)
    put(f"{name}/inner_1", inner, firsts[0])
    for index, one in enumerate(block.feed_forwards):
        put(f"{name}/intermediate_{index}", _norms(one.intermediate), one.output.dense)
        inner = _added(one.output, inner)
        reader = (firsts[index + 1] if index + 1 < len(firsts)
                  else block.output_bottleneck and block.output_bottleneck.dense)
        if reader is not None:
            put(f"{name}/inner_{index + 2}", inner, reader)
    return inner if block.output_bottleneck is None else _added(block.output_bottleneck, hidden)


def _hidden_readers(block, config):
    """The dense layers that read what enters a block."""
    bottlenecks = [one.dense for one in (block.input_bottleneck, block.shared_bottleneck)
                   if one is not None]
    return bottlenecks + {
        "block_input": [block.query, block.key, block.value],
        "shared_bottleneck": [block.value], "bottleneck": []}[config.attention_input]


def _embedded(embedding):
    """How strongly the channels of the embedding's sum are written."""
    words = embedding.word_table.astype(np.float64).std(axis=0)
    if embedding.projection is not None:
        kernel = embedding.projection.kernel.astype(np.float64)
        words = np.sqrt((np.resize(words, len(kernel)) ** 2) @ kernel ** 2)
    tables = (table.astype(np.float64).std(axis=0)
              for table in (embedding.position_table, embedding.type_table) if table is not None)
    return np.sqrt(words ** 2 + sum(table ** 2 for table in tables))


def _norms(dense, axis=0):
    """Of the weights of each unit, or with axis=1 of each feature in."""
    return np.linalg.norm(dense.kernel.astype(np.float64), axis=axis)


def _transposed(dense):
    return Dense(dense.kernel.T, dense.bias)


def _added(dense_norm, residual):
    if dense_norm.residual_scale is not None:
        residual = np.abs(dense_norm.residual_scale) * residual
    return _norms_after(dense_norm.norm, np.hypot(_norms(dense_norm.dense), residual))


def _norms_after(norm, written):
    """How strongly channels are written that a norm has scaled; a LayerNorm writes them anew."""
    match norm:
        case None:
            return written
        case Affine(scale, _):
            return np.abs(scale) * written
    return np.abs(norm.gamma.astype(np.float64))
