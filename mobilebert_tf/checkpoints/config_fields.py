"""From the fields of the published JSON configs, which Google and Hugging Face share, to ours."""

from types import MappingProxyType

from mobilebert_tf import records
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError

# By MobileBERT's names.
TYPES = MappingProxyType({
    "vocab_size": records.Size, "hidden_size": records.Size, "num_hidden_layers": records.Blocks,
    "num_attention_heads": records.Size, "intermediate_size": records.Size,
    "hidden_act": records.Text, "hidden_dropout_prob": records.Rate,
    "attention_probs_dropout_prob": records.Rate, "max_position_embeddings": records.Size,
    "type_vocab_size": records.Size, "initializer_range": records.Epsilon,
    "layer_norm_eps": records.Epsilon, "embedding_size": records.Size | None,
    "trigram_input": bool, "use_bottleneck": bool, "intra_bottleneck_size": records.Size | None,
    "use_bottleneck_attention": bool, "key_query_shared_bottleneck": bool,
    "num_feedforward_networks": records.Blocks, "normalization_type": records.Text,
    "classifier_activation": bool,
})


def encoder_config(path, fields: dict, activations: dict, pooler: str, **ours) -> EncoderConfig:
    """Make an EncoderConfig of published fields, all of them given.

    Args:
      path: of the file with the fields, for messages.
      fields: by their published names, of `TYPES`, defaults filled in.
      activations: published name -> ours; "gelu" is a different function at each publisher.
      pooler: `EncoderConfig.pooler`.
      ours: further fields of EncoderConfig.
    Raises:
      InputError: for a value that EncoderConfig cannot have.
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
            embedding_size=fields["embedding_size"] or fields["hidden_size"],
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
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error


def _attention_input(fields):
    """Turn three booleans into one choice, with the precedence of the published code."""
    if not fields["use_bottleneck"]:
        return "block_input"
    if fields["use_bottleneck_attention"]:
        return "bottleneck"
    return "shared_bottleneck" if fields["key_query_shared_bottleneck"] else "block_input"
