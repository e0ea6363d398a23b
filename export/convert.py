"""Convert: from a Keras model to the content of a .tflite file, checked against the model."""

import dataclasses
import importlib.metadata

import numpy as np
import tensorflow as tf
import tf_keras as keras

from .. import __version__
from ..errors import InputError
from . import graph_file, heads, metadata, recipes
from .result import ExportReport, ExportResult, OutputReport
from .runner import INPUT_NAMES, Runner

_LEAST_LENGTH = 3  # [CLS], a token, [SEP]
_SAMPLE_ROWS = 4


def to_tflite(model, recipe="dynamic_int8", lengths=(128,), *, vocabulary=None, labels=None,
              lower_case=True) -> ExportResult:
    """Exports a model: a graph of fixed length with the signature `serving_default`.

    Inputs are `ids`, `mask` and `segment_ids`, int32 `(1, length)`, in that order in signature
    and graph. Values out of range are clamped inside, so that benchmark tools, which feed random
    integers, run. Outputs, float32:

    | model | task | outputs |
    |---|---|---|
    | Classifier | classification | `probabilities` (1, classes), after the softmax |
    | Classifier of one class | regression | `score` (1, 1), as the head gives it |
    | TokenClassifier | tagging | `logits` (1, length, classes) |
    | QuestionAnswerer | question_answering | `end_logits`, `start_logits` (1, length) |
    | Pretrainer | fill_mask | `mlm_logits` (1, length, vocabulary), at every position |
    | Encoder | encoding | `sequence_output` (1, length, hidden) |

    Args:
      model: one of those; a mixed-precision one is exported from its float32 weights.
      recipe: a name in `RECIPES`.
      lengths: one sequence length, 3 to the model's positions.
      vocabulary: a `Vocabulary` that goes into the file, with `lower_case`.
      labels: names of the classes, in order; they go into the file.
      lower_case: whether the vocabulary is of lower-cased text.

    Raises:
      InputError: for an unknown recipe or model, a length that the model has no positions for,
        several lengths, a vocabulary of another size, labels that do not fit the classes.
    """
    settings = recipes.get(recipe)
    head = heads.of(model)
    length = _checked_length(lengths, model.config)
    details = metadata.Metadata(
        task=head.task, recipe=recipe, lengths=(length,), config=model.config,
        runtime=settings.runtime, num_classes=_num_classes(model, head), vocabulary=vocabulary,
        labels=None if labels is None else tuple(labels), lower_case=lower_case)
    model = _in_float32(model)
    graph, runtime = graph_file.tidy(_convert(model, head, length, settings), tuple(INPUT_NAMES))
    details = dataclasses.replace(details, runtime=runtime)
    content = metadata.attach(graph, details)
    return ExportResult(content, _report(content, model, head, details))


def _checked_length(lengths, config):
    if len(lengths) != 1:
        raise InputError(f"a file takes exactly one length. Received: {tuple(lengths)}")
    (length,) = lengths
    if not _LEAST_LENGTH <= length <= config.max_positions:
        raise InputError(f"the length should be {_LEAST_LENGTH} to {config.max_positions}, the "
                         f"model's positions. Received: {length}")
    return length


def _num_classes(model, head):
    return model.num_classes if head.task in ("classification", "tagging") else None


def _in_float32(model):
    """The model itself, or one that computes in float32 with the same weights."""
    if model.encoder.embedding.compute_dtype == "float32":
        return model
    policy = keras.mixed_precision.global_policy()
    keras.mixed_precision.set_global_policy("float32")
    try:
        copy = type(model).from_config(model.get_config())
    finally:
        keras.mixed_precision.set_global_policy(policy)
    copy.set_weights(model.get_weights())
    return copy


def _convert(model, head, length, recipe):
    config = model.config
    highest = (config.vocab_size - 1, 1, max(config.type_vocab_size - 1, 0))
    signature = [tf.TensorSpec((1, length), tf.int32)] * len(INPUT_NAMES)

    @tf.function(input_signature=signature, autograph=False)
    def serve(ids, mask, segment_ids):
        clamped = (tf.clip_by_value(values, 0, most)
                   for values, most in zip((ids, mask, segment_ids), highest, strict=True))
        return head.outputs(model, dict(zip(INPUT_NAMES.values(), clamped, strict=True)))

    # The variables alone: given the Keras model, the converter would also save and trace each of
    # its layers, six times the work.
    holder = tf.Module()
    holder.held = model.variables
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [serve.get_concrete_function()], holder)
    converter.optimizations = [tf.lite.Optimize(name) for name in recipe.optimizations]
    return converter.convert()


def _report(content, model, head, details):
    runner = Runner(content)
    inputs = _sample(details.config, details.length)
    expected = head.outputs(model, {name: tf.constant(values) for name, values in inputs.items()})
    partitions, nodes = runner.delegation()
    return ExportReport(
        task=head.task, recipe=details.recipe, lengths=details.lengths, bytes=len(content),
        outputs={name: _output_report(expected[name].numpy(), values)
                 for name, values in runner(inputs).items()},
        xnnpack_partitions=partitions, nodes=nodes, runtime=details.runtime,
        versions={"mobilebert-tf": __version__, **{
            package: importlib.metadata.version(package)
            for package in ("tensorflow", "tf-keras", "ai-edge-litert")}})


def _sample(config, length):
    """Rows of random tokens: full, half, shortest and one padding short; the tail is segment 1."""
    random = np.random.default_rng(0)
    real = np.array([length, (length + 1) // 2, _LEAST_LENGTH, length - 1])[:, np.newaxis]
    mask = (np.arange(length) < real).astype(np.int32)
    ids = random.integers(0, config.vocab_size, (_SAMPLE_ROWS, length), np.int32) * mask
    in_tail = (np.arange(length) >= real // 2) * mask
    return {"input_word_ids": ids, "input_mask": mask,
            "input_type_ids": in_tail * np.int32(min(config.type_vocab_size, 2) > 1)}


def _output_report(expected, actual):
    difference = float(np.max(np.abs(actual - expected)))
    return OutputReport(
        shape=(1, *actual.shape[1:]), max_difference=difference,
        max_relative_difference=difference / max(float(np.max(np.abs(expected))), 1e-30))
