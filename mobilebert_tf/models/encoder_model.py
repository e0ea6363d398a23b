"""EncoderModel: the base of every model on top of an encoder."""

from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.named_inputs import NamedInputs


class EncoderModel(NamedInputs):
    """A functional model that takes the encoder's inputs and knows its encoder and config.

    Args:
      encoder: the `Encoder`; its weights are shared, not copied.
      inputs, outputs: as `keras.Model` takes them.
      settings: the constructor's other arguments, saved with the model.
    """

    def __init__(self, encoder, *, inputs, outputs, settings, **kwargs):
        super().__init__(inputs=inputs, outputs=outputs, **kwargs)
        self.encoder = encoder
        self.config = encoder.config
        self._settings = dict(settings)

    def get_config(self):
        return {"config": self.config.to_dict(), **self._settings, "name": self.name}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        settings = dict(config)
        return cls(Encoder(EncoderConfig.from_dict(settings.pop("config"))), **settings)
