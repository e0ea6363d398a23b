"""Saving a model that takes raw strings."""

from pathlib import Path

import tensorflow as tf

from mobilebert_tf import files
from mobilebert_tf.errors import InputError
from mobilebert_tf.reasons import reason
from mobilebert_tf.text.in_graph import InGraphTokenizer
from mobilebert_tf.text.packing import check_length

_GRAPHS = "saved_model.pb"
# What TensorFlow writes beside it.
_OTHERS = {"assets", "assets.extra", "fingerprint.pb", "variables"}


def save_text_model(model, tokenizer, directory, *, length):
    """Write a SavedModel that takes raw strings: tokenizer, packing and model in one graph.

    Signatures: `serving_default` takes `text`, string `(batch,)`; `pairs` takes `text` and
    `second_text`. Both return the model's outputs by name; a single tensor is named `logits`, and
    the members of a list `name_0`, `name_1`, ... The graph holds operations of tensorflow_text:
    import that package before `tf.saved_model.load`.

    Args:
      model: Keras model of the dict `input_word_ids`, `input_mask`, `input_type_ids`.
      tokenizer: `Tokenizer` of the vocabulary that the model was trained with.
      directory: path; an old SavedModel there is replaced once the new one is complete. Nothing
        else is replaced.
      length: int, tokens per input; at least 3.

    Raises:
      InputError: if `directory` holds anything but a SavedModel or cannot be written, or `length`
        cannot hold a pair's special tokens.
    """
    check_length(length, has_pair=True)
    directory = Path(directory)
    files.check_replaceable(
        directory, {_GRAPHS, *_OTHERS} if (directory / _GRAPHS).exists() else set(), "a SavedModel")
    in_graph = InGraphTokenizer(tokenizer, length=length)
    texts = tf.TensorSpec([None], tf.string, name="text")
    second_texts = tf.TensorSpec([None], tf.string, name="second_text")

    @tf.function(input_signature=[texts], autograph=False)
    def serve(text):
        return _named(model(in_graph(text), training=False))

    @tf.function(input_signature=[texts, second_texts], autograph=False)
    def serve_pairs(text, second_text):
        return _named(model(in_graph(text, second_text), training=False))

    module = tf.Module()
    # The graphs need only the weights; a tracked Keras model would add traces of its own.
    module.weights = list(model.variables)
    with files.directory_written_atomically(directory) as beside:
        try:
            tf.saved_model.save(module, str(beside),
                                {"serving_default": serve, "pairs": serve_pairs})
        except tf.errors.OpError as error:
            raise InputError(f"cannot write {directory}: {reason(error)}") from error


def _named(outputs):
    if not isinstance(outputs, dict):
        return {"logits": outputs}
    named = {}
    for name, output in outputs.items():
        if isinstance(output, (list, tuple)):
            named.update({f"{name}_{index}": member for index, member in enumerate(output)})
        else:
            named[name] = output
    return named
