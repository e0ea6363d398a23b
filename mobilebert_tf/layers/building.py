"""Layers built without being called: Keras would run them to see their outputs."""

import tensorflow as tf
import tf_keras as keras


def build(layer: keras.layers.Layer, *shapes) -> None:
    """Builds a layer inside another, with variables named as a call would name them."""
    if not layer.built:
        with tf.name_scope(layer.name):
            layer.build(*shapes)


class KnownOutputs:
    """Mixin of a Keras layer or model whose outputs' shapes and types are known without a call.

    Keras calls a layer that is put into a functional model, in a graph that it throws away. For
    the blocks of MobileBERT this took most of the time that building the model takes.

    A subclass defines `output_specs`, and a layer `build`, for its sublayers too.
    """

    def output_specs(self, inputs, args, kwargs):
        """The outputs as `tf.TypeSpec`s; None where only a call can tell."""
        raise NotImplementedError

    def _infer_output_signature(self, inputs, args, kwargs, input_masks):
        # Keras has no public way to say this of a layer that runs in graphs.
        specs = self.output_specs(inputs, args, kwargs)
        if specs is None:
            return super()._infer_output_signature(inputs, args, kwargs, input_masks)
        with tf.name_scope(self.name):
            self._maybe_build(inputs)
        return tf.nest.map_structure(keras.__internal__.KerasTensor, specs)
