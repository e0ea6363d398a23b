"""NoNorm: the element-wise linear map that replaces LayerNorm in MobileBERT."""

import tf_keras as keras


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class NoNorm(keras.layers.Layer):
    """gamma * inputs + beta, feature by feature; no statistics.

    Source: Sun et al. 2020 (arXiv:2004.02984), on operational optimizations. A LayerNorm keeps
    its outputs near 1; a NoNorm does not. With the released weights, outputs at [CLS] reach 2.5e7.

    Inputs:   floating `(..., features)`, features static.
    Outputs:  the same shape and dtype.
    Masking:  none; every position alike.
    Weights:  `gamma` (ones) and `beta` (zeros), `(features,)`; `FakeLayerNorm/{gamma,beta}` in
      Google's checkpoints.
    Raises:
      ValueError: when built without a known last axis.

    Example:
      >>> layer = NoNorm()
      >>> layer.build((None, 2))
      >>> layer.gamma.assign([2.0, 3.0]), layer.beta.assign([0.0, 1.0])  # doctest: +ELLIPSIS
      (...)
      >>> layer(keras.backend.constant([[1.0, -3.0]])).numpy().tolist()
      [[2.0, -8.0]]
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape):
        features = input_shape[-1]
        if features is None:
            raise ValueError(f"`{self.name}` needs a known last axis. "
                             f"Received: input_shape={tuple(input_shape)}")
        self.gamma = self.add_weight(name="gamma", shape=(features,), initializer="ones")
        self.beta = self.add_weight(name="beta", shape=(features,), initializer="zeros")
        super().build(input_shape)

    def call(self, inputs):
        return self.gamma * inputs + self.beta
