"""Convert: from a Keras model to the content of a .tflite file, compared with the model."""

import dataclasses
import importlib.metadata

import numpy as np
import tensorflow as tf
from tensorflow.lite.python.convert import ConverterError

from mobilebert_tf import __version__, kinds, reasons
from mobilebert_tf.checks import check_several
from mobilebert_tf.errors import InputError
from mobilebert_tf.export import recipes
from mobilebert_tf.export.file import flatbuffer as graph_file
from mobilebert_tf.export.file import metadata, quantize
from mobilebert_tf.export.file.export_report import ExportReport
from mobilebert_tf.export.file.export_result import ExportResult
from mobilebert_tf.export.file.file_lengths import LEAST_LENGTH, checked_lengths
from mobilebert_tf.export.file.output_report import OutputReport
from mobilebert_tf.export.file.runner import INPUT_NAMES, Runner
from mobilebert_tf.export.lean import graph as lean_graph
from mobilebert_tf.export.lean import ranges
from mobilebert_tf.export.lean import rewrites as graph_rewrites
from mobilebert_tf.export.lean.from_keras import from_keras
from mobilebert_tf.export.lean.variables import in_variables
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.precision import computing_in
from mobilebert_tf.text.vocabulary import Vocabulary

_SAMPLE_ROWS = 4


def to_tflite(model, recipe="dynamic_int8", lengths=(128,), *, kind=None, labels=None,
              settings=None, vocabulary=None, lower_case=True, pairs=None,
              calibration=None) -> ExportResult:
    """Export a model as a graph of fixed length, or as several graphs that share weights.

    A file of one length has the signature `serving_default`; of several, `length_32` and so on,
    and clients without signatures run the longest.

    Inputs are `ids`, `mask` and `segment_ids`, int32 `(1, length)`, in that order in signature
    and graph. Values out of range are clamped inside, so that benchmark tools, which feed random
    integers, run. Outputs are float32 and named by the kind, for example:

    | model | kind | outputs |
    |---|---|---|
    | Classifier | classification | `probabilities` (1, classes), after the softmax |
    | TokenClassifier | tagging | `logits` (1, length, classes) |
    | QuestionAnswerer | question_answering | `end_logits`, `start_logits` (1, length) |
    | Encoder | encoding | `sequence_output` (1, length, hidden) |

    Args:
      model: one of the project's models; a mixed-precision one is exported from its float32
        weights.
      recipe: a name in `RECIPES`.
      lengths: sequence lengths, 3 to the model's positions.
      kind: of the model, with its labels and settings, which go into the file; None for the kind
        that builds such a model, with `labels` and `settings`.
      labels: names of the classes, in order; only without `kind`.
      settings: of the kind; only without `kind`.
      vocabulary: a `Vocabulary` that goes into the file, with `lower_case`.
      lower_case: whether the vocabulary is of lower-cased text.
      pairs: whether the model was made for pairs of texts, which goes into the file; None if that
        is not known.
      calibration: typical inputs, from which ranges of activations are learned: `input_word_ids`,
        `input_mask`, `input_type_ids`, int32 `(examples, length)`, at most as long as the longest
        of `lengths`; `calibration.examples` samples a task's training texts. Recipes that are
        `calibrated` need it; the others equalize channels by it, or by the weights without it.

    Raises:
      InputError: for an unknown recipe or model, a kind that is not the model's or comes with
        labels or settings beside it, weights that are not finite, missing or equal
        lengths or lengths outside the model's positions, a calibration that is missing, of another
        layout, empty or too long, a vocabulary of another size, labels that do not fit the classes
        or could not be read back, and outputs of the model or the file that are not finite.
    """
    check_several(labels=() if labels is None else labels)
    kind = _kind_of(model, kind, labels, settings)
    if vocabulary is not None and not isinstance(vocabulary, Vocabulary):
        raise InputError("vocabulary should be a Vocabulary, such as Vocabulary.load returns. "
                         f"Received: a {type(vocabulary).__name__}")
    how = recipes.get(recipe).with_rules(kind.rules, recipe)
    lengths = checked_lengths(lengths, model.config)
    details = metadata.Metadata(
        kind=kind, recipe=recipe, lengths=lengths, config=model.config, runtime=how.runtime,
        num_classes=model.num_classes if kind.has_labels else None, vocabulary=vocabulary,
        lower_case=lower_case, pairs=pairs)
    _check_finite(model)
    model = _in_float32(model)
    graphs = _graphs(from_keras(model, kind), lengths, how,
                     _checked_calibration(calibration, how, recipe, lengths))
    # The longest first: it is what clients without signatures run. Recipes without rules leave
    # matrices in float32, so that the GPU runs their files completely.
    graph, runtime = graph_file.assemble(
        {details.signature(length): graphs[length] for length in reversed(lengths)},
        tuple(INPUT_NAMES), in_int8=bool(how.rules))
    details = dataclasses.replace(details, runtime=runtime)
    content = metadata.attach(graph, details)
    return ExportResult(content, _report(content, model, details))


