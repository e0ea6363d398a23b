"""Which variable of a model has which name and shape in Google's TF1 checkpoints.

This is the one table of names; other layouts are stated as rules from these names to theirs. It
follows from a model's config alone, so that a file can be held against it before anything is built.
Source: google-research/mobilebert modeling.py and google-research/bert modeling.py.
"""

import dataclasses
import operator
from collections.abc import Iterator

from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.models.classifier import Classifier
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.pretrainer import Pretrainer
from mobilebert_tf.models.question_answerer import QuestionAnswerer
from mobilebert_tf.models.token_classifier import TokenClassifier


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a variable is.

    Args:
      name: Google's.
      path: attributes from the model to the variable, numbers for members of a list.
      shape: of the variable. A kernel is (in, out) in both; `output_weights` are (classes,
        features) in Google's checkpoints, the transpose: see `is_transposed`.
    """

    name: str
    path: str
    shape: tuple[int, ...]


def encoder(config: EncoderConfig) -> Iterator[Place]:
    """The places of an encoder's variables."""
    embeddings, hidden = "bert/embeddings", config.hidden_size
    table = (config.vocab_size, config.embedding_size)
    yield Place(f"{embeddings}/word_embeddings", "encoder.embedding.word_table", table)
    yield Place(f"{embeddings}/position_embeddings", "encoder.embedding.position_table",
                (config.max_positions, hidden))
    if config.type_vocab_size:
        yield Place(f"{embeddings}/token_type_embeddings", "encoder.embedding.type_table",
                    (config.type_vocab_size, hidden))
    if config.has_embedding_projection:
        columns = config.embedding_size * (3 if config.trigram_input else 1)
        yield from _dense(f"{embeddings}/embedding_transformation",
                          "encoder.embedding.projection", columns, hidden)
    norm = _NORMS[config.normalization]
    yield from _norm(f"{embeddings}/{norm}", "encoder.embedding.norm", hidden)
    for index in range(config.num_blocks):
        yield from _block(f"bert/encoder/layer_{index}", f"encoder.blocks.{index}", config)
    if config.pooler == "tanh":
        yield from _dense("bert/pooler/dense", "encoder.pooler.dense", hidden, hidden)


def pretraining_heads(config: EncoderConfig, next_sentence: bool) -> Iterator[Place]:
    """The places of a `Pretrainer`'s heads."""
    predictions, hidden = "cls/predictions", config.hidden_size
    yield from _dense(f"{predictions}/transform/dense", "mlm_head.dense", hidden, hidden)
    yield from _norm(f"{predictions}/transform/LayerNorm", "mlm_head.norm", hidden)
    yield Place(f"{predictions}/output_bias", "mlm_head.output_bias", (config.vocab_size,))
    if config.extra_output_size:
        yield Place(f"{predictions}/extra_output_weights", "mlm_head.extra_kernel",
                    (config.vocab_size, config.extra_output_size))
    if next_sentence:
        yield from _output("cls/seq_relationship/", "nsp_head", config.pooled_size, 2)


def classes_of_text(config: EncoderConfig, count: int) -> Iterator[Place]:
    """The places of a `Classifier`'s head."""
    return _output("", "head", config.pooled_size, count)


def classes_of_tokens(config: EncoderConfig, count: int) -> Iterator[Place]:
    """The places of a `TokenClassifier`'s head.

    Google's code has no token classifier; these names are ours and no load_google returns one.
    """
    return _output("", "head", config.hidden_size, count)


def spans(config: EncoderConfig) -> Iterator[Place]:
    """The places of a `QuestionAnswerer`'s head."""
    return _output("cls/squad/", "head", config.hidden_size, 2)


def google_names(model) -> dict:
    """Google's name -> variable, for every variable of the model, each exactly once."""
    names = {place.name: _at(model, place.path)
             for place in (*encoder(model.config), *_HEADS[type(model)](model))}
    listed = [id(variable) for variable in names.values()]
    owned = [id(variable) for variable in model.weights]
    if sorted(listed) != sorted(owned):
        missing = [v.name for v in model.weights if id(v) not in listed]
        raise RuntimeError(f"the name table and the model disagree; not in the table: {missing}")
    return names


def is_transposed(name: str) -> bool:
    """Whether Google's checkpoint holds the transpose of our variable."""
    return name.rpartition("/")[2] == "output_weights"


def _at(model, path):
    for part in path.split("."):
        model = model[int(part)] if part.isdigit() else operator.attrgetter(part)(model)
    return model


_NORMS = {"no_norm": "FakeLayerNorm", "layer_norm": "LayerNorm"}


def _block(prefix, path, config):
    width, hidden, norm = config.width, config.hidden_size, _NORMS[config.normalization]

    def dense_norm(name, attribute, features, units):
        yield from _dense(f"{prefix}/{name}/dense", f"{path}.{attribute}.dense", features, units)
        yield from _norm(f"{prefix}/{name}/{norm}", f"{path}.{attribute}.norm", units)

    if config.bottleneck_size is not None:
        yield from dense_norm("bottleneck/input", "input_bottleneck", hidden, width)
    if config.attention_input == "shared_bottleneck":
        yield from dense_norm("bottleneck/attention", "shared_bottleneck", hidden, width)
    for name, features in (("query", config.query_key_size), ("key", config.query_key_size),
                           ("value", config.value_size)):
        yield from _dense(f"{prefix}/attention/self/{name}", f"{path}.attention.{name}", features,
                          width)
    yield from dense_norm("attention/output", "attention_output", width, width)
    for index in range(config.num_feed_forwards):
        # The last of the stack is what BERT's only one is called.
        is_last = index == config.num_feed_forwards - 1
        stack = "" if is_last else f"ffn_layer_{index}/"
        yield from _dense(f"{prefix}/{stack}intermediate/dense",
                          f"{path}.feed_forwards.{index}.intermediate", width,
                          config.intermediate_size)
        yield from dense_norm(f"{stack}output", f"feed_forwards.{index}.output_dense",
                              config.intermediate_size, width)
    if config.bottleneck_size is not None:
        yield from dense_norm("output/bottleneck", "output_bottleneck", width, hidden)


def _dense(name, path, features, units):
    yield Place(f"{name}/kernel", f"{path}.kernel", (features, units))
    yield Place(f"{name}/bias", f"{path}.bias", (units,))


def _norm(name, path, features):
    yield Place(f"{name}/gamma", f"{path}.gamma", (features,))
    yield Place(f"{name}/beta", f"{path}.beta", (features,))


def _output(prefix, path, features, units):
    yield Place(f"{prefix}output_weights", f"{path}.kernel", (features, units))
    yield Place(f"{prefix}output_bias", f"{path}.bias", (units,))


_HEADS = {
    Encoder: lambda model: (),
    Pretrainer: lambda model: pretraining_heads(model.config, model.nsp_head is not None),
    Classifier: lambda model: classes_of_text(model.config, model.num_classes),
    TokenClassifier: lambda model: classes_of_tokens(model.config, model.num_classes),
    QuestionAnswerer: lambda model: spans(model.config),
}
