"""NoNorm: the element-wise linear map that replaces LayerNorm in MobileBERT."""

import tf_keras as keras


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class NoNorm(keras.layers.Layer):
    """gamma * inputs + beta, feature by feature; no statistics.

    Source: Sun et al. 2020 (arXiv:2004.02984), on operational optimizations. What
    LayerNorm would keep near 1 is unbounded here: the released weights reach 2.5e7 at [CLS].

    Inputs:   floating `(..., features)`, features static.
    Outputs:  the same shape and dtype.
    Masking:  none; every position alike.
    Weights:  `gamma` (ones) and `beta` (zeros), `(features,)`; `FakeLayerNorm/{gamma,beta}` in
      Google's checkpoints.
    Raises:
      ValueError: when built without a known last axis.

    Example:
      >>> layer = NoNorm(gamma_initializer=keras.initializers.Constant(2.0))
      >>> layer(keras.backend.constant([[1.0, -3.0]])).numpy().tolist()
      [[2.0, -6.0]]
    """

    def __init__(self, gamma_initializer="ones", beta_initializer="zeros", **kwargs):
        super().__init__(**kwargs)
        self.gamma_initializer = keras.initializers.get(gamma_initializer)
        self.beta_initializer = keras.initializers.get(beta_initializer)
        self.supports_masking = True

    def build(self, input_shape):
        features = input_shape[-1]
        if features is None:
            raise ValueError(f"`{self.name}` needs a known last axis. "
                             f"Received: input_shape={tuple(input_shape)}")
        self.gamma = self.add_weight(
            name="gamma", shape=(features,), initializer=self.gamma_initializer)
        self.beta = self.add_weight(
            name="beta", shape=(features,), initializer=self.beta_initializer)
        super().build(input_shape)

    def call(self, inputs):
        return self.gamma * inputs + self.beta

    def get_config(self):
        return {**super().get_config(),
                "gamma_initializer": keras.initializers.serialize(self.gamma_initializer),
                "beta_initializer": keras.initializers.serialize(self.beta_initializer)}
