"""Every rewrite computes the same function as the Keras model, even for hostile weights."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf import kinds
from mobilebert_tf.export.lean import coordinates, equalizing, places, ranges, rewrites
from mobilebert_tf.export.lean import graph as lean_graph
from mobilebert_tf.export.lean.coordinates import Coordinates
from mobilebert_tf.export.lean.from_keras import from_keras
from mobilebert_tf.export.lean.weights.affine import Affine
from mobilebert_tf.export.lean.weights.dense import LeanDense
from mobilebert_tf.export.lean.weights.dense_norm import LeanDenseNorm
from mobilebert_tf.export.lean.weights.layer_norm import LayerNorm

from ..conftest import KINDS, examples, randomize

EXACT = 3e-6
WRONG = 1e-3

_NO_NORM = {"normalization": "no_norm", "activation": "relu"}
CONFIGS = {
    **{name: mb.presets.get(name)
       for name in ("micro", "micro_tiny", "micro_no_opt", "micro_ib_bert", "micro_bert")},
    # No preset has NoNorm without bottlenecks, or with queries from the block's input.
    "bert_no_norm": dataclasses.replace(mb.presets.get("micro_bert"), **_NO_NORM),
    "ib_bert_no_norm": dataclasses.replace(mb.presets.get("micro_ib_bert"), **_NO_NORM),
    "one_segment": dataclasses.replace(mb.presets.get("micro_bert"), type_vocab_size=1),
    "no_segments": dataclasses.replace(
        mb.presets.get("micro_bert"), type_vocab_size=0, **_NO_NORM),
    "three_segments": dataclasses.replace(mb.presets.get("micro_tiny"), type_vocab_size=3),
}
# The last block is special, the others are alike: two are enough.
CONFIGS = {name: dataclasses.replace(config, num_blocks=2) for name, config in CONFIGS.items()}
POOLERS = ("first_token", "scaled_first_token", "mean", "segment_match", "tanh", "relu",
           "relu_tanh")


def hostile(model, seed=0):
    """Set random weights; half of every norm's gammas are negative, some are tiny, some are 0."""
    random = np.random.default_rng(seed)
    for variable in randomize(model, seed).variables:
        if "gamma" in variable.name:
            gamma = variable.numpy() * random.choice([-1, 1], variable.shape)
            # On both sides of the smallest gamma that is folded away.
            gamma[:6] = [0, 1e-6, -1e-6, 2e-3, -5e-4, 0]
            variable.assign(random.permutation(gamma))
    return model


class Case:
    """A Keras model with its inputs, outputs, LeanModel and ranges."""

    def __init__(self, model):
        self.model, kind = model, kinds.of(model)
        self.lean = from_keras(model, kind)
        inputs = examples(count=6)
        # Two more segments in the later half of each row, as far as the model has them.
        tail = np.cumsum(inputs["input_type_ids"], axis=1) > 2
        inputs["input_type_ids"] = np.clip(
            inputs["input_type_ids"] + tail, 0, max(model.config.type_vocab_size - 1, 0)
        ).astype(np.int32)
        # The last row is a text without tokens.
        inputs["input_mask"][-1] = 0
        self.inputs = inputs
        self.expected = {name: tensor.numpy() for name, tensor in kind.keras_outputs(
            model, {name: tf.constant(values) for name, values in inputs.items()}).items()}
        self.ranges = ranges.measured(self.lean, {
            name: values[:-1] for name, values in inputs.items()})

    def difference(self, lean, rows=slice(-1)):
        """The largest difference to the Keras model, relative to the largest value of an output."""
        actual = lean_graph.outputs(lean, *map(tf.constant, self.inputs.values()))
        assert set(actual) == set(self.expected)
        return max(np.max(np.abs(actual[name][rows] - values[rows])) / np.max(np.abs(values[rows]))
                   for name, values in self.expected.items())


@pytest.fixture(scope="module")
def case():
    """(config name, kind, pooler) -> `Case`; models of a config and pooler share their encoder."""
    encoders, cases = {}, {}

    def of(config, kind, pooler):
        if (config, pooler) not in encoders:
            encoders[config, pooler] = hostile(mb.Encoder(
                dataclasses.replace(CONFIGS[config], pooler=pooler)))
        if (config, kind, pooler) not in cases:
            encoder = encoders[config, pooler]
            weights = encoder.get_weights()
            model = hostile(KINDS[kind](encoder))
            encoder.set_weights(weights)
            cases[config, kind, pooler] = Case(model)
        return cases[config, kind, pooler]

    return of