def _kind_of(model, kind, labels, settings):
    """The kind that was given, if it is the model's; else the one that builds such a model."""
    if kind is None:
        return kinds.of(model, None if labels is None else tuple(labels), settings)
    if (labels, settings) != (None, None):
        raise InputError("labels and settings are in the kind that was given: leave them out, or "
                         "the kind")
    if not isinstance(kind, Kind):
        raise InputError(f"kind should be a Kind with labels and settings. Received: {kind!r}")
    if not kind.matches(model):
        raise InputError(f"the kind is {kind.name}, and the model, a {type(model).__name__}, is "
                         f"for {kinds.of(model).name}")
    return kind


def _check_finite(model) -> None:
    """Raise InputError, naming the variable, if a weight is NaN or infinite."""
    for variable in model.weights:
        values = variable.numpy()
        if np.issubdtype(values.dtype, np.integer):
            continue
        # Through float32, since NumPy knows no bfloat16.
        wrong = int(np.sum(~np.isfinite(values.astype(np.float32))))
        if wrong:
            name = variable.name.removesuffix(":0")
            raise InputError(f"{wrong} of the {values.size} values in the model's {name} are not "
                             "finite numbers, so it cannot be exported; train it again with a "
                             "lower learning rate")


def _checked_calibration(calibration, settings, recipe, lengths):
    """The examples, padded to the longest length; None if there are none."""
    if calibration is None:
        if settings.calibrated:
            raise InputError(f"the recipe {recipe} learns ranges from texts of the task: give "
                             "it a calibration set")
        return None
    names = tuple(INPUT_NAMES.values())
    shapes = {np.shape(calibration[name]) if name in calibration else () for name in names}
    if len(shapes) > 1 or len(shape := shapes.pop()) != 2:
        raise InputError("a calibration set should have input_word_ids, input_mask and "
                         "input_type_ids of one shape (examples, length)")
    count, width = shape
    if not count:
        raise InputError("the calibration set is empty")
    if width > lengths[-1]:
        raise InputError(f"the calibration set is {width} tokens long, the file {lengths[-1]}")
    return {name: np.pad(calibration[name], ((0, 0), (0, lengths[-1] - width))).astype(np.int32)
            for name in names}


def _in_float32(model):
    """The model itself, or a copy that computes in float32."""
    if model.encoder.embedding.compute_dtype == "float32":
        return model
    with computing_in("float32"):
        copy = type(model).from_config(model.get_config())
    copy.set_weights(model.get_weights())
    return copy


def _graphs(lean, lengths, settings, calibration):
    """A flatbuffer for each length, rewritten and quantized by the recipe."""
    found = ranges.estimated(lean) if calibration is None else ranges.measured(lean, calibration)
    lean = graph_rewrites.rewritten(lean, settings.rewrites, found)
    held, variables = in_variables(lean)
    graphs = {length: _convert(held, variables, length, settings) for length in lengths}
    if not settings.rules:
        return graphs
    longest = lengths[-1]
    if settings.calibrated:
        rows, found = _rows(calibration), ranges.measured(lean, calibration)
    else:  # the ranges of tables are in the tables, so any row does
        rows, found = [{name: np.zeros((1, longest), np.int32) for name in INPUT_NAMES}], {}
    # Learned at the longest length for all, so that the graphs' weights are equal bytes.
    learned = quantize.calibrate(graphs[longest], settings, rows, found)
    return {length: quantize.quantize(graph, settings, learned)
            for length, graph in graphs.items()}


