"""The TensorFlow graph of a LeanModel: what an exported file computes, with few operations.

It is written for the runtimes. XNNPACK takes no shrinking slices. GPU delegates have computed
tensors of rank 2 and transposed matmul operands wrongly, so ranks are 3 and 4 and no operand is
transposed. GPU delegates gather only by word ids of one dimension.
"""

import numpy as np
import tensorflow as tf

from mobilebert_tf.export.lean import places
from mobilebert_tf.export.lean.lean_model import LeanModel
from mobilebert_tf.export.lean.weights.affine import Affine
from mobilebert_tf.export.lean.weights.layer_norm import LayerNorm

# A smaller constant would be 0 in a file with weights of half precision.
_LEAST_OF_FLOAT16 = 2.0 ** -14

_ACTIVATIONS = {
    None: lambda x: x,
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "gelu": tf.nn.gelu,
    "gelu_tanh": lambda x: tf.nn.gelu(x, approximate=True),
    "tanh": tf.math.tanh,
    "relu_tanh": lambda x: tf.nn.relu(tf.math.tanh(x)),
}


def outputs(model: LeanModel, ids, mask, segment_ids, tap=lambda place, tensor: tensor) -> dict:
    """Compute a model.

    Args:
      model: the weights and how they are used; kernels and the word table may be variables.
      ids, mask, segment_ids: int32 `(batch, length)`, length static; values out of range are
        clamped. An exported file has a batch of 1.
      tap: (`places.Place`, tensor) -> the tensor to go on with; called at every place.

    Returns:
      the outputs of the file by name; see `convert.to_tflite`.
    """
    config = model.config
    ids = tf.clip_by_value(ids, 0, config.vocab_size - 1)
    mask = tf.cast(tf.clip_by_value(mask, 0, 1), tf.float32)
    with tf.name_scope("embedding"):
        hidden = tap(places.hidden(0), _embed(model.embedding, config, ids, segment_ids))
    with tf.name_scope(places.MASK_SCOPE):
        padding = tf.reshape((1.0 - mask) * model.mask_value, (-1, 1, 1, mask.shape[1]))
    for index in range(len(model.blocks)):
        with tf.name_scope(places.scope(index)):
            hidden = _block(model, index, hidden, padding, tap)
        hidden = tap(places.hidden(index + 1), hidden)
    with tf.name_scope("head"):
        return model.head.kind.graph_outputs(_head(model, hidden, mask, segment_ids))


def _embed(embedding, config, ids, segment_ids):
    length = ids.shape[1]
    words = tf.gather(tf.convert_to_tensor(embedding.word_table), tf.reshape(ids, (-1,)))
    words = tf.reshape(words, (-1, length, config.embedding_size))
    if config.trigram_input:
        padded = tf.pad(words, ((0, 0), (1, 1), (0, 0)))
        words = tf.concat([padded[:, 2:], words, padded[:, :-2]], axis=-1)
    if embedding.projection is not None:
        words = _dense(words, embedding.projection)
    positions = embedding.position_table[:length]
    types = embedding.type_table
    if types is not None:
        # The position table takes the first segment; the others are added as a sum. A look-up of
        # two rows would run on slower kernels, and GPU delegates have computed it wrongly.
        positions = positions + types[0]
        for segment in range(1, len(types)):
            chosen = (segment_ids >= segment) if segment == len(types) - 1 else (
                segment_ids == segment)
            words += tf.cast(chosen, tf.float32)[:, :, tf.newaxis] * (types[segment] - types[0])
    if embedding.projection is None and (types is None or len(types) == 1):
        # The converter would add the table to the gathered words, `(length, width)`. There GPU
        # delegates add the table's first row to every word. An axis of 1 prevents that.
        words = tf.reshape(words, (-1, length, 1, config.embedding_size))
        words = tf.reshape(words + positions[:, np.newaxis], (-1, length, config.embedding_size))
        return _normalized(words, embedding.norm)
    # Words first: GPU delegates have computed sums of two constants of rank 2 wrongly.
    return _normalized(words + positions, embedding.norm)


def _block(model, index, hidden, padding, tap):
    block, attention_input = model.blocks[index], model.config.attention_input
    first_only = model.first_position_only and index == len(model.blocks) - 1
    cut = _first_position if first_only else (lambda tensor: tensor)

    def project(tensor, everywhere, where_computed):
        """Outputs of dense layers that read one tensor, at every position or only the needed ones.
        """
        if not first_only:
            return _parallel(tensor, [*everywhere, *where_computed], model.merged)
        return [*_parallel(tensor, everywhere, model.merged),
                *_parallel(cut(tensor), where_computed, model.merged)]

    bottlenecks = [] if block.input_bottleneck is None else [block.input_bottleneck.dense]
    if attention_input == "shared_bottleneck":
        shared, value, inner = project(
            hidden, [block.shared_bottleneck.dense, block.value], bottlenecks)
        shared = tap(places.shared(index), _normalized(shared, block.shared_bottleneck.norm))
        key, query = project(shared, [block.key], [block.query])
    elif attention_input == "bottleneck":
        (inner,) = _parallel(hidden, bottlenecks, model.merged)
        inner = _normalized(inner, block.input_bottleneck.norm)
        key, value, query = project(inner, [block.key, block.value], [block.query])
        inner = cut(inner)
    else:
        key, value, query, *inner = project(hidden, [block.key, block.value],
                                            [block.query, *bottlenecks])
        inner = inner[0] if inner else cut(hidden)
    if attention_input != "bottleneck" and block.input_bottleneck is not None:
        inner = _normalized(inner, block.input_bottleneck.norm)
    inner = tap(places.inner(index, 0), inner)
    query, key, value = (tap(place(index), tensor) for place, tensor in (
        (places.query, query), (places.key, key), (places.value, value)))
    context = _attention(model, query, key, value, padding,
                         lambda logits: tap(places.logits(index), logits))
    inner = tap(places.inner(index, 1), _dense_norm(context, block.attention_output, inner))
    for number, feed_forward in enumerate(block.feed_forwards):
        middle = _dense(inner, feed_forward.intermediate, model.config.activation)
        middle = tap(places.intermediate(index, number), middle)
        inner = tap(places.inner(index, number + 2), _dense_norm(
            middle, feed_forward.output, inner))
    if block.output_bottleneck is None:
        return inner
    return _dense_norm(inner, block.output_bottleneck, cut(hidden))


