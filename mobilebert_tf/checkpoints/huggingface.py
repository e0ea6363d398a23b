"""Hugging Face directories (config.json and model.safetensors), read and written.

Source: transformers' modeling_mobilebert, modeling_bert and modeling_distilbert, and TinyBERT's
published code. What differs between them is in `huggingface_families`; what they share is here.
"""

import json
import os
import warnings
from pathlib import Path

import msgspec
import numpy as np
import safetensors.numpy

from mobilebert_tf import records
from mobilebert_tf.checkpoints import (
    architectures,
    config_fields,
    huggingface_tensors,
    names,
    sentence_transformers,
)
from mobilebert_tf.checkpoints.architectures import Architecture
from mobilebert_tf.checkpoints.assignment import assign, check
from mobilebert_tf.checkpoints.huggingface_families import (
    ACTIVATIONS,
    FAMILIES,
    LEFT_OUT,
    MULTI_LABEL,
    TORCH_EPSILON,
    Family,
)
from mobilebert_tf.checkpoints.transformers_class import TransformersClass
from mobilebert_tf.config import EmbeddingPooler, EncoderConfig
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import written_atomically


def load(directory: str | os.PathLike):
    """Return the model of a Hugging Face directory; see `load_with_report`."""
    return load_with_report(directory)[0]


def load_with_report(directory: str | os.PathLike) -> tuple:
    """Read config.json and model.safetensors (or pytorch_model.bin) strictly.

    The sizes in config.json are compared with the tensors before anything is built.

    Args:
      directory: as `save_pretrained` writes it for MobileBERT, BERT or DistilBERT, or as TinyBERT's
        code does: without `model_type`, which is then BERT's, and without `architectures`.
    Returns:
      The model and a `LoadReport`. The model's class follows `architectures` in config.json:
      ForPreTraining and ForMaskedLM give a `Pretrainer`, ForSequenceClassification a `Classifier`
      (for several labels a text where `problem_type` says so), ForTokenClassification a
      `TokenClassifier`, ForQuestionAnswering a `QuestionAnswerer`, Model an `Encoder`. A pooler or
      next-sentence head that the file holds beyond its architecture (bert-base-uncased does) is
      loaded too. Without a pooler in the file, the pooled output is the mean over the tokens where
      sentence-transformers' files say so, else the first token's state.
    Raises:
      InputError: for a missing or damaged file, an unknown architecture, or a tensor that is
        missing, left over or of another shape.
    """
    directory = Path(directory)
    path, model_type = _read_model_type(directory)
    fields = records.read(path, FAMILIES[model_type].record)
    source, stored = huggingface_tensors.read(directory)
    family = next((other for other in FAMILIES.values() if other.is_shown_by(stored, model_type)),
                  FAMILIES[model_type])
    architecture, written_as = _architecture(path, family, fields, stored)
    prefix = family.prefix if any(n.startswith(f"{family.prefix}.") for n in stored) else ""
    has_pooler = (_values(family, fields)["classifier_activation"]
                  and (written_as.reads_pooled_output
                       or f"{prefix}.pooler.dense.weight".lstrip(".") in stored))
    without_dense = sentence_transformers.pooler(directory) or "first_token"
    config = _config(path, family, fields, family.dense_pooler if has_pooler else without_dense)
    settings = _settings(architecture, written_as, family, config, fields, stored, source)
    places = {family.name(place.name, prefix): place
              for place in names.of(architecture, config, settings)}
    left_out = {
        **_aliases(family, prefix, places, stored),
        **{name: why for name in stored for end, why in LEFT_OUT.items() if name.endswith(end)}}
    check(source, {name: family.shape(place) for name, place in places.items()}, stored, left_out)
    _check_ties(source, family, prefix, stored, left_out)
    model = architecture.build(config, settings)
    variables = names.google_names(model)
    report = assign(
        source, {name: variables[place.name] for name, place in places.items()}, stored,
        lambda name: family.is_transposed(places[name].name), left_out)
    return model, report


