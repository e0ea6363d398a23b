"""Make a trained model as hard to quantize as the published one, without changing its answers.

NoNorm leaves the scale of every channel of a residual stream free. `rescaled` chooses scales at
random, channel by channel, until each place is as wide as the published MobileBERT's, most
channels are orders of magnitude narrower than the widest, and from the middle on [CLS] reaches
1e7 between blocks, in the channels that are read most.
"""

import csv

import numpy as np

from mobilebert_tf.models.classifier import Classifier

# The names of NoNorms in the table of the published model's ranges, by place in a block.
# google-research numbers the stacked feed-forwards from 0 and leaves the last one unnamed.
_NORM_OUTPUT = {
    "input_bottleneck": "bottleneck/input/norm", "shared_bottleneck": "bottleneck/attention/norm",
    "attention_output": "attention/output/norm", "feed_forward_0": "ffn_layer_0/output/norm",
    "feed_forward_1": "ffn_layer_1/output/norm", "feed_forward_2": "ffn_layer_2/output/norm",
    "feed_forward_3": "output/norm", "output_bottleneck": "output/bottleneck/norm",
}
_OUTPUT_INDEX = "2"
_DECADES = 3.0  # from the widest channel of a place to the narrowest
_LOUDEST = 1e7
_LOUD = 0.9  # part of the channels that reach it, give or take a decade


def published_widths(path):
    """(block, place in our names) -> largest absolute output of the published model's NoNorm."""
    places = {theirs: ours for ours, theirs in _NORM_OUTPUT.items()}
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader((line for line in file if line[0] != "#"), delimiter="\t")
        return {
            (int(row["block"]), places[row["place"]]): max(-float(row["min"]), float(row["max"]))
            for row in rows if row["place"] in places and row["index"] == _OUTPUT_INDEX}


def rescaled(model, inputs, widths, seed=0):
    """Return a classifier that computes the same as `model`, with channels of other scales.

    Args:
      model: a `Classifier` on a NoNorm encoder with shared bottlenecks.
      inputs: encoder inputs whose widths the new model is to have.
      widths: `published_widths`.
    """
    random = np.random.default_rng(seed)
    copy = Classifier.from_config(model.get_config())
    copy.set_weights(model.get_weights())
    encoder = copy.encoder
    activations = _norm_outputs(encoder, inputs)
    count = len(encoder.blocks)

    def scales(place, width, loud=None):
        """Factors for the channels of a place: its widest gets `width`, the others less."""
        reach = np.abs(activations[place]).reshape(-1, activations[place].shape[-1]).max(axis=0)
        targets = width * 10 ** -random.uniform(0, _DECADES, reach.shape)
        targets[random.integers(reach.size)] = width
        if loud is not None:
            targets[loud] = _LOUDEST * 10 ** -random.uniform(0, 1, loud.shape)
            targets[loud[0]] = _LOUDEST
        return targets / np.maximum(reach, 1e-3 * reach.max())

    # Blocks of the published model at like depth.
    depth = {index: round(index * 23 / max(count - 1, 1)) for index in range(count)}
    hidden = scales("embedding", widths[0, "output_bottleneck"])
    _scale_norm(encoder.embedding.norm, 1.0, hidden)
    for index, block in enumerate(encoder.blocks):
        at = {name: scales((index, name), widths[depth[index], name]) for name in _NORM_OUTPUT
              if name != "output_bottleneck"}
        place = (index, "output_bottleneck")
        loud = None if index < count // 2 else _most_read(activations[place], [copy.head] if (
            index == count - 1) else _readers(encoder.blocks[index + 1]))
        after = scales(place, widths[depth[index], "output_bottleneck"], loud)
        inner, shared = at["input_bottleneck"], at["shared_bottleneck"]
        for layer, scale in ((block.input_bottleneck, inner), (block.shared_bottleneck, shared)):
            _scale_rows(layer.dense, hidden)
            _scale_norm(layer.norm, 1.0, scale)
        _scale_rows(block.attention.value, hidden)
        _scale_rows(block.attention.query, shared)
        _scale_rows(block.attention.key, shared)
        inner = _scale_sum(block.attention_output, inner, at["attention_output"])
        for number, layer in enumerate(block.feed_forwards):
            _scale_rows(layer.intermediate, inner)
            inner = _scale_sum(layer.output_dense, inner, at[f"feed_forward_{number}"])
        _scale_rows(block.output_bottleneck.dense, inner)
        hidden = _scale_sum(block.output_bottleneck, hidden, after)
    _scale_rows(copy.head, hidden)
    return copy


def _readers(block):
    return [block.input_bottleneck.dense, block.shared_bottleneck.dense, block.attention.value]


def _most_read(states, readers):
    """The channels whose states at [CLS] change the next layers most, in descending order."""
    moves = states[:, 0].std(axis=0) * np.linalg.norm(
        np.concatenate([dense.kernel.numpy() for dense in readers], axis=1), axis=1)
    return np.argsort(-moves)[:round(_LOUD * moves.size)]


def _scale_rows(dense, scale):
    """Compensate inputs that are `scale` times as large as before."""
    dense.kernel.assign(dense.kernel / scale[:, np.newaxis])


def _scale_norm(norm, before, after):
    """Make inputs `before` times and outputs `after` times as large."""
    norm.gamma.assign(norm.gamma * (after / before))
    norm.beta.assign(norm.beta * after)


def _scale_sum(dense_norm, before, after):
    """Make the residual `before` times and the sum `after` times as large."""
    dense_norm.dense.kernel.assign(dense_norm.dense.kernel * before)
    dense_norm.dense.bias.assign(dense_norm.dense.bias * before)
    _scale_norm(dense_norm.norm, before, after)
    return after


def _norm_outputs(encoder, inputs):
    """The outputs of all NoNorms, by "embedding" or (block, place)."""
    found = {}

    def watch(norm, place):
        call = norm.call

        def calling(values):
            found[place] = np.asarray(call(values))
            return call(values)

        norm.call = calling
        return norm, call

    watched = [watch(encoder.embedding.norm, "embedding")]
    for index, block in enumerate(encoder.blocks):
        layers = {"input_bottleneck": block.input_bottleneck,
                  "shared_bottleneck": block.shared_bottleneck,
                  "attention_output": block.attention_output,
                  "output_bottleneck": block.output_bottleneck,
                  **{f"feed_forward_{number}": one.output_dense
                     for number, one in enumerate(block.feed_forwards)}}
        watched += [watch(layer.norm, (index, name)) for name, layer in layers.items()]
    hidden = encoder.embedding(inputs["input_word_ids"], inputs["input_type_ids"])
    mask = (1.0 - inputs["input_mask"][:, np.newaxis, np.newaxis, :].astype(np.float32)) * -1e30
    for block in encoder.blocks:
        hidden, _ = block(hidden, mask)
    for norm, call in watched:
        norm.call = call
    return found
