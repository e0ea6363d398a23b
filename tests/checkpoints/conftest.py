"""Checkpoints written by others' hands: Google's names listed here, not taken from our table."""

import functools
import pathlib
import shutil

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf.checkpoints.architectures import Architecture
from mobilebert_tf.checkpoints.names import google_names

# bert_config.json of a micro model of each kind, in the published files' fields.
_MICRO = {
    "attention_probs_dropout_prob": 0.1, "hidden_dropout_prob": 0.0, "hidden_act": "relu",
    "hidden_size": 48, "initializer_range": 0.02, "max_position_embeddings": 40,
    "num_attention_heads": 4, "num_hidden_layers": 2, "type_vocab_size": 2, "vocab_size": 120,
    "embedding_size": 16, "intermediate_size": 40, "trigram_input": True, "use_bottleneck": True,
    "intra_bottleneck_size": 24, "use_bottleneck_attention": False,
    "key_query_shared_bottleneck": True, "num_feedforward_networks": 3,
    "normalization_type": "no_norm", "classifier_activation": False,
}
GOOGLE_FIELDS = {
    "mobilebert": _MICRO,
    "tiny": {**_MICRO, "use_bottleneck_attention": True, "key_query_shared_bottleneck": False,
             "num_feedforward_networks": 2},
    "no_opt": {**_MICRO, "normalization_type": "layer_norm", "hidden_act": "gelu"},
    "ib_bert": {**_MICRO, "intra_bottleneck_size": 64, "intermediate_size": 128,
                "hidden_act": "gelu", "key_query_shared_bottleneck": False,
                "num_feedforward_networks": 1, "normalization_type": "layer_norm",
                "classifier_activation": True},
}


def google_shapes(fields, heads=("pretraining",)):
    """Name -> shape of a TF1 checkpoint, from the tables of google-research's variables."""
    shapes = {}
    norm_kind = "FakeLayerNorm" if fields["normalization_type"] == "no_norm" else "LayerNorm"
    hidden, width = fields["hidden_size"], fields["intra_bottleneck_size"]
    inner, vocabulary = fields["intermediate_size"], fields["vocab_size"]

    def dense(name, features, units):
        shapes[f"{name}/kernel"], shapes[f"{name}/bias"] = (features, units), (units,)

    def norm(name, features, kind=norm_kind):
        shapes[f"{name}/{kind}/gamma"] = shapes[f"{name}/{kind}/beta"] = (features,)

    shapes["bert/embeddings/word_embeddings"] = (vocabulary, fields["embedding_size"])
    shapes["bert/embeddings/token_type_embeddings"] = (fields["type_vocab_size"], hidden)
    shapes["bert/embeddings/position_embeddings"] = (fields["max_position_embeddings"], hidden)
    dense("bert/embeddings/embedding_transformation", 3 * fields["embedding_size"], hidden)
    norm("bert/embeddings", hidden)
    shared = fields["key_query_shared_bottleneck"]
    query_size = width if shared or fields["use_bottleneck_attention"] else hidden
    for index in range(fields["num_hidden_layers"]):
        layer = f"bert/encoder/layer_{index}"
        dense(f"{layer}/bottleneck/input/dense", hidden, width)
        norm(f"{layer}/bottleneck/input", width)
        if shared:
            dense(f"{layer}/bottleneck/attention/dense", hidden, width)
            norm(f"{layer}/bottleneck/attention", width)
        dense(f"{layer}/attention/self/query", query_size, width)
        dense(f"{layer}/attention/self/key", query_size, width)
        dense(f"{layer}/attention/self/value",
              width if fields["use_bottleneck_attention"] else hidden, width)
        dense(f"{layer}/attention/output/dense", width, width)
        norm(f"{layer}/attention/output", width)
        for ffn in [*(f"ffn_layer_{j}/" for j in range(fields["num_feedforward_networks"] - 1)),
                    ""]:
            dense(f"{layer}/{ffn}intermediate/dense", width, inner)
            dense(f"{layer}/{ffn}output/dense", inner, width)
            norm(f"{layer}/{ffn}output", width)
        dense(f"{layer}/output/bottleneck/dense", width, hidden)
        norm(f"{layer}/output/bottleneck", hidden)
    if fields["classifier_activation"]:
        dense("bert/pooler/dense", hidden, hidden)
    if "pretraining" in heads:
        dense("cls/predictions/transform/dense", hidden, hidden)
        norm("cls/predictions/transform", hidden, "LayerNorm")
        shapes["cls/predictions/output_bias"] = (vocabulary,)
        shapes["cls/predictions/extra_output_weights"] = (
            vocabulary, hidden - fields["embedding_size"])
        shapes["cls/seq_relationship/output_weights"] = (2, hidden)
        shapes["cls/seq_relationship/output_bias"] = (2,)
    if "squad" in heads:
        shapes["cls/squad/output_weights"], shapes["cls/squad/output_bias"] = (2, hidden), (2,)
    if "classifier" in heads:
        shapes["output_weights"], shapes["output_bias"] = (3, hidden), (3,)
    return shapes


def write_tf1(tensors, prefix):
    """A checkpoint by TensorFlow 1's own graph and Saver."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variables = [tf.compat.v1.get_variable(name, initializer=np.asarray(array))
                     for name, array in tensors.items()]
        session.run(tf.compat.v1.global_variables_initializer())
        return tf.compat.v1.train.Saver(variables).save(session, str(prefix))


@pytest.fixture(scope="session")
def google_fields():
    return GOOGLE_FIELDS


@pytest.fixture(scope="session")
def google_tensors(seeded_weights):
    """kind, heads -> name -> array."""
    return lambda kind, heads=("pretraining",): {
        name: seeded_weights.value(name, shape)
        for name, shape in google_shapes(GOOGLE_FIELDS[kind], heads).items()}


@pytest.fixture(scope="session")
def write_checkpoint():
    return write_tf1


@pytest.fixture(scope="session")
def list_google_shapes():
    return google_shapes


@pytest.fixture
def saved(golden_models, tmp_path):
    """A copy, to damage, of the small model that transformers and torch saved."""
    return pathlib.Path(shutil.copytree(golden_models / "saved", tmp_path / "saved"))


@pytest.fixture(scope="session")
def variables():
    """model -> name -> value of every variable, by the name in Google's layout."""
    return lambda model: {name: variable.numpy()
                          for name, variable in google_names(model).items()}


@pytest.fixture(scope="session")
def right(golden_models, variables):
    """The weights of `saved` before it is damaged, by Google's names."""
    return variables(mb.checkpoints.load_huggingface(golden_models / "saved"))


@pytest.fixture(scope="session")
def encoder():
    """config -> an encoder of it; building one is what takes time."""
    return functools.cache(mb.Encoder)


_build = functools.cache(Architecture.build)


@pytest.fixture
def no_assignment(monkeypatch):
    """Fails the test at the first value that a checkpoint gives to a variable.

    As none gets a value, all such tests load into one model of a config.
    """
    monkeypatch.setattr(Architecture, "build", lambda self, *arguments: _build(self, *arguments))
    made = []
    variable_type = type(tf.Variable(0.0))
    right_assign = variable_type.assign

    def assign(self, value, *args, **kwargs):
        made.append(self.name)
        return right_assign(self, value, *args, **kwargs)

    monkeypatch.setattr(variable_type, "assign", assign)
    yield made
    assert made == []