# Every config, every head and every pooler, with and without NoNorm.
MODELS = [(config, "encoding", "first_token") for config in CONFIGS]
MODELS += [(config, "classification", "first_token")
           for config in ("micro_tiny", "micro_bert", "micro_ib_bert")]
MODELS += [("micro", kind, "first_token") for kind in KINDS if kind != "encoding"]
MODELS += [("micro", "classification", pooler) for pooler in POOLERS[1:]]
MODELS += [("bert_no_norm", "classification", "mean"),
           ("three_segments", "classification", "segment_match"),
           ("micro_bert", "classification", "tanh"), ("micro_bert", "fill_mask", "first_token"),
           ("bert_no_norm", "embedding", "tanh"), ("micro_bert", "embedding", "scaled_first_token")]


def places_of(config):
    """The number of channels at every place whose coordinates may change."""
    found = {}
    is_no_norm = config.normalization == "no_norm"
    for index in range(config.num_blocks):
        inner = []
        if is_no_norm:
            # Without bottlenecks the first and the last are the stream between blocks.
            ends = config.bottleneck_size is not None
            inner = [places.inner(index, number) for number in range(
                0 if ends else 1, config.num_feed_forwards + 1 + ends)]
            if config.attention_input == "shared_bottleneck":
                inner.append(places.shared(index))
        found |= {place: config.width
                  for place in (*inner, places.value(index), places.key(index))}
        if config.activation == "relu":
            found |= {places.intermediate(index, number): config.intermediate_size
                      for number in range(config.num_feed_forwards)}
    if is_no_norm:
        found |= {places.hidden(index): config.hidden_size
                  for index in range(config.num_blocks + 1)}
    return found


def random_coordinates(config, seed=5):
    """Scales of both signs over four magnitudes and shifts, at every place."""
    random = np.random.default_rng(seed)

    def draw(place, channels):
        scale = 10 ** random.uniform(-2, 2, channels)
        if place.kind == "intermediate":
            return Coordinates(scale, np.zeros(1))
        return Coordinates(scale * random.choice([-1, 1], channels), random.normal(size=channels))

    return {place: draw(place, channels) for place, channels in places_of(config).items()}


@pytest.mark.parametrize(("config", "kind", "pooler"), MODELS)
def test_lean_model_is_the_keras_model(config, kind, pooler, case):
    one = case(config, kind, pooler)
    assert one.difference(one.lean, slice(None)) < EXACT


@pytest.mark.parametrize("name", rewrites.REWRITES)
@pytest.mark.parametrize(("config", "kind", "pooler"), [
    *((config, "encoding", "first_token") for config in CONFIGS),
    ("micro", "classification", "first_token"), ("micro", "classification", "mean"),
    ("micro", "classification", "segment_match")])
def test_each_rewrite_is_exact(config, kind, pooler, name, case):
    one = case(config, kind, pooler)
    assert one.difference(rewrites.rewritten(one.lean, [name], one.ranges)) < EXACT


@pytest.mark.parametrize(("config", "kind", "pooler"), MODELS)
def test_all_together_are_exact(config, kind, pooler, case):
    one = case(config, kind, pooler)
    assert one.difference(rewrites.rewritten(one.lean, rewrites.REWRITES, one.ranges)) < EXACT


@pytest.mark.parametrize("pooler", POOLERS)
def test_folding_is_exact_by_estimated_ranges(pooler, case):
    one = case("micro", "classification", pooler)
    assert one.difference(
        rewrites.fold_and_equalize(one.lean, ranges.estimated(one.lean))) < EXACT


@pytest.mark.parametrize(("config", "kind", "pooler"), MODELS)
def test_any_coordinates_are_exact(config, kind, pooler, case):
    one = case(config, kind, pooler)
    chosen = random_coordinates(CONFIGS[config])
    assert one.difference(coordinates.change(one.lean, chosen)) < EXACT


def forgetting_shift(carried):
    return Coordinates(carried.scale, np.zeros(1))


def forgetting_scale(carried):
    return Coordinates(np.ones(1), carried.shift)


def without_beta(norm):
    return Affine(norm.scale, np.zeros_like(norm.shift))


def with_query(change):
    """Change the queries of a block by the scale of its keys."""
    def mutant(real):
        def block(old, config, index, at):
            new = real(old, config, index, at)
            scale = at(places.key(index)).scale.astype(np.float32)
            return dataclasses.replace(new, query=change(new.query, scale))
        return block
    return mutant


