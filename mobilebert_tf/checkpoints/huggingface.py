"""Hugging Face directories (config.json and model.safetensors), read and written.

Source: transformers' modeling_mobilebert, modeling_bert and modeling_distilbert. What differs
between the three is in `huggingface_families`; here is what they share.
"""

import json
import os
import warnings
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy

from mobilebert_tf.checkpoints import config_fields, torch_file
from mobilebert_tf.checkpoints.assignment import assign
from mobilebert_tf.checkpoints.huggingface_families import ACTIVATIONS, FAMILIES, Family
from mobilebert_tf.checkpoints.names import google_names
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically
from mobilebert_tf.models.classifier import Classifier
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.pretrainer import Pretrainer
from mobilebert_tf.models.question_answerer import QuestionAnswerer
from mobilebert_tf.models.token_classifier import TokenClassifier

# The architectures whose heads read the pooled output.
_SENTENCE_KINDS = ("ForPreTraining", "ForSequenceClassification")
# PyTorch's default, which transformers' MobileBERT leaves in two of its LayerNorms.
_TORCH_EPSILON = 1e-5


def load(directory: str | os.PathLike):
    """The model of a Hugging Face directory: `load_with_report` without the report."""
    return load_with_report(directory)[0]


def load_with_report(directory: str | os.PathLike) -> tuple:
    """Reads config.json and model.safetensors (or pytorch_model.bin) strictly.

    Args:
      directory: what `save_pretrained` wrote, of MobileBERT, BERT or DistilBERT.
    Returns:
      The model, by `architectures` in config.json: ForPreTraining and ForMaskedLM give a
      `Pretrainer`, ForSequenceClassification a `Classifier`, ForTokenClassification a
      `TokenClassifier`, ForQuestionAnswering a `QuestionAnswerer`, Model an `Encoder`; and a
      `LoadReport`. A pooler or next-sentence head that the file holds beyond its architecture
      (bert-base-uncased does) is loaded too.
    Raises:
      InputError: for a missing or damaged file, an unknown architecture, or a tensor that is
        missing, left over or of another shape.
    """
    directory = Path(directory)
    path = directory / "config.json"
    fields = config_fields.read_json(path)
    family, kind = _architecture(path, fields)
    source, stored = _tensors(directory)
    # Files converted from TF1 before 2019 keep TF1's names for the norms.
    current = {_current_name(name): name for name in stored}
    prefix = family.prefix if any(n.startswith(f"{family.prefix}.") for n in current) else ""

    has_next_sentence = "cls.seq_relationship.weight" in current
    has_pooler = (fields.get("classifier_activation", family.defaults["has_pooler"])
                  and (kind in _SENTENCE_KINDS
                       or f"{prefix}.pooler.dense.weight".lstrip(".") in current))
    encoder = Encoder(_config(path, fields, family, has_pooler))
    dropout = fields.get("classifier_dropout")
    if dropout is None:
        dropout = encoder.config.hidden_dropout

    def classes():
        if "classifier.weight" not in current:
            raise InputError(f"{source} has no tensor classifier.weight, which the model needs")
        return stored[current["classifier.weight"]]().shape[0]

    model = {
        "Model": lambda: encoder,
        "ForPreTraining": lambda: Pretrainer(encoder),
        "ForMaskedLM": lambda: Pretrainer(encoder, next_sentence=has_next_sentence),
        "ForSequenceClassification": lambda: Classifier(encoder, classes(), dropout),
        "ForTokenClassification": lambda: TokenClassifier(encoder, classes(), dropout),
        "ForQuestionAnswering": lambda: QuestionAnswerer(encoder),
    }[kind]()

    by_google_name = google_names(model)
    names = {family.name(name, prefix): name for name in by_google_name}
    left_out = {}
    for alias, google_name in family.tied.items():
        if alias in current and google_name in by_google_name:
            tensor = family.name(google_name, prefix)
            if tensor in current and not np.array_equal(stored[current[alias]](),
                                                        stored[current[tensor]]()):
                raise InputError(f"{source}: {alias} should equal {tensor}, which it is tied to")
            left_out[alias] = f"equal to {tensor}, which it is tied to"
    left_out.update({name: "buffer of position numbers" for name in current
                     if name.endswith("embeddings.position_ids")})
    report = assign(
        source, {name: by_google_name[google] for name, google in names.items()}, current,
        lambda name: stored[current[name]](), lambda name: family.is_transposed(names[name]),
        left_out)
    return model, report


def save(model, directory: str | os.PathLike, labels: tuple[str, ...] | None = None) -> None:
    """Writes config.json and model.safetensors as transformers reads them.

    Args:
      model: any model of ours that transformers has an architecture for.
      directory: made where it does not exist; other files in it are left alone.
      labels: names of the classes; LABEL_0 and so on where they are not given.
    Raises:
      InputError: when transformers has no architecture that computes the same, or the place
        cannot be written.
    """
    directory = Path(directory)
    family, fields = _describe(model, labels)
    prefix = "" if isinstance(model, Encoder) else family.prefix
    tensors = {}
    for google_name, variable in google_names(model).items():
        value = variable.numpy()
        tensors[family.name(google_name, prefix)] = np.ascontiguousarray(
            value.T if family.is_transposed(google_name) else value)
    write_atomically(directory / "model.safetensors",
                     safetensors.numpy.save(tensors, metadata={"format": "pt"}))
    write_atomically(directory / "config.json", json.dumps(fields, indent=2).encode() + b"\n")


