"""The weights of an exported graph in variables: the same graph, with fewer copies."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf import kinds
from mobilebert_tf.export.lean import graph
from mobilebert_tf.export.lean.from_keras import from_keras
from mobilebert_tf.export.lean.variables import in_variables


# A block of MobileBERT has two bottlenecks, queries, keys, values, the attention's output, three
# feed-forwards of two and an output bottleneck; one of BERT has six dense layers. Beside them: the
# word table, MobileBERT's projection, and the dense layers of the head.
@pytest.mark.parametrize(("preset", "blocks", "expected"), [
    ("micro", 2, 2 * 13 + 2 + 1), ("micro_bert", 2, 2 * 6 + 1 + 2)])
def test_all_kernels_and_the_word_table_are_variables(preset, blocks, expected, randomize):
    config = dataclasses.replace(mb.presets.get(preset), num_blocks=blocks)
    classifier = randomize(mb.Classifier(mb.Encoder(config), 2))
    plain = from_keras(classifier, kinds.of(classifier))
    held, module = in_variables(plain)
    assert len(module.variables) == expected
    sizes = sum(variable.shape.num_elements() for variable in module.variables)
    assert sizes > 0.85 * classifier.count_params()
    ids = np.arange(1, 13, dtype=np.int32)[np.newaxis]
    inputs = [tf.constant(values) for values in (ids, np.ones_like(ids), np.zeros_like(ids))]
    expected = graph.outputs(plain, *inputs)
    for name, tensor in graph.outputs(held, *inputs).items():
        np.testing.assert_array_equal(tensor, expected[name])
