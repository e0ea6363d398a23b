"""Which variable of a model has which name in Google's TF1 checkpoints.

This is the one table of names; other layouts are stated as rules from these names to theirs.
Source: google-research/mobilebert modeling.py and google-research/bert modeling.py.
"""

from collections.abc import Iterator

from mobilebert_tf.layers.no_norm import NoNorm
from mobilebert_tf.models.classifier import Classifier
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.pretrainer import Pretrainer
from mobilebert_tf.models.question_answerer import QuestionAnswerer
from mobilebert_tf.models.token_classifier import TokenClassifier


def google_names(model) -> dict:
    """Google's name -> variable, for every variable of the model, each exactly once.

    Kernels are (in, out) in both; `output_weights` are (classes, features), the transpose of the
    Keras kernel: see `is_transposed`.
    """
    names = dict(_encoder(model.encoder))
    names.update(_HEADS[type(model)](model))
    listed = [id(variable) for variable in names.values()]
    owned = [id(variable) for variable in model.weights]
    if sorted(listed) != sorted(owned):
        missing = [v.name for v in model.weights if id(v) not in listed]
        raise RuntimeError(f"the name table and the model disagree; not in the table: {missing}")
    return names


def is_transposed(name: str) -> bool:
    """Whether Google's checkpoint holds the transpose of our variable."""
    return name.rpartition("/")[2] == "output_weights"


def _encoder(encoder) -> Iterator:
    embedding = encoder.embedding
    yield "bert/embeddings/word_embeddings", embedding.word_table
    yield "bert/embeddings/position_embeddings", embedding.position_table
    if embedding.type_table is not None:
        yield "bert/embeddings/token_type_embeddings", embedding.type_table
    if embedding.projection is not None:
        yield from _dense("bert/embeddings/embedding_transformation", embedding.projection)
    yield from _norm("bert/embeddings", embedding.norm)
    for index, block in enumerate(encoder.blocks):
        yield from _block(f"bert/encoder/layer_{index}", block)
    if encoder.pooler.dense is not None:
        yield from _dense("bert/pooler/dense", encoder.pooler.dense)


def _block(prefix, block):
    if block.input_bottleneck is not None:
        yield from _dense_norm(f"{prefix}/bottleneck/input", block.input_bottleneck)
    if block.shared_bottleneck is not None:
        yield from _dense_norm(f"{prefix}/bottleneck/attention", block.shared_bottleneck)
    for name in ("query", "key", "value"):
        yield from _dense(f"{prefix}/attention/self/{name}", getattr(block.attention, name))
    yield from _dense_norm(f"{prefix}/attention/output", block.attention_output)
    *first, last = block.feed_forwards
    for index, feed_forward in enumerate(first):
        yield from _feed_forward(f"{prefix}/ffn_layer_{index}", feed_forward)
    # The last of the stack is what BERT's only one is called.
    yield from _feed_forward(prefix, last)
    if block.output_bottleneck is not None:
        yield from _dense_norm(f"{prefix}/output/bottleneck", block.output_bottleneck)


def _feed_forward(prefix, feed_forward):
    yield from _dense(f"{prefix}/intermediate/dense", feed_forward.intermediate)
    yield from _dense_norm(f"{prefix}/output", feed_forward.output_dense)


def _dense_norm(prefix, layer):
    yield from _dense(f"{prefix}/dense", layer.dense)
    yield from _norm(prefix, layer.norm)


def _dense(prefix, layer):
    yield f"{prefix}/kernel", layer.kernel
    yield f"{prefix}/bias", layer.bias


def _norm(prefix, layer):
    kind = "FakeLayerNorm" if isinstance(layer, NoNorm) else "LayerNorm"
    yield f"{prefix}/{kind}/gamma", layer.gamma
    yield f"{prefix}/{kind}/beta", layer.beta


def _pretraining_heads(model):
    head = model.mlm_head
    yield from _dense("cls/predictions/transform/dense", head.dense)
    yield from _norm("cls/predictions/transform", head.norm)
    yield "cls/predictions/output_bias", head.output_bias
    if head.extra_kernel is not None:
        yield "cls/predictions/extra_output_weights", head.extra_kernel
    if model.nsp_head is not None:
        yield from _output("cls/seq_relationship/", model.nsp_head)


def _output(prefix, layer):
    yield f"{prefix}output_weights", layer.kernel
    yield f"{prefix}output_bias", layer.bias


_HEADS = {
    Encoder: lambda model: (),
    Pretrainer: _pretraining_heads,
    Classifier: lambda model: _output("", model.head),
    # Google's code has no token classifier; these names are ours and no load_google returns one.
    TokenClassifier: lambda model: _output("", model.head),
    QuestionAnswerer: lambda model: _output("cls/squad/", model.head),
}
