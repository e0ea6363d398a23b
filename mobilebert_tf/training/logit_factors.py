"""LogitFactors: the factors whose product is the masked-LM logits of all tokens."""

import tf_keras as keras


class LogitFactors(keras.layers.Layer):
    """The states s, matrix M and bias b from which a masked-LM head computes logits s M^T + b.

    All logits of a batch may be too many for memory: 2 GB for 16,384 tokens and 30,522 pieces.

    Args:
      head: a `MaskedLMHead`, built.
    Inputs:   `(batch, seq, hidden_size)`, the encoder's last states.
    Outputs:  a tuple: states `(batch, seq, hidden_size)` after the head's transform; its output
      matrix `(vocab, hidden_size)`; its bias `(vocab,)`.
    """

    def __init__(self, head):
        super().__init__(name="logit_factors")
        self.head = head

    def call(self, sequence_output):
        states = self.head.transformed(sequence_output)
        return states, self.head.output_matrix(states.dtype), self.head.output_bias
