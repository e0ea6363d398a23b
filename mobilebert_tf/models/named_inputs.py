"""NamedInputs: a functional model whose error for missing inputs names them."""

from collections.abc import Mapping

import tf_keras as keras


class NamedInputs(keras.Model):
    """A functional model of a dict of inputs that refuses a dict in which one is missing.

    Keras says only that "data" for one of the inputs is missing.
    """

    def __call__(self, inputs, *args, **kwargs):
        """Run the model.

        Raises:
          ValueError: for a dict in which one of the model's inputs is missing.
        """
        if isinstance(inputs, Mapping) and not inputs.keys() >= self.input.keys():
            raise ValueError(
                f"{type(self).__name__} takes a dict of {', '.join(self.input)}; in transformers "
                "these are called input_ids, attention_mask and token_type_ids. Received: "
                f"{', '.join(map(str, inputs)) or 'an empty dict'}")
        return super().__call__(inputs, *args, **kwargs)
