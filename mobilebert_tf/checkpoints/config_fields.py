"""From the fields of the published JSON configs, which Google and Hugging Face share, to ours."""

from types import MappingProxyType

from mobilebert_tf import records
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError

# The published name of a field -> the name in EncoderConfig, where both have the same values.
SAME = MappingProxyType({
    "vocab_size": "vocab_size", "hidden_size": "hidden_size", "num_hidden_layers": "num_blocks",
    "num_attention_heads": "num_heads", "intermediate_size": "intermediate_size",
    "hidden_dropout_prob": "hidden_dropout", "attention_probs_dropout_prob": "attention_dropout",
    "max_position_embeddings": "max_positions", "type_vocab_size": "type_vocab_size",
    "initializer_range": "initializer_range", "trigram_input": "trigram_input",
    "num_feedforward_networks": "num_feed_forwards", "normalization_type": "normalization",
})
# Both publishers' defaults for BERT.
BERT = MappingProxyType({
    "vocab_size": 30522, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
    "intermediate_size": 3072, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
    "attention_probs_dropout_prob": 0.1, "max_position_embeddings": 512, "type_vocab_size": 2,
    "initializer_range": 0.02, "layer_norm_eps": 1e-12,
})
NO_BOTTLENECK = MappingProxyType({
    "embedding_size": None, "trigram_input": False, "use_bottleneck": False,
    "intra_bottleneck_size": None, "use_bottleneck_attention": False,
    "key_query_shared_bottleneck": False, "num_feedforward_networks": 1,
    "normalization_type": "layer_norm",
})
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
            **{known: fields[published] for published, known in SAME.items()},
            embedding_size=fields["embedding_size"] or fields["hidden_size"],
            bottleneck_size=fields["intra_bottleneck_size"] if fields["use_bottleneck"] else None,
            attention_input=_attention_input(fields),
            activation=activations[fields["hidden_act"]],
            pooler=pooler,
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
