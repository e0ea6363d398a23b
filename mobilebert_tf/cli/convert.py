"""`mobilebert convert`: a checkpoint from one layout to another."""

import collections
import dataclasses
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf import files, presets
from mobilebert_tf.cli import output
from mobilebert_tf.errors import InputError

EXAMPLES = """[bold]Examples[/bold]

mobilebert convert released/mobilebert_variables.ckpt --to huggingface --output mobilebert-uncased

mobilebert convert mobilebert-uncased --to google --output out/mobilebert.ckpt

mobilebert convert mobilebert-uncased --to keras --output runs/mobilebert

mobilebert convert runs/student/model --to huggingface --encoder-only --pooler first_token --output student"""  # noqa: E501


_OWN_CONFIG = "encoder_config.json"


class Layout(str, Enum):
    huggingface = "huggingface"
    google = "google"
    keras = "keras"


def run(
    source: Annotated[Path, typer.Argument(
        help="Hugging Face or model directory, or the prefix of a TF1 checkpoint.")],
    to: Annotated[Layout, typer.Option(help="Layout to write; keras is a model directory.")],
    target: Annotated[Path, typer.Option(
        "--output", help="Directory to write; for google, the checkpoint's prefix.")],
    config: Annotated[Path | None, typer.Option(
        help="bert_config.json (or encoder_config.json, ours) of a TF1 checkpoint; by default the "
             "one beside it.")] = None,
    preset: Annotated[str | None, typer.Option(
        help="Config of a TF1 checkpoint that has no bert_config.json.")] = None,
    encoder_only: Annotated[bool, typer.Option(
        "--encoder-only", help="Leave the heads behind.")] = False,
    pooler: Annotated[str | None, typer.Option(
        help="With --encoder-only, replaces the model's pooler: transformers' MobileBERT has "
             "first_token or tanh, and no mean.")] = None,
    json: output.JsonOption = None,
):
    """Convert a checkpoint; every tensor is used, or named as left out."""
    if preset is not None:
        presets.get(preset)  # a wrong name should not wait for TensorFlow
    contents, report = _read(source, config, preset)
    if encoder_only:
        from mobilebert_tf.models.repooling import with_pooler

        contents = dataclasses.replace(
            contents, model=with_pooler(contents.model.encoder, pooler), labels=None, task=None)
    elif pooler is not None:
        raise InputError("--pooler goes with --encoder-only: heads are trained on one pooler")
    _write(contents, to, target)
    kind = type(contents.model).__name__
    summary = {"model": kind, "parameters": contents.model.count_params()}
    output.results.print(f"{kind} with {summary['parameters']:,} parameters, written to {target}")
    if report is not None:
        summary.update(used=report.used, left_out=report.left_out)
        output.results.print(f"{len(report.used)} tensors used")
        for reason, count in collections.Counter(report.left_out.values()).items():
            output.results.print(f"{count} left out: {reason}")
    output.write_json(json, summary)


def _read(source, config, preset):
    """The model with what belongs to it, and the report of a published layout."""
    from mobilebert_tf import model_directory
    from mobilebert_tf.checkpoints import google

    if source.is_dir():
        if config is not None or preset is not None:
            raise InputError(f"{source} has its own config; --config and --preset are for TF1 "
                             "checkpoints")
        return model_directory.load_with_report(source)
    encoder_config = presets.get(preset) if preset else google.read_config(
        config or _config_beside(source))
    model, report = google.load_with_report(source, encoder_config)
    return model_directory.beside(source, model), report


def _config_beside(source):
    paths = [source.parent / name for name in ("bert_config.json", _OWN_CONFIG)]
    for path in paths:
        if path.exists():
            return path
    raise InputError(f"there is no {paths[0]}; name the config with --config or --preset")


def _write(contents, layout, target):
    from mobilebert_tf import model_directory
    from mobilebert_tf.checkpoints import google, huggingface

    if layout is Layout.keras:
        model_directory.save(target, contents)
        return
    if layout is Layout.google:
        google.save(contents.model, target)
        directory = target.parent
        # Google's own config cannot tell exact GELU from its approximation; ours can.
        files.write_atomically(directory / _OWN_CONFIG,
                               contents.model.config.to_json().encode() + b"\n")
    else:
        huggingface.save(contents.model, target, labels=contents.labels)
        directory = target
    if contents.vocabulary is not None:
        contents.vocabulary.save(directory / "vocab.txt")