MUTANTS = {
    "what reads forgets the shift": ("_read", lambda real: lambda dense, before: real(
        dense, forgetting_shift(before))),
    "what reads forgets the scale": ("_read", lambda real: lambda dense, before: real(
        dense, forgetting_scale(before))),
    "what writes forgets the shift": ("_written", lambda real: lambda dense, after: real(
        dense, forgetting_shift(after))),
    "what writes divides the weights alone": ("_written", lambda real: lambda dense, after:
        LeanDense(dense.kernel / after.scale, dense.bias - after.shift)),
    "what writes multiplies": ("_written", lambda real: lambda dense, after: real(
        dense, Coordinates(1 / after.scale, after.shift))),
    "sums are divided by the new scale": (
        "_added", lambda real: lambda dense, norm, before, after: real(
            dense, norm, Coordinates(after.scale, before.shift), after)),
    "sums forget the residual's shift": (
        "_added", lambda real: lambda dense, norm, before, after: real(
            dense, norm, forgetting_shift(before), after)),
    "sums forget their own shift": (
        "_added", lambda real: lambda dense, norm, before, after: real(
            dense, norm, before, forgetting_shift(after))),
    "sums forget beta": ("_added", lambda real: lambda dense, norm, before, after: real(
        dense, without_beta(norm), before, after)),
    "residuals are not scaled": ("_added", lambda real: lambda *arguments: dataclasses.replace(
        real(*arguments), residual_scale=None)),
    "queries are not scaled": ("_block", with_query(
        lambda query, scale: LeanDense(query.kernel / scale, query.bias / scale))),
    "queries are divided too": ("_block", with_query(
        lambda query, scale: LeanDense(query.kernel / scale ** 2, query.bias / scale ** 2))),
    "queries' biases are not scaled": ("_block", with_query(
        lambda query, scale: LeanDense(query.kernel, query.bias / scale))),
    "segments stay": ("_embedding", lambda real: lambda old, after: dataclasses.replace(
        real(old, after), type_table=old.type_table)),
    "bottlenecks forget beta": ("_bottleneck", lambda real: lambda old, before, after: real(
        LeanDenseNorm(old.dense, without_beta(old.norm)), before, after)),
    "the head reads what it read": ("_head", lambda real: lambda head, hidden: head),
}


@pytest.mark.parametrize("mutant", MUTANTS)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_a_wrong_change_of_coordinates_shows(mutant, case, monkeypatch):
    one = case("micro", "tagging", "first_token")
    name, wrong = MUTANTS[mutant]
    monkeypatch.setattr(coordinates, name, wrong(getattr(coordinates, name)))
    changed = coordinates.change(one.lean, random_coordinates(CONFIGS["micro"]))
    assert not one.difference(changed) < WRONG


def test_keys_may_be_shifted_freely(case):
    """The softmax removes the shift of the keys; nothing has to compensate it."""
    one = case("micro", "tagging", "first_token")
    keys = {places.key(index): Coordinates(np.ones(1), np.full(24, 3.0)) for index in (0, 1)}
    changed = coordinates.change(one.lean, keys)
    assert np.ptp(changed.blocks[0].key.bias - one.lean.blocks[0].key.bias + 3) < 1e-5
    assert one.difference(changed) < EXACT


def test_the_mean_of_no_token_stays_0(case, monkeypatch):
    one = case("micro", "classification", "mean")
    fold = rewrites.fold_and_equalize
    assert one.difference(fold(one.lean, one.ranges), slice(None)) < EXACT
    monkeypatch.setattr(equalizing, "_with_shift_of_zero", lambda carried: carried)
    assert one.difference(fold(one.lean, one.ranges)) < EXACT
    assert one.difference(fold(one.lean, one.ranges), slice(None)) > WRONG


def matmuls(lean):
    graph = tf.Graph()
    with graph.as_default():
        lean_graph.outputs(lean, *(tf.zeros((1, 12), tf.int32) for _ in range(3)))
    return sum("MatMul" in operation.type for operation in graph.get_operations())


@pytest.mark.parametrize(("config", "saved"), [
    ("micro", 3),          # shared bottleneck, value and bottleneck; query and key
    ("micro_tiny", 2),     # query, key and value of the bottleneck
    ("micro_bert", 2),     # of the block's input
    ("micro_ib_bert", 3),  # and the bottleneck
])
def test_merging_saves_matmuls(config, saved, case):
    lean = case(config, "encoding", "first_token").lean
    assert matmuls(lean) - matmuls(rewrites.merge_projections(lean)) == 2 * saved


def lengths_of(lean):
    """The number of computed positions at each place."""
    seen = {}

    def tap(place, tensor):
        seen[place] = tensor.shape[1]
        return tensor

    lean_graph.outputs(lean, *(tf.zeros((1, 12), tf.int32) for _ in range(3)), tap=tap)
    return seen