def read_labels(directory: str | os.PathLike) -> tuple[str, ...] | None:
    """The class names in config.json, in order; None where there are none."""
    names = config_fields.read_json(Path(directory) / "config.json").get("id2label")
    if not names:
        return None
    try:
        return tuple(names[str(index)] for index in range(len(names)))
    except KeyError as error:
        raise InputError(f"{directory}/config.json: id2label has no class {error}") from error


def _architecture(path, fields):
    family = FAMILIES.get(fields.get("model_type"))
    if family is None:
        raise InputError(f"{path}: model_type {fields.get('model_type')!r} is not supported; "
                         f"known are {', '.join(FAMILIES)}")
    architectures = fields.get("architectures")
    if not architectures:
        raise InputError(f"{path} names no architecture; set \"architectures\", for example to "
                         f"[\"{family.class_prefix}Model\"]")
    name = architectures[0]
    kind = name.removeprefix(family.class_prefix)
    if not name.startswith(family.class_prefix) or kind not in family.kinds:
        known = ", ".join(family.class_prefix + kind for kind in family.kinds)
        raise InputError(f"{path}: architecture {name} is not supported; known are {known}")
    if fields.get("is_decoder"):
        raise InputError(f"{path}: a decoder is not supported")
    if fields.get("position_embedding_type", "absolute") != "absolute":
        raise InputError(f"{path}: position_embedding_type "
                         f"{fields['position_embedding_type']!r} is not supported")
    return family, kind


def _config(path, fields, family: Family, has_pooler) -> EncoderConfig:
    given = {ours: fields[theirs] for ours, theirs in family.field_names.items()
             if theirs in fields}
    values = {**family.defaults, **given}
    if values["embedding_size"] is None:
        values["embedding_size"] = values["hidden_size"]
    two_epsilons = family.has_two_epsilons and values["normalization_type"] == "layer_norm"
    return config_fields.encoder_config(
        path, values, ACTIVATIONS, pooler="tanh" if has_pooler else "first_token",
        layer_norm_epsilon=values["layer_norm_eps"],
        embedding_and_output_norm_epsilon=fields.get(
            "embedding_and_output_norm_epsilon", _TORCH_EPSILON) if two_epsilons else None)


def _tensors(directory):
    """The file's name, and tensor name -> function that reads it."""
    path = directory / "model.safetensors"
    if path.exists():
        try:
            file = safetensors.safe_open(path, "numpy")
            return str(path), {name: _reader(file, name) for name in file.keys()}  # noqa: SIM118
        except (OSError, safetensors.SafetensorError) as error:
            raise InputError(f"{path} is not a safetensors file: {error}") from error
    path = directory / "pytorch_model.bin"
    if path.exists():
        tensors = torch_file.read(path)
        return str(path), {name: _constant(value) for name, value in tensors.items()}
    raise InputError(f"{directory} has neither model.safetensors nor pytorch_model.bin")


def _reader(file, name):
    return lambda: file.get_tensor(name)


def _constant(value):
    return lambda: value


def _current_name(name):
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace(
        "LayerNorm.beta", "LayerNorm.bias")


def _describe(model, labels):
    """The family that the model belongs to and its config.json."""
    config = model.config
    refusals = {family: family.refusal(config) for family in FAMILIES.values()}
    family = next((family for family, refusal in refusals.items() if refusal is None), None)
    if family is None:
        raise InputError("transformers has no model like this one: "
                         + "; ".join(refusals.values()))
    kinds = {Encoder: "Model", Classifier: "ForSequenceClassification",
             TokenClassifier: "ForTokenClassification", QuestionAnswerer: "ForQuestionAnswering"}
    if isinstance(model, Pretrainer):
        kind = "ForMaskedLM" if model.nsp_head is None else "ForPreTraining"
    else:
        kind = kinds[type(model)]
    if kind not in family.kinds:
        raise InputError(f"transformers' {family.class_prefix}{kind} differs from ours; save this "
                         "model with model.save() instead")
    if (family.sentence_heads_need_pooler and kind in _SENTENCE_KINDS
            and config.pooler != "tanh"):
        raise InputError(f"transformers' {family.class_prefix}{kind} needs pooler=\"tanh\". "
                         f"Received: pooler={config.pooler!r}")
    fields = {"architectures": [family.class_prefix + kind], **family.fields(config)}
    if (family.has_two_epsilons and config.normalization == "layer_norm"
            and config.embedding_and_output_norm_epsilon != _TORCH_EPSILON):
        warnings.warn(
            "transformers' MobileBERT adds 1e-5 to the variance in two of its LayerNorms, this "
            f"model {config.embedding_and_output_norm_epsilon or config.layer_norm_epsilon}: "
            "its outputs will differ slightly there", stacklevel=3)
        fields["embedding_and_output_norm_epsilon"] = config.embedding_and_output_norm_epsilon
    if kind in ("ForSequenceClassification", "ForTokenClassification"):
        labels = labels or tuple(f"LABEL_{index}" for index in range(model.num_classes))
        fields["classifier_dropout"] = model.get_config()["dropout"]
        fields["id2label"] = {str(index): label for index, label in enumerate(labels)}
        fields["label2id"] = {label: index for index, label in enumerate(labels)}
    return family, fields
