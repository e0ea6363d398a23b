"""Building layers without calling them, as Keras would to learn the shapes of their outputs."""

import tensorflow as tf
import tf_keras as keras


def build(layer: keras.layers.Layer, *shapes) -> None:
    """Build a sublayer; its variables get the names that a call would give them."""
    if not layer.built:
        with tf.name_scope(layer.name):
            layer.build(*shapes)


class KnownOutputs:
    """Mixin of a Keras layer or model that knows its outputs' shapes and types without a call.

    To put a layer into a functional model, Keras calls it in a graph that it then discards. For
    MobileBERT's blocks these calls took most of the time that building a model takes.

    A subclass defines `output_specs`. A layer also defines `build`, which builds its sublayers.
    """

    def output_specs(self, inputs, args, kwargs):
        """Return the outputs as `tf.TypeSpec`s, or None where only a call can tell."""
        raise NotImplementedError

    def _infer_output_signature(self, inputs, args, kwargs, input_masks):
        # Keras has no public way to declare the outputs of a layer that runs in graphs.
        specs = self.output_specs(inputs, args, kwargs)
        if specs is None:
            return super()._infer_output_signature(inputs, args, kwargs, input_masks)
        with tf.name_scope(self.name):
            self._maybe_build(inputs)
        return tf.nest.map_structure(keras.__internal__.KerasTensor, specs)
