"""From the fields of the published JSON configs, which Google and Hugging Face share, to ours."""

import json
import os
from pathlib import Path

from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError


def read_json(path: str | os.PathLike) -> dict:
    """The JSON object in a file; InputError when there is none."""
    try:
        values = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(values, dict):
        raise InputError(f"{path} should hold a JSON object")
    return values


def encoder_config(path, fields: dict, activations: dict, pooler: str, **ours) -> EncoderConfig:
    """An EncoderConfig from published fields, all of which are given.

    Args:
      path: where the fields come from, for messages.
      fields: by their published names, defaults filled in.
      activations: published name -> ours; "gelu" is another function at each publisher.
      pooler: `EncoderConfig.pooler`.
      ours: further fields of EncoderConfig.
    Raises:
      InputError: for a value that no config of ours can have.
    """
    if fields["hidden_act"] not in activations:
        raise InputError(f"{path}: hidden_act {fields['hidden_act']!r} is not supported; known "
                         f"are {', '.join(activations)}")
    try:
        return EncoderConfig(
            vocab_size=fields["vocab_size"],
            hidden_size=fields["hidden_size"],
            num_blocks=fields["num_hidden_layers"],
            num_heads=fields["num_attention_heads"],
            intermediate_size=fields["intermediate_size"],
            embedding_size=fields["embedding_size"],
            bottleneck_size=fields["intra_bottleneck_size"] if fields["use_bottleneck"] else None,
            attention_input=_attention_input(fields),
            num_feed_forwards=fields["num_feedforward_networks"],
            trigram_input=fields["trigram_input"],
            normalization=fields["normalization_type"],
            activation=activations[fields["hidden_act"]],
            max_positions=fields["max_position_embeddings"],
            type_vocab_size=fields["type_vocab_size"],
            pooler=pooler,
            hidden_dropout=fields["hidden_dropout_prob"],
            attention_dropout=fields["attention_probs_dropout_prob"],
            initializer_range=fields["initializer_range"],
            **ours)
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: {error}") from error


def _attention_input(fields):
    """One choice for the three booleans, in the precedence of the published code."""
    if not fields["use_bottleneck"]:
        return "block_input"
    if fields["use_bottleneck_attention"]:
        return "bottleneck"
    return "shared_bottleneck" if fields["key_query_shared_bottleneck"] else "block_input"
