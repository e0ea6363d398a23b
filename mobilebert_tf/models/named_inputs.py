"""NamedInputs: a functional model that takes its inputs by name alone."""

import os
from collections.abc import Mapping

import tensorflow as tf
import tf_keras as keras


class NamedInputs(keras.Model):
    """A functional model of a dict of inputs that refuses a list, and a dict without one of them.

    Keras gives a list's elements to the inputs in the order of their names, so that ids would be
    read as the mask. Of a dict it says only that "data" for one of the inputs is missing.
    """

    def __call__(self, inputs, *args, **kwargs):
        """Run the model.

        Raises:
          ValueError: for a list or tuple, and for a dict in which one of the model's inputs is
            missing.
        """
        if isinstance(inputs, list | tuple):
            raise ValueError(
                f"{type(self).__name__} takes a dict of {', '.join(self.input)}; of a list, Keras "
                f"would mistake one for another. Received: a {type(inputs).__name__} of "
                f"{len(inputs)}")
        if isinstance(inputs, Mapping) and not inputs.keys() >= self.input.keys():
            raise ValueError(
                f"{type(self).__name__} takes a dict of {', '.join(self.input)}; in transformers "
                "these are called input_ids, attention_mask and token_type_ids. Received: "
                f"{', '.join(map(str, inputs)) or 'an empty dict'}")
        return super().__call__(inputs, *args, **kwargs)

    def export(self, filepath: str | os.PathLike) -> None:
        """Write a SavedModel whose endpoint `serve` takes the dict of inputs; Keras's takes a list.

        The outputs of a list have its name and their number: `block_outputs_0`, `block_outputs_1`.

        Args:
          filepath: the SavedModel's directory.
        """
        archive = keras.export.ExportArchive()
        archive.track(self)
        archive.add_endpoint("serve", lambda inputs: _without_lists(self(inputs)), [
            {name: tf.TensorSpec(given.shape, given.dtype, name)
             for name, given in self.input.items()}])
        archive.write_out(os.fspath(filepath))


def _without_lists(outputs):
    """Return outputs in which a name has one tensor, as a signature needs it."""
    if not isinstance(outputs, Mapping):
        return outputs
    found = {}
    for name, output in outputs.items():
        if isinstance(output, list):
            found |= {f"{name}_{number}": one for number, one in enumerate(output)}
        else:
            found[name] = output
    return found
