"""QueriesKeysValues: what attention in one block of a model computes from the block's input."""

import tf_keras as keras

from mobilebert_tf.training.objectives import PROJECTED


class QueriesKeysValues(keras.layers.Layer):
    """Queries, keys and values of all heads, by the weights of a block of an encoder.

    `TransformerBlock` does not return them, because only the losses of relations read them. If the
    model computes the block too, they are computed twice. This is a layer of its own, because the
    layers of two blocks have the same names, and Keras needs unique names in a model.

    Args:
      block: the `TransformerBlock`, built.
    Inputs:   its input, `(batch, seq, hidden_size)`.
    Outputs:  a dict of `queries`, `keys` and `values`, `(batch, seq, width)` each.
    """

    def __init__(self, block):
        super().__init__(name=f"projected_{block.name}")
        self.block = block

    def call(self, hidden):
        return dict(zip(PROJECTED, self.block.queries_keys_values(hidden), strict=True))