def save(model, directory: str | os.PathLike, labels: tuple[str, ...] | None = None,
         embedding_pooler: EmbeddingPooler | None = None) -> None:
    """Write config.json and model.safetensors as transformers reads them.

    For an encoder with a known way of embedding, write what sentence-transformers reads too.

    Args:
      model: a model of ours that transformers has a class for.
      directory: made where it does not exist; other files in it stay, but for what
        sentence-transformers reads of another model.
      labels: names of the classes; by default LABEL_0 and so on.
      embedding_pooler: how the states of a text's tokens become its embedding; by default `mean`
        where that is the encoder's pooler, else not known.
    Raises:
      InputError: when transformers has no class that computes the same, the labels are not one for
        each class or could not be read back, or the place cannot be written.
    """
    directory = Path(directory)
    family, fields = _describe(model, labels)
    # A bare encoder's tensors have no prefix.
    prefix = "" if model is model.encoder else family.prefix
    tensors = {}
    for google_name, variable in names.google_names(model).items():
        value = variable.numpy()
        tensors[family.name(google_name, prefix)] = np.ascontiguousarray(
            value.T if family.is_transposed(google_name) else value)
    # Together: weights under the config of another model could load, and be wrong.
    with written_atomically(directory / "model.safetensors", directory / "config.json") as (
            weights, config):
        weights.write_bytes(safetensors.numpy.save(tensors, metadata={"format": "pt"}))
        config.write_bytes(json.dumps(fields, indent=2).encode() + b"\n")
    if embedding_pooler is None and model.config.pooler == "mean":
        embedding_pooler = "mean"
    if embedding_pooler is not None:
        sentence_transformers.save(directory, model.config, embedding_pooler)
    else:
        sentence_transformers.remove(directory)


def read_labels(directory: str | os.PathLike) -> tuple[str, ...] | None:
    """Return the class names in config.json, in order; None where it names none."""
    path, model_type = _read_model_type(Path(directory))
    fields = records.read(path, FAMILIES[model_type].record)
    if fields.id2label is None:
        return None
    try:
        return tuple(fields.id2label[str(index)] for index in range(len(fields.id2label)))
    except KeyError as error:
        raise InputError(f"{path}: id2label has no class {error}") from error


class _ModelType(msgspec.Struct):
    # Files from before transformers 2.0 name none: they are BERT's.
    model_type: str = "bert"


def _read_model_type(directory):
    """Return the path of config.json, and the model type in it."""
    path = directory / "config.json"
    name = records.read(path, _ModelType).model_type
    if name not in FAMILIES:
        raise InputError(f"{path}: model_type {name!r} is not supported; "
                         f"known are {', '.join(FAMILIES)}")
    return path, name


def _architecture(path, family, fields, stored) -> tuple[Architecture, TransformersClass]:
    """Return the architecture and the class of transformers that config.json names.

    Where it names none, the tensors of the heads do.
    """
    known = {family.class_prefix + written_as.suffix: (architecture, written_as)
             for architecture in architectures.every() for written_as in architecture.transformers
             if written_as.suffix not in family.lacks}
    given = fields.architectures or family.classes_of(stored)
    if not given:
        raise InputError(f"{path} names no architecture; set \"architectures\", for example to "
                         f"[\"{family.class_prefix}Model\"]")
    name = family.other_names.get(given[0], given[0])
    if name not in known:
        raise InputError(f"{path}: architecture {name} is not supported; known are "
                         f"{', '.join(known)}")
    if fields.is_decoder:
        raise InputError(f"{path}: a decoder is not supported")
    if fields.position_embedding_type != "absolute":
        raise InputError(f"{path}: position_embedding_type "
                         f"{fields.position_embedding_type!r} is not supported")
    return known[name]


def _settings(architecture, written_as, family, config, fields, stored, source):
    field = family.dropout_fields[written_as.reads]
    dropout = 0.0 if field is None else getattr(fields, field)
    if dropout is None:
        dropout = (config.hidden_dropout if family.head_dropout is None else family.head_dropout)
    values = {"next_sentence": "cls.seq_relationship.weight" in stored, "dropout": dropout,
              "multi_label": fields.problem_type == MULTI_LABEL, **written_as.settings}
    if architecture.has_classes:
        values["num_classes"] = _num_classes(stored, source)
    return architecture.choose(values)


def _values(family, fields):
    """Return the fields by MobileBERT's names, with the family's defaults for absent ones."""
    return {**family.defaults, **{ours: getattr(fields, ours) for ours in family.field_names}}


def _config(path, family: Family, fields, pooler) -> EncoderConfig:
    values = _values(family, fields)
    two_epsilons = family.has_two_epsilons and values["normalization_type"] == "layer_norm"
    return config_fields.encoder_config(
        path, values, ACTIVATIONS, pooler=pooler,
        layer_norm_epsilon=values["layer_norm_eps"],
        embedding_and_output_norm_epsilon=(
            fields.embedding_and_output_norm_epsilon if two_epsilons else None))