def _convert(lean, variables, length, settings):
    signature = [tf.TensorSpec((1, length), tf.int32)] * len(INPUT_NAMES)

    @tf.function(input_signature=signature, autograph=False)
    def serve(ids, mask, segment_ids):
        return lean_graph.outputs(lean, ids, mask, segment_ids)

    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [serve.get_concrete_function()], variables)
    converter.optimizations = [tf.lite.Optimize(name) for name in settings.optimizations]
    if settings.float16_weights:
        converter.target_spec.supported_types = [tf.float16]
    try:
        content = converter.convert()
    except ConverterError as error:
        raise InputError("TensorFlow's converter does not take this model: "
                         f"{reasons.last_line(error)}") from error
    return graph_file.name_outputs(content, lean.head.kind.output_scope)


def _rows(calibration):
    """The examples as a signature takes them, and one more with a second segment and padding.

    Single sentences have no second segment, and long texts no padding. A mask that is always 0 in
    calibration would be 0 in the file too.
    """
    rows = [{name: calibration[keras_name][row:row + 1]
             for name, keras_name in INPUT_NAMES.items()}
            for row in range(len(calibration["input_word_ids"]))]
    halved = np.cumsum(rows[0]["mask"], axis=1) > rows[0]["mask"].sum() // 2
    padded = rows[0]["mask"].copy()
    padded[:, -1] = 0
    return [*rows, {**rows[0], "mask": padded,
                    "segment_ids": (halved * padded).astype(np.int32)}]


def _report(content, model, details):
    runner = Runner(content)
    partitions, nodes = runner.delegation()
    return ExportReport(
        kind=details.kind.name, recipe=details.recipe, lengths=details.lengths, bytes=len(content),
        outputs=_output_reports(runner, model, details),
        xnnpack_partitions=partitions, nodes=nodes, runtime=details.runtime,
        versions={"mobilebert-tf": __version__, **{
            package: importlib.metadata.version(package) for package in (
                "tensorflow", "tf-keras", "ai-edge-litert", "ai-edge-quantizer")}})


def _output_reports(runner, model, details):
    """The largest differences of every output, over samples of all lengths."""
    reports = {}
    for length in details.lengths:
        inputs = _sample(details.config, length)
        expected = details.kind.keras_outputs(model, {
            name: tf.constant(values) for name, values in inputs.items()})
        for name, values in runner(inputs).items():
            _check_outputs(name, expected[name].numpy(), values, details.recipe)
            one = _output_report(expected[name].numpy(), values)
            before = reports.get(name, one)
            reports[name] = dataclasses.replace(
                one, max_difference=max(one.max_difference, before.max_difference),
                max_relative_difference=max(one.max_relative_difference,
                                            before.max_relative_difference))
    return reports


def _sample(config, length):
    """Rows of random tokens: full, half, shortest, one padding; the second half is segment 1."""
    random = np.random.default_rng(0)
    real = np.array([length, (length + 1) // 2, LEAST_LENGTH, length - 1])[:, np.newaxis]
    mask = (np.arange(length) < real).astype(np.int32)
    ids = random.integers(0, config.vocab_size, (_SAMPLE_ROWS, length), np.int32) * mask
    in_tail = (np.arange(length) >= real // 2) * mask
    return {"input_word_ids": ids, "input_mask": mask,
            "input_type_ids": in_tail * np.int32(min(config.type_vocab_size, 2) > 1)}


def _check_outputs(name, expected, actual, recipe):
    """Raise InputError for an output that is not finite, whose difference would say nothing."""
    if not np.isfinite(expected).all():
        raise InputError(f"the model's output {name} is not finite for random tokens, so it "
                         "cannot be exported; train it again with a lower learning rate")
    if not np.isfinite(actual).all():
        raise InputError(f"the output {name} of the {recipe} file is not finite where the "
                         "model's is; choose another recipe")


def _output_report(expected, actual):
    difference = float(np.max(np.abs(actual - expected)))
    return OutputReport(
        shape=(1, *actual.shape[1:]), max_difference=difference,
        max_relative_difference=difference / max(float(np.max(np.abs(expected))), 1e-30))
