"""TransformerBlock: which member has which parts; values are in test_parity."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf.layers.block import TransformerBlock

MICRO = ["micro", "micro_tiny", "micro_no_opt", "micro_ib_bert", "micro_bert"]


@pytest.mark.parametrize("preset", MICRO)
def test_as_a_layer(run_layer_test, preset, attention_mask):
    config = dataclasses.replace(mb.presets.get(preset), attention_dropout=0.0, hidden_dropout=0.0)
    states = np.random.default_rng(1).normal(size=(2, 5, 48)).astype("f4")
    # float32 gradients of a key bias are exact zeros only by chance: logits are an output here.
    run_layer_test(lambda: TransformerBlock(config), [states, attention_mask])


@pytest.mark.parametrize(("preset", "has", "has_not"), [
    ("micro", ["input_bottleneck", "shared_bottleneck", "output_bottleneck"], []),
    ("micro_tiny", ["input_bottleneck", "output_bottleneck"], ["shared_bottleneck"]),
    ("micro_ib_bert", ["input_bottleneck", "output_bottleneck"], ["shared_bottleneck"]),
    ("micro_bert", [], ["input_bottleneck", "shared_bottleneck", "output_bottleneck"])])
def test_parts(preset, has, has_not):
    config = mb.presets.get(preset)
    block = TransformerBlock(config)
    assert [name for name in has if getattr(block, name) is None] == []
    assert [name for name in has_not if getattr(block, name) is not None] == []
    assert len(block.feed_forwards) == config.num_feed_forwards


def test_only_the_last_feed_forward_has_the_epsilon_of_transformers():
    block = TransformerBlock(dataclasses.replace(
        mb.presets.get("micro_no_opt"), embedding_and_output_norm_epsilon=1e-5))
    found = [feed_forward.output_dense.norm.epsilon for feed_forward in block.feed_forwards]
    assert found == [1e-12, 1e-12, 1e-5]
    for part in (block.input_bottleneck, block.attention_output, block.output_bottleneck):
        assert part.norm.epsilon == 1e-12


def test_takes_its_config_as_a_dict():
    config = mb.presets.get("micro")
    assert TransformerBlock(config.to_dict()).config == config


def test_dropout_rates_are_those_of_the_references():
    """Inside a bottleneck there is none but attention's; BERT has it before every residual."""
    mobile = TransformerBlock(dataclasses.replace(
        mb.presets.get("micro"), hidden_dropout=0.3, attention_dropout=0.2))
    assert mobile.attention.dropout.rate == 0.2
    assert mobile.output_bottleneck.dropout.rate == 0.3
    for part in (mobile.input_bottleneck, mobile.shared_bottleneck, mobile.attention_output,
                 *(feed_forward.output_dense for feed_forward in mobile.feed_forwards)):
        assert part.dropout.rate == 0.0
    bert = TransformerBlock(dataclasses.replace(
        mb.presets.get("micro_bert"), hidden_dropout=0.3, attention_dropout=0.2))
    assert bert.attention.dropout.rate == 0.2
    assert bert.attention_output.dropout.rate == 0.3
    assert bert.feed_forwards[0].output_dense.dropout.rate == 0.3


def in_a_model(block, length):
    """The block's outputs in a functional model."""
    hidden = keras.Input((length, block.config.hidden_size))
    return block(hidden, keras.Input((1, 1, length)))


def types(outputs):
    return tf.nest.map_structure(lambda output: output.type_spec, outputs)


@pytest.fixture(params=["float32", "mixed_bfloat16"])
def policy(request):
    before = keras.mixed_precision.global_policy()
    keras.mixed_precision.set_global_policy(request.param)
    yield
    keras.mixed_precision.set_global_policy(before)


@pytest.mark.usefixtures("policy")
@pytest.mark.parametrize("length", [None, 7])
@pytest.mark.parametrize("preset", MICRO)
def test_a_model_is_built_as_by_calling_the_block_but_without_it(
        monkeypatch, preset, length):
    config = mb.presets.get(preset)
    keras.utils.set_random_seed(1)
    called = TransformerBlock(config, name="block_0")
    monkeypatch.setattr(called, "build", lambda shape: None)
    monkeypatch.setattr(called, "output_specs", lambda *inputs: None)
    wanted = in_a_model(called, length)

    keras.utils.set_random_seed(1)
    block = TransformerBlock(config, name="block_0")
    monkeypatch.setattr(block, "call", None)
    assert types(in_a_model(block, length)) == types(wanted)
    assert [variable.name for variable in block.variables] == [
        variable.name for variable in called.variables]
    for variable, other in zip(block.variables, called.variables, strict=True):
        np.testing.assert_array_equal(variable, other)