@pytest.mark.parametrize("config", ["micro", "micro_tiny", "micro_bert", "micro_ib_bert"])
def test_the_last_block_is_cut_to_what_is_read(config, case):
    lengths = lengths_of(rewrites.cut_to_first_position(
        case(config, "classification", "first_token").lean))
    cut = {place for place, length in lengths.items() if length == 1}
    last = [places.intermediate(1, number) for number in range(CONFIGS[config].num_feed_forwards)]
    assert cut >= {*last, places.query(1), places.inner(1, 1), places.hidden(2)}
    assert not cut & {places.key(1), places.value(1), places.shared(1), places.hidden(1)}
    assert not [place for place in cut if place.block == 0]


@pytest.mark.parametrize(("config", "kind", "pooler"), [
    (config, kind, pooler) for config, kind, pooler in MODELS
    if pooler in ("mean", "segment_match")
    or kind not in ("classification", "multi_label", "regression")])
def test_nothing_is_cut_where_all_is_read(config, kind, pooler, case):
    assert not rewrites.cut_to_first_position(case(config, kind, pooler).lean).first_position_only


def test_cutting_what_a_mean_reads_shows(case):
    one = case("micro", "classification", "mean")
    assert one.difference(dataclasses.replace(one.lean, first_position_only=True)) > WRONG


def test_the_query_scale_moves_into_the_weights(case):
    one = case("micro", "tagging", "first_token")
    folded = rewrites.fold_query_scale(one.lean)
    assert folded.attention_scale is None
    forgotten = dataclasses.replace(one.lean, attention_scale=None)
    assert one.difference(forgotten) > WRONG
    biases_forgotten = dataclasses.replace(folded, blocks=tuple(
        dataclasses.replace(new, query=LeanDense(new.query.kernel, old.query.bias))
        for new, old in zip(folded.blocks, one.lean.blocks, strict=True)))
    assert one.difference(biases_forgotten) > WRONG


def test_a_mask_for_half_precision_is_finite_there_and_never_stronger(case):
    lean = case("micro", "tagging", "first_token").lean
    mask_value = rewrites.mask_for_half_precision(lean).mask_value
    # With room for the logit that it is added to.
    assert -60_000 < mask_value < -10_000
    weak = dataclasses.replace(lean, mask_value=-100.0)
    assert rewrites.mask_for_half_precision(weak).mask_value == -100.0


def padding_probability(lean, inputs):
    """The largest ratio of a padded key's probability to that of the best real key."""
    mask, worst = inputs["input_mask"].astype(bool), []

    def tap(place, tensor):
        if place.kind == "logits":
            logits = tensor.numpy().astype(np.float64)  # (batch, heads, queries, keys)
            keys = mask[:, np.newaxis, np.newaxis, :]
            best = np.where(keys, logits, -np.inf).max(axis=-1)
            padded = np.where(keys, -np.inf, logits).max(axis=-1)
            of_queries = np.exp(padded + lean.mask_value - best).transpose(0, 2, 1)
            worst.append(of_queries[mask].max())
        return tensor

    lean_graph.outputs(lean, *map(tf.constant, inputs.values()), tap=tap)
    return max(worst)


@pytest.mark.parametrize("config", ["micro", "micro_tiny"])
def test_a_mask_within_logits_leaves_padding_next_to_nothing(config, case, monkeypatch):
    lean = case(config, "tagging" if config == "micro" else "encoding", "first_token").lean
    inputs = examples()
    found = ranges.measured(lean, inputs)
    masked = rewrites.mask_within_logits(lean, found)
    assert padding_probability(masked, inputs) < np.exp(-16)
    # The mask is not much larger than necessary: int8 has few steps.
    monkeypatch.setattr(rewrites, "MASKED_BELOW", 14.0)
    masked = rewrites.mask_within_logits(lean, found)
    assert padding_probability(masked, inputs) > np.exp(-16)


def norms_of(lean):
    yield lean.embedding.norm
    for block in lean.blocks:
        parts = [block.input_bottleneck, block.shared_bottleneck, block.attention_output,
                 *(one.output for one in block.feed_forwards), block.output_bottleneck]
        yield from (part.norm for part in parts if part is not None)
    yield lean.head.input_norm


def test_layer_norms_stay(case):
    for config in ("micro_no_opt", "micro_bert", "micro_ib_bert"):
        one = case(config, "encoding", "first_token")
        folded = rewrites.fold_and_equalize(one.lean, one.ranges)
        for new, old in zip(norms_of(folded), norms_of(one.lean), strict=True):
            assert type(new) is type(old)
            if isinstance(new, LayerNorm):
                np.testing.assert_array_equal(new.gamma, old.gamma)
