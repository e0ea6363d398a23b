"""Counts of a config equal those of the built model, and the published ones."""

import dataclasses
import functools

import pytest

import mobilebert_tf as mb
from mobilebert_tf import counting, presets

MICRO = [name for name in presets.names() if not presets.describe(name).published]
# Building these takes seconds and gigabytes.
LARGE = [name for name in presets.names() if name not in MICRO]


def count_by_component(encoder):
    """Values of a built encoder, grouped by the layer that owns them."""
    counts = dict.fromkeys(
        ("embedding", "input_bottleneck", "shared_bottleneck", "attention", "feed_forward",
         "output_bottleneck", "pooler"), 0)

    def add(component, *layers):
        counts[component] += sum(layer.count_params() for layer in layers if layer is not None)

    add("embedding", encoder.embedding)
    add("pooler", encoder.pooler)
    for block in encoder.blocks:
        add("input_bottleneck", block.input_bottleneck)
        add("shared_bottleneck", block.shared_bottleneck)
        add("attention", block.attention, block.attention_output)
        add("feed_forward", *block.feed_forwards)
        add("output_bottleneck", block.output_bottleneck)
    return counts


@functools.cache
def check(config):
    """Once for a config: presets that differ in depth alone are the same when cut to two blocks."""
    encoder = mb.Encoder(config)
    counted = counting.parameters(config)
    assert counted.total == encoder.count_params()
    assert counted.components == count_by_component(encoder)


@pytest.mark.parametrize("name", MICRO)
def test_equal_to_the_built_model(name):
    check(presets.get(name))


@pytest.mark.parametrize("name", LARGE)
def test_equal_to_the_built_model_of_two_blocks(name):
    """Depth is a factor, and a narrow vocabulary keeps the test small: no more is left to count."""
    config = presets.get(name)
    small = dataclasses.replace(config, num_blocks=2, vocab_size=10)
    check(small)
    whole, two = (counting.parameters(one).components for one in (config, small))
    assert whole.pop("embedding") - two.pop("embedding") == (
        config.vocab_size - 10) * config.embedding_size
    assert whole.pop("pooler") == two.pop("pooler")
    assert len(two) == 5
    assert whole == {name: count * config.num_blocks // 2 for name, count in two.items()}


@pytest.mark.slow
def test_equal_to_the_built_model_at_full_size():
    check(presets.get("mobilebert"))


@pytest.mark.parametrize("changes", [
    {"type_vocab_size": 0}, {"trigram_input": False}, {"pooler": "mean"}, {"pooler": "tanh"},
    {"num_feed_forwards": 1}, {"embedding_size": 48}])
def test_equal_to_the_built_model_of_other_configs(changes):
    check(dataclasses.replace(presets.get("micro"), num_blocks=1, **changes))


@pytest.mark.parametrize(("name", "count"), [
    ("mobilebert", 24_581_888), ("mobilebert_no_opt", 24_581_888),
    ("mobilebert_tiny", 15_485_696), ("ib_bert_large", 294_467_840),
    ("bert_base", 109_482_240), ("distilbert", 66_362_880), ("bert_large", 335_141_888),
    ("bert_base_6l", 66_955_008), ("tinybert_6l", 66_955_008), ("bert_base_4l", 52_779_264),
    ("bert_base_3l", 45_691_392), ("tinybert_4l", 14_350_248), ("bert_tiny", 4_385_920),
    ("bert_mini", 11_170_560), ("bert_small", 28_763_648), ("bert_medium", 41_373_184),
    ("minilm_6l_384", 22_713_216), ("minilm_12l_384", 33_360_000)])
def test_published_counts(name, count):
    assert counting.parameters(presets.get(name)).total == count


def test_components_of_mobilebert():
    """By hand, per block: 65,920 bottlenecks; attention 16,512 x 2 + 65,664 + 16,768."""
    assert counting.parameters(presets.get("mobilebert")).components == {
        "embedding": 4_368_128, "input_bottleneck": 24 * 65_920, "shared_bottleneck": 24 * 65_920,
        "attention": 24 * 115_456, "feed_forward": 24 * 527_872, "output_bottleneck": 24 * 67_072,
        "pooler": 0}


def test_flops_by_hand():
    # hidden 48, embedding 16, width 24, intermediate 40, 3 feed-forwards, 3 blocks; 10 tokens.
    found = counting.flops(presets.get("micro"), sequence_length=10)
    assert found.components == {
        "embedding": 2 * 10 * 48 * 48,  # from 3 x 16
        "input_bottleneck": 3 * 2 * 10 * 48 * 24,
        "shared_bottleneck": 3 * 2 * 10 * 48 * 24,
        # Queries, keys, values, output; then logits and context, 24 over all heads.
        "attention": 3 * 2 * (10 * (24 * 24 * 2 + 48 * 24 + 24 * 24) + 2 * 10 * 10 * 24),
        "feed_forward": 3 * 2 * 10 * 3 * (24 * 40 + 40 * 24),
        "output_bottleneck": 3 * 2 * 10 * 24 * 48,
        "pooler": 0}
    assert found.total == sum(found.components.values())


def test_flops_of_berts_pooler_are_for_one_token():
    short, long = (counting.flops(presets.get("micro_bert"), length) for length in (10, 20))
    assert short.components["pooler"] == long.components["pooler"] == 2 * 48 * 48
    assert short.components["embedding"] == 0
    assert long.components["feed_forward"] == 2 * short.components["feed_forward"]
    assert long.components["attention"] > 2 * short.components["attention"]


@pytest.mark.parametrize(("name", "share"), [
    # The published MobileBERT seems to have queries and keys that share no bottleneck.
    ("mobilebert", 0.06), ("mobilebert_tiny", 0.02), ("bert_base", 0.02)])
def test_flops_at_length_128_are_near_the_published_ones(name, share):
    found = counting.flops(presets.get(name)).total
    assert found == pytest.approx(presets.describe(name).paper_flops, rel=share)
    assert found == counting.flops(presets.get(name), 128).total
