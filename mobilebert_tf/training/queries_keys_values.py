"""QueriesKeysValues: what attention in one block of a model computes from the block's input."""

import tf_keras as keras

from mobilebert_tf.training.objectives import PROJECTED


class QueriesKeysValues(keras.layers.Layer):
    """Queries, keys and values of all heads, by the weights of a block of an encoder.

    The block does not return them: every model would have outputs that only relations read. So
    they are computed once more if the block is computed too. It is a layer of its own, because
    the layers of two blocks have the same names, which Keras allows no model to have.

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
