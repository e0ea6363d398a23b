"""EncoderModel: the base of every model on top of an encoder."""

from typing import ClassVar

import tf_keras as keras

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

    # The output of the encoder that the head reads, if it reads one alone.
    head_input: ClassVar[str]

    def __init__(self, encoder, *, inputs, outputs, settings, **kwargs):
        super().__init__(inputs=inputs, outputs=outputs, **kwargs)
        self.encoder = encoder
        self.config = encoder.config
        self._settings = dict(settings)
        # The encoder may belong to several models; its newest call is this one's.
        self._call_of_encoder = len(encoder.inbound_nodes) - 1

    def head_outputs(self, encoded) -> dict:
        """Compute the model's outputs by name from the output of an encoder that its head reads.

        Args:
          encoded: the encoder's output `head_input`, of any call.
        Returns:
          `logits`; or the model's outputs, if it names them.
        """
        read = self.encoder.get_output_at(self._call_of_encoder)[self.head_input]
        outputs = keras.Model(read, self.output)(encoded)
        return outputs if isinstance(outputs, dict) else {"logits": outputs}

    def get_config(self):
        return {"config": self.config.to_dict(), **self._settings, "name": self.name}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        settings = dict(config)
        return cls(Encoder(EncoderConfig.from_dict(settings.pop("config"))), **settings)
