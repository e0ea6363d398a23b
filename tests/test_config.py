"""EncoderConfig: what cannot be is refused by name, and a config is its JSON."""

import dataclasses
import json
import math

import pytest

from mobilebert_tf import presets
from mobilebert_tf.config import EncoderConfig

RIGHT = presets.get("micro")
PLAIN = presets.get("micro_bert")


@pytest.mark.parametrize(("field", "value"), [
    *((field, value) for field in (
        "vocab_size", "hidden_size", "num_blocks", "num_heads", "intermediate_size",
        "embedding_size", "num_feed_forwards", "max_positions", "bottleneck_size")
      for value in (0, -1, 2.0, "8", True)),
    *((field, None) for field in ("vocab_size", "hidden_size", "num_blocks")),
    ("type_vocab_size", -1), ("type_vocab_size", 1.5), ("type_vocab_size", False),
    ("trigram_input", 1), ("trigram_input", "yes"), ("trigram_input", None),
    ("attention_input", "shared"), ("activation", "swish"), ("activation", None),
    ("normalization", "batch_norm"), ("pooler", "max"), ("pooler", True),
    *((field, value) for field in (
        "hidden_dropout", "attention_dropout", "layer_norm_epsilon",
        "embedding_and_output_norm_epsilon", "initializer_range", "attention_mask_value")
      for value in ("0.5", True, [0.5])),
    *((field, None) for field in ("hidden_dropout", "layer_norm_epsilon", "initializer_range")),
    ("hidden_dropout", 1.0), ("hidden_dropout", -0.1), ("hidden_dropout", math.nan),
    ("attention_dropout", 1), ("attention_dropout", -1e-9),
    ("layer_norm_epsilon", 0), ("layer_norm_epsilon", -1e-5), ("layer_norm_epsilon", math.nan),
    ("embedding_and_output_norm_epsilon", 0.0), ("embedding_and_output_norm_epsilon", -1.0),
    ("initializer_range", 0), ("initializer_range", math.inf),
    ("attention_mask_value", 0), ("attention_mask_value", 5.0),
    ("attention_mask_value", -math.inf), ("attention_mask_value", -4e38),
    ("num_heads", 5), ("num_heads", 48)])
def test_an_illegal_value_is_named(field, value):
    with pytest.raises(ValueError, match=f"`{field}` should .*Received: {field}="):
        dataclasses.replace(RIGHT, **{field: value})


@pytest.mark.parametrize("attention_input", ["shared_bottleneck", "bottleneck"])
def test_an_attention_input_from_a_bottleneck_needs_one(attention_input):
    with pytest.raises(ValueError, match="`attention_input` should be block_input"):
        dataclasses.replace(PLAIN, attention_input=attention_input)


@pytest.mark.parametrize("segments", [0, 1])
def test_two_segments_are_needed_to_match_them(segments):
    with pytest.raises(ValueError, match="`pooler` should not be segment_match where"):
        dataclasses.replace(RIGHT, pooler="segment_match", type_vocab_size=segments)


@pytest.mark.parametrize(("pooler", "size"), [("tanh", 48), ("mean", 48), ("segment_match", 192)])
def test_pooled_size(pooler, size):
    assert dataclasses.replace(RIGHT, pooler=pooler).pooled_size == size


def test_heads_divide_the_width_inside_a_block_and_not_the_hidden_size():
    # 48 is divided by 16, the bottleneck of 24 is not; 5 divides the bottleneck of 25.
    with pytest.raises(ValueError, match=r"`num_heads` should divide .* 24\."):
        dataclasses.replace(RIGHT, num_heads=16)
    assert dataclasses.replace(RIGHT, bottleneck_size=25, num_heads=5).head_size == 5


def test_an_embedding_wider_than_the_hidden_size_is_named():
    """The masked-LM head ties the word table's columns to the first of the hidden features."""
    with pytest.raises(ValueError, match="`embedding_size` should be at most hidden_size, 48"):
        dataclasses.replace(PLAIN, embedding_size=96)


@pytest.mark.parametrize(("field", "value"), [
    ("vocab_size", 1), ("bottleneck_size", None), ("type_vocab_size", 0), ("hidden_dropout", 0),
    ("hidden_dropout", 0.999), ("attention_mask_value", -6.0), ("attention_mask_value", -1e4),
    ("embedding_and_output_norm_epsilon", 1e-5), ("activation", "relu6"), ("pooler", "mean")])
def test_legal_values_at_the_border(field, value):
    start = PLAIN if field == "bottleneck_size" else RIGHT
    assert getattr(dataclasses.replace(start, **{field: value}), field) == value


@pytest.mark.parametrize("name", presets.names())
def test_json_round_trip(name):
    config = presets.get(name)
    text = config.to_json()
    assert EncoderConfig.from_json(text) == config
    assert set(json.loads(text)) == {field.name for field in dataclasses.fields(config)}
    assert EncoderConfig.from_dict(config.to_dict()) == config


def test_json_changes_are_read():
    values = RIGHT.to_dict() | {"num_blocks": 7, "embedding_and_output_norm_epsilon": 1e-5}
    config = EncoderConfig.from_json(json.dumps(values))
    assert config.num_blocks == 7
    assert config.embedding_and_output_norm_epsilon == 1e-5


def test_an_unknown_field_and_a_missing_one_are_named():
    with pytest.raises(ValueError, match="no field hiden_size"):
        EncoderConfig.from_dict(RIGHT.to_dict() | {"hiden_size": 8})
    values = RIGHT.to_dict()
    del values["hidden_size"], values["num_blocks"]
    with pytest.raises(ValueError, match="needs hidden_size, num_blocks"):
        EncoderConfig.from_dict(values)
    with pytest.raises(ValueError, match="JSON object"):
        EncoderConfig.from_json("[1]")


def test_is_frozen_and_hashable():
    with pytest.raises(dataclasses.FrozenInstanceError):
        RIGHT.num_blocks = 3
    assert len({RIGHT, dataclasses.replace(RIGHT), PLAIN}) == 2


def test_derived_sizes():
    # hidden 48, embedding 16, bottleneck 24 or none, 4 heads
    assert (RIGHT.width, RIGHT.head_size) == (24, 6)
    assert (RIGHT.query_key_size, RIGHT.value_size) == (24, 48)
    assert (RIGHT.has_embedding_projection, RIGHT.extra_output_size) == (True, 32)
    tiny = presets.get("micro_tiny")
    assert (tiny.query_key_size, tiny.value_size) == (24, 24)
    teacher = presets.get("micro_ib_bert")
    assert (teacher.width, teacher.query_key_size, teacher.value_size) == (64, 48, 48)
    assert (PLAIN.width, PLAIN.head_size) == (48, 12)
    assert (PLAIN.query_key_size, PLAIN.value_size) == (48, 48)
    assert (PLAIN.has_embedding_projection, PLAIN.extra_output_size) == (False, 0)
    assert dataclasses.replace(PLAIN, trigram_input=True).has_embedding_projection
    assert dataclasses.replace(PLAIN, embedding_size=12).has_embedding_projection
