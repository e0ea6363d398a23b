"""The parts of a model: every variable in exactly one."""

import types

import pytest

import mobilebert_tf as mb
from mobilebert_tf.training.components import components


@pytest.mark.parametrize(("preset", "heads", "expected"), [
    ("micro", ("mlm", "nsp"), ["embedding", "block_0", "block_1", "mlm", "nsp"]),
    ("micro", ("mlm",), ["embedding", "block_0", "block_1", "mlm"]),
    ("micro", (), ["embedding", "block_0", "block_1"]),
    ("micro_bert", ("mlm", "nsp"), ["embedding", "block_0", "block_1", "pooler", "mlm", "nsp"]),
])
def test_every_trainable_variable_is_in_one_part(preset, heads, expected, build):
    model = build(preset, 1, heads, num_blocks=2)
    found = components(model)
    assert list(found) == expected
    variables = [variable for part in found.values() for variable in part]
    assert len(variables) == len(model.trainable_variables)
    assert {id(variable) for variable in variables} == {
        id(variable) for variable in model.trainable_variables}
    for index in range(2):
        own = {id(variable) for variable in model.encoder.blocks[index].trainable_variables}
        assert {id(variable) for variable in found[f"block_{index}"]} == own
    # The word table is tied to the masked-LM head, and the embedding's.
    assert any(variable is model.encoder.embedding.word_table for variable in found["embedding"])


def test_what_is_not_of_the_encoder_is_the_head_of_a_model_of_a_task(build):
    classifier = mb.Classifier(build("micro", 1, (), num_blocks=1), 2)
    found = components(classifier)
    assert list(found) == ["embedding", "block_0", "head"]
    assert [id(one) for one in found["head"]] == [
        id(one) for one in classifier.head.trainable_variables]


def test_a_variable_of_no_part_is_noticed(build):
    model = build("micro", 1, ("mlm", "nsp"), num_blocks=1)
    without = types.SimpleNamespace(encoder=model.encoder, mlm_head=model.mlm_head, name="it",
                                    trainable_variables=model.trainable_variables)
    with pytest.raises(ValueError, match="embedding, block_0, mlm are not all of it"):
        components(without)
