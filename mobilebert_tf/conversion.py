"""A checkpoint from one layout to another."""

import dataclasses
import os
import typing
from pathlib import Path

from mobilebert_tf import files, kinds, model_directory, presets
from mobilebert_tf.checkpoints.load_report import LoadReport
from mobilebert_tf.errors import InputError
from mobilebert_tf.text import tokenizer_config

Layout = typing.Literal["huggingface", "google", "keras"]

_OWN_CONFIG, _GOOGLE_CONFIG = "encoder_config.json", "bert_config.json"


@dataclasses.dataclass(frozen=True)
class Converted:
    """The result of `convert`.

    Args:
      model: the name of the model's class.
      parameters: of the model, its heads included.
      report: how each tensor of a published layout was used; None for a model directory of ours.
      lost_settings: settings of the kind, such as a threshold, for which the layout has no place. A
        model that is read from it has the defaults.
    """

    model: str
    parameters: int
    report: LoadReport | None
    lost_settings: dict[str, float]


def convert(source: str | os.PathLike, layout: Layout, output: str | os.PathLike, *,
            config: str | os.PathLike | None = None, preset: str | None = None,
            cased: bool = False, encoder_only: bool = False,
            pooler: str | None = None) -> Converted:
    """Convert a checkpoint; every tensor is used, or named as left out.

    Args:
      source: a Hugging Face or model directory, or the prefix of a TF1 checkpoint.
      layout: `keras` is a model directory.
      output: the directory to write; for `google`, the checkpoint's prefix. Other files there stay,
        but for the tokenizer's files of an earlier model.
      config: bert_config.json of a TF1 checkpoint, or our encoder_config.json; by default the one
        beside it.
      preset: name of the preset that is the config of a TF1 checkpoint without a file for it.
      cased: whether a TF1 checkpoint reads texts as they are. If not, they are lower-cased unless
        a tokenizer_config.json beside it says otherwise: Google's own files do not tell.
      encoder_only: whether to leave the heads out.
      pooler: replaces the model's pooler, with `encoder_only`. transformers has first_token;
        sentence-transformers reads mean too. One with weights, such as tanh, cannot be made.
    Raises:
      InputError: when the source cannot be read, the layout cannot express the model, a pooler has
        weights that the model lacks, or the output cannot be written.
    """
    if layout not in typing.get_args(Layout):
        raise InputError(f"there is no layout {layout!r}; known are "
                         f"{', '.join(typing.get_args(Layout))}")
    if pooler is not None and not encoder_only:
        raise InputError("pooler goes with encoder_only: heads are trained on one pooler")
    contents, report = _read(Path(source), config, preset, cased)
    if encoder_only:
        from mobilebert_tf.models.repooling import with_pooler

        encoder = with_pooler(contents.model.encoder, pooler)
        if encoder is not contents.model.encoder and encoder.config.has_dense_pooler:
            raise InputError(f"{source} has no trained pooler {pooler}, and a new one has random "
                             "weights: choose mean or first_token, or leave the pooler out")
        contents = dataclasses.replace(
            contents, model=encoder, kind=kinds.of(encoder), task=None, columns=None, length=None,
            # Another pooler says anew how embeddings are made.
            embedding_pooler=contents.embedding_pooler if pooler is None else None)
    _write(contents, layout, Path(output), Path(source))
    return Converted(type(contents.model).__name__, contents.model.count_params(), report,
                     {} if layout == "keras" else _chosen(contents.kind.settings))


def _chosen(settings):
    """The settings of a kind that are not its defaults."""
    if settings is None:
        return {}
    defaults = type(settings)().to_json()
    return {name: value for name, value in settings.to_json().items() if value != defaults[name]}


def _read(source, config, preset, cased):
    """The model with what belongs to it, and the report of a published layout."""
    from mobilebert_tf.checkpoints import google

    if source.is_dir():
        if config is not None or preset is not None or cased:
            raise InputError(f"{source} has its own config; config, preset and cased are for TF1 "
                             "checkpoints")
        return model_directory.load_with_report(source)
    if not Path(f"{source}.index").exists():
        raise InputError(f"there is no directory {source} and no TF1 checkpoint of this name "
                         f"({source}.index): a model to convert is one of these")
    if config is not None and preset is not None:
        raise InputError("config and preset say the same thing: give one of them")
    encoder_config = presets.get(preset) if preset else google.read_config(
        config or _config_beside(source))
    model, report = google.load_with_report(source, encoder_config)
    contents = model_directory.beside(source, model)
    return dataclasses.replace(contents, lower_case=contents.lower_case and not cased), report


def _config_beside(source):
    paths = [source.parent / name for name in (_GOOGLE_CONFIG, _OWN_CONFIG)]
    for path in paths:
        if path.exists():
            return path
    raise InputError(f"there is no {paths[0]}; name the config or the preset of the checkpoint")


def _write(contents, layout, output, source):
    from mobilebert_tf.checkpoints import google, huggingface

    if layout == "keras":
        if model_directory.is_model_directory(output) and output.resolve() != source.resolve():
            raise InputError(f"{output} has another model in it: name another directory")
        model_directory.save(output, contents)
        return
    directory = output.parent if layout == "google" else output
    if model_directory.is_own(directory):
        raise InputError(f"{directory} has another model in it, which would be read in place of "
                         "this one: name another directory")
    if layout == "google" and (directory / _GOOGLE_CONFIG).exists():
        raise InputError(f"{directory} has a {_GOOGLE_CONFIG}, with which this checkpoint would be "
                         "read: name another directory")
    home = source if source.is_dir() else source.parent
    replaces = directory.resolve() != home.resolve() and (
        model_directory.is_model_directory(directory) or (directory / _OWN_CONFIG).exists())
    if layout == "google":
        google.save(contents.model, output)
        # Google's own config cannot tell exact GELU from its approximation; ours can.
        files.write_atomically(directory / _OWN_CONFIG,
                               contents.model.config.to_json().encode() + b"\n")
    else:
        huggingface.save(contents.model, output, labels=contents.labels,
                         embedding_pooler=contents.embedding_pooler)
    if replaces:
        # If the disk is full now, an earlier model's tokenizer must not stay beside these weights.
        tokenizer_config.remove(directory)
    if contents.vocabulary is not None:
        tokenizer_config.save(directory, contents.vocabulary, contents.lower_case,
                              contents.model.config.max_positions)
