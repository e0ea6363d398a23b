"""The names and shapes of a model's variables in Google's TF1 checkpoints.

This is the one table of names; other layouts are stated as rules from these names to theirs. The
table follows from a model's config and settings, so a file is checked before anything is built.
Source: google-research/mobilebert modeling.py and google-research/bert modeling.py.
"""

from collections.abc import Iterator

from mobilebert_tf.checkpoints import architectures, places
from mobilebert_tf.checkpoints.architectures import Architecture
from mobilebert_tf.checkpoints.places import VariablePlace
from mobilebert_tf.config import EncoderConfig

_NORMS = {"no_norm": "FakeLayerNorm", "layer_norm": "LayerNorm"}


def google_names(model) -> dict:
    """Return Google's name -> variable, for every variable of the model, each exactly once.

    Raises:
      InputError: for a model of a class that is not in `architectures`.
    """
    architecture = architectures.of(model)
    settings = architecture.choose(model.get_config())
    names = {place.name: place.variable(model)
             for place in of(architecture, model.config, settings)}
    listed = [id(variable) for variable in names.values()]
    owned = [id(variable) for variable in model.weights]
    if sorted(listed) != sorted(owned):
        missing = [v.name for v in model.weights if id(v) not in listed]
        raise RuntimeError(f"the name table and the model disagree; not in the table: {missing}")
    return names


def of(architecture: Architecture, config: EncoderConfig, settings) -> tuple[VariablePlace, ...]:
    """Return the places of all variables of a model with these settings."""
    return *encoder(config), *architecture.head(config, settings)


def encoder(config: EncoderConfig) -> Iterator[VariablePlace]:
    """Yield the places of an encoder's variables."""
    embeddings, hidden = "bert/embeddings", config.hidden_size
    table = (config.vocab_size, config.embedding_size)
    yield VariablePlace(f"{embeddings}/word_embeddings", "encoder.embedding.word_table", table)
    yield VariablePlace(f"{embeddings}/position_embeddings", "encoder.embedding.position_table",
                (config.max_positions, hidden))
    if config.type_vocab_size:
        yield VariablePlace(f"{embeddings}/token_type_embeddings", "encoder.embedding.type_table",
                    (config.type_vocab_size, hidden))
    if config.has_embedding_projection:
        columns = config.embedding_size * (3 if config.trigram_input else 1)
        yield from places.dense(f"{embeddings}/embedding_transformation",
                                "encoder.embedding.projection", columns, hidden)
    norm = _NORMS[config.normalization]
    yield from places.norm(f"{embeddings}/{norm}", "encoder.embedding.norm", hidden)
    for index in range(config.num_blocks):
        yield from _block(f"bert/encoder/layer_{index}", f"encoder.blocks.{index}", config)
    if config.has_dense_pooler:
        yield from places.dense("bert/pooler/dense", "encoder.pooler.dense", hidden, hidden)


def _block(prefix, path, config):
    width, hidden, norm = config.width, config.hidden_size, _NORMS[config.normalization]

    def dense_norm(name, attribute, features, units):
        yield from places.dense(f"{prefix}/{name}/dense", f"{path}.{attribute}.dense", features,
                                units)
        yield from places.norm(f"{prefix}/{name}/{norm}", f"{path}.{attribute}.norm", units)

    if config.bottleneck_size is not None:
        yield from dense_norm("bottleneck/input", "input_bottleneck", hidden, width)
    if config.attention_input == "shared_bottleneck":
        yield from dense_norm("bottleneck/attention", "shared_bottleneck", hidden, width)
    for name, features in (("query", config.query_key_size), ("key", config.query_key_size),
                           ("value", config.value_size)):
        yield from places.dense(f"{prefix}/attention/self/{name}", f"{path}.attention.{name}",
                                features, width)
    yield from dense_norm("attention/output", "attention_output", width, width)
    for index in range(config.num_feed_forwards):
        # The last one has the name of BERT's only one.
        is_last = index == config.num_feed_forwards - 1
        stack = "" if is_last else f"ffn_layer_{index}/"
        yield from places.dense(f"{prefix}/{stack}intermediate/dense",
                                f"{path}.feed_forwards.{index}.intermediate", width,
                                config.intermediate_size)
        yield from dense_norm(f"{stack}output", f"feed_forwards.{index}.output_dense",
                              config.intermediate_size, width)
    if config.bottleneck_size is not None:
        yield from dense_norm("output/bottleneck", "output_bottleneck", width, hidden)