def _attention(model, query, key, value, padding, tap_logits):
    heads, size = model.config.num_heads, model.config.head_size
    if model.attention_scale is not None:
        query = query * model.attention_scale

    def split(tensor, order):
        return tf.transpose(tf.reshape(tensor, (-1, tensor.shape[1], heads, size)), order)

    # (batch, heads, positions, size), but keys (batch, heads, size, positions)
    query, key, value = split(query, (0, 2, 1, 3)), split(key, (0, 2, 3, 1)), split(
        value, (0, 2, 1, 3))
    logits = tap_logits(tf.matmul(query, key))
    with tf.name_scope(places.MASK_SCOPE):
        logits = logits + padding
    context = tf.matmul(tf.nn.softmax(logits), value)
    context = tf.transpose(context, (0, 2, 1, 3))
    return tf.reshape(context, (-1, context.shape[1], heads * size))


def _head(model, hidden, mask, segment_ids):
    """Compute the logits; or the states if the head has no output layer."""
    head, activation = model.head, model.config.activation
    states = _normalized(hidden, head.input_norm)
    if head.unit_length:
        with tf.name_scope("sentence"):
            return _unit_length(_pool(head.pooler, states, mask, segment_ids))
    if head.pooler is not None:
        # A pooler with a dense layer is named after its activation.
        states, activation = _pool(head.pooler, states, mask, segment_ids), head.pooler
    if head.hidden is not None:
        states = _dense(states, head.hidden, activation)
    states = _normalized(states, head.norm)
    return states if head.output is None else _dense(states, head.output)


def _pool(kind, states, mask, segment_ids):
    width = states.shape[2]
    if kind == "mean":
        return _mean(states, mask)
    if kind == "segment_match":
        later = tf.cast(segment_ids >= 1, tf.float32)
        first = _scaled(_mean(states, mask * (1.0 - later)))
        second = _scaled(_mean(states, mask * later))
        return tf.concat([first, second, tf.abs(first - second), first * second], axis=-1)
    first = tf.reshape(_first_position(states), (-1, width))
    return _scaled(first) if kind == "scaled_first_token" else first


def _scaled(vectors):
    """Divide vectors by the root of their mean square; 0 stays 0."""
    with tf.name_scope("length"):
        vectors = _at_most_one(vectors)
        mean_square = tf.reduce_mean(vectors * vectors, axis=-1, keepdims=True)
        return vectors * tf.math.rsqrt(tf.maximum(mean_square, 1.0 / vectors.shape[-1]))


def _mean(states, chosen):
    chosen = chosen[:, :, tf.newaxis]
    count = tf.maximum(tf.reduce_sum(chosen, axis=1), 1.0)
    return tf.reduce_sum(states * chosen, axis=1) / count


def _unit_length(vectors):
    """Divide vectors by their lengths; 0 stays 0."""
    vectors = _at_most_one(vectors)
    square = tf.reduce_sum(vectors * vectors, axis=-1, keepdims=True)
    return vectors * tf.math.rsqrt(tf.maximum(square, 1.0))  # below 1 only for 0


def _at_most_one(vectors):
    """Divide vectors by their largest value; 0 stays 0.

    GPUs compute in float16, which holds neither large nor small squares.
    """
    largest = tf.reduce_max(tf.abs(vectors), axis=-1, keepdims=True)
    return vectors / tf.maximum(largest, _LEAST_OF_FLOAT16)


def _first_position(tensor):
    return tensor[:, :1]


def _dense(tensor, dense, activation=None):
    product = tf.matmul(tensor, tf.convert_to_tensor(dense.kernel))
    return _ACTIVATIONS[activation](product + dense.bias)


def _parallel(tensor, denses, merged):
    """Outputs of dense layers of one width that read the same tensor."""
    if not merged or len(denses) < 2:
        return [_dense(tensor, dense) for dense in denses]
    kernel = tf.concat([dense.kernel for dense in denses], axis=1)
    bias = tf.concat([dense.bias for dense in denses], axis=0)
    return tf.split(tf.matmul(tensor, kernel) + bias, len(denses), axis=-1)


def _dense_norm(tensor, dense_norm, residual):
    if dense_norm.residual_scale is not None:
        residual = residual * dense_norm.residual_scale
    return _normalized(_dense(tensor, dense_norm.dense) + residual, dense_norm.norm)


def _normalized(tensor, norm):
    match norm:
        case None:
            return tensor
        case Affine(scale, shift):
            return tensor * scale + shift
        case LayerNorm(gamma, beta, epsilon):
            with tf.name_scope("layer_norm"):
                mean, variance = tf.nn.moments(tensor, -1, keepdims=True)
                return (tensor - mean) * (tf.math.rsqrt(variance + epsilon) * gamma) + beta
    raise TypeError(f"not a norm: {norm!r}")
