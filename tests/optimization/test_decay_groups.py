import dataclasses

import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf.optimization.decay_groups import decay_groups

MICRO = [name for name in mb.presets.names() if name.startswith("micro")]


def last(variable):
    return variable.name.rpartition("/")[2].removesuffix(":0")


@pytest.mark.parametrize("preset", MICRO)
def test_kernels_and_tables_are_decayed_and_nothing_else(preset):
    encoder = mb.Encoder(dataclasses.replace(mb.presets.get(preset), num_blocks=1))
    for model in (mb.Pretrainer(encoder), mb.Classifier(encoder, 3),
                  mb.TokenClassifier(encoder, 5), mb.QuestionAnswerer(encoder)):
        variables = model.trainable_variables
        decayed, others = decay_groups(variables)
        assert len(decayed) + len(others) == len(variables)
        assert {v.ref() for v in [*decayed, *others]} == {v.ref() for v in variables}
        # All that has two axes, a vector never: another rule than by names.
        assert {len(v.shape) for v in decayed} == {2}
        assert {len(v.shape) for v in others} == {1}
        assert {last(v) for v in others} <= {"bias", "output_bias", "gamma", "beta"}


@pytest.mark.parametrize("name", ["kernel", "a/b/kernel", "mlm/extra_kernel", "x/word_table"])
def test_decayed(name):
    variable = tf.Variable(0.0, name=name)
    assert decay_groups([variable]) == ([variable], [])


@pytest.mark.parametrize("name", ["bias", "kernel/bias", "mlm/output_bias", "norm/gamma",
                                  "word_table/beta"])
def test_not_decayed(name):
    variable = tf.Variable(0.0, name=name)
    assert decay_groups([variable]) == ([], [variable])


@pytest.mark.parametrize("name", ["scale", "x/embeddings", "kernels", "bias_kernel_2", "table",
                                  "kernel/alpha", "gamma_1", "unbias"])
def test_an_unknown_kind_is_refused_by_name(name):
    known = tf.Variable(0.0, name="kernel")
    with pytest.raises(ValueError, match=f"Received: {name}:0"):
        decay_groups([known, tf.Variable(0.0, name=name)])


def test_a_variable_given_twice_is_refused():
    """As the word table is, which the encoder and the masked-LM head share."""
    encoder = mb.Encoder(dataclasses.replace(mb.presets.get("micro"), num_blocks=1))
    head = mb.Pretrainer(encoder).get_layer("mlm")
    with pytest.raises(ValueError, match="Received twice: .*word_table"):
        decay_groups([*encoder.trainable_variables, *head.trainable_variables])