def _num_classes(stored, source):
    tensor = stored.get("classifier.weight")
    if tensor is None or len(tensor.shape) != 2 or not tensor.shape[0]:
        raise InputError(f"{source} has no tensor classifier.weight of two axes, which the model "
                         "needs")
    return tensor.shape[0]


def _aliases(family, prefix, places, stored):
    """Return the stored tensors that repeat another one, with the reason to leave them out."""
    known = {place.name for place in places.values()}
    return {alias: f"equal to {family.name(google_name, prefix)}, which it is tied to"
            for alias, google_name in family.tied.items()
            if alias in stored and google_name in known}


def _check_ties(source, family, prefix, stored, left_out):
    for alias in family.tied.keys() & left_out.keys():
        tensor = family.name(family.tied[alias], prefix)
        if (stored[alias].shape != stored[tensor].shape
                or not np.array_equal(stored[alias].read(), stored[tensor].read())):
            raise InputError(f"{source}: {alias} should equal {tensor}, which it is tied to")


def _describe(model, labels):
    """Return the model's family and the fields of its config.json."""
    config, architecture = model.config, architectures.of(model)
    settings = architecture.choose(model.get_config())
    family, written_as = _family(config), _transformers_class(architecture, settings)
    name = family.class_prefix + written_as.suffix
    if written_as.suffix in family.lacks:
        raise InputError(f"transformers has no {name} that computes the same as this model with "
                         f"pooler={config.pooler!r} and its heads; save the encoder alone, or the "
                         "model with model.save()")
    if config.pooler == "mean" and model is not model.encoder:
        raise InputError(f"transformers' {name} reads no mean over the tokens; save the encoder "
                         f"alone, or a model with pooler=\"{family.dense_pooler}\" or "
                         "\"first_token\"")
    if (family.pooled_heads_need_dense and written_as.reads_pooled_output
            and not config.has_dense_pooler):
        raise InputError(f"transformers' {name} needs pooler=\"{family.dense_pooler}\". "
                         f"Received: pooler={config.pooler!r}")
    if (family.pooler_is_of_head and not written_as.reads_pooled_output
            and config.has_dense_pooler):
        raise InputError(f"transformers' {name} has no dense pooler; save the model with "
                         f"pooler=\"first_token\". Received: pooler={config.pooler!r}")
    fields = {"architectures": [name], **family.fields(config)}
    if (family.has_two_epsilons and config.normalization == "layer_norm"
            and config.embedding_and_output_norm_epsilon != TORCH_EPSILON):
        warnings.warn(
            "transformers' MobileBERT adds 1e-5 to the variance in two of its LayerNorms, this "
            f"model {config.embedding_and_output_norm_epsilon or config.layer_norm_epsilon}: "
            "its outputs will differ slightly there", stacklevel=3)
        fields["embedding_and_output_norm_epsilon"] = config.embedding_and_output_norm_epsilon
    dropout_field = family.dropout_fields[written_as.reads]
    dropout = getattr(settings, "dropout", None)
    if dropout_field is not None and dropout is not None:
        fields[dropout_field] = dropout
    elif dropout:
        warnings.warn(f"transformers' {name} has no dropout before its head: the model's rate of "
                      f"{dropout:g} is not saved", stacklevel=3)
    if architecture.has_classes:
        labels = labels or tuple(f"LABEL_{index}" for index in range(settings.num_classes))
        records.check_labels(labels)
        if len(labels) != settings.num_classes:
            raise InputError(f"the model has {settings.num_classes} classes: give each a name of "
                             f"its own. Received: {', '.join(labels)}")
        fields["id2label"] = {str(index): label for index, label in enumerate(labels)}
        fields["label2id"] = {label: index for index, label in enumerate(labels)}
    if getattr(settings, "multi_label", False):
        fields["problem_type"] = MULTI_LABEL
    return family, fields


def _family(config):
    refusals = {family: family.refusal(config) for family in FAMILIES.values()}
    for family, refusal in refusals.items():
        if refusal is None:
            return family
    raise InputError(f"transformers has no model like this one: {'; '.join(refusals.values())}")


def _transformers_class(architecture, settings):
    """Return the first of transformers' classes whose settings the model has."""
    for written_as in architecture.transformers:
        if all(getattr(settings, name) == value for name, value in written_as.settings.items()):
            return written_as
    raise InputError(f"transformers has no class for a {architecture.model.__name__}; save its "
                     "encoder, or the model with model.save()")
