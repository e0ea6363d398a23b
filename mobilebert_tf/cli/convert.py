"""`mobilebert convert`: a checkpoint from one layout to another."""

import collections
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf import presets
from mobilebert_tf.cli import output
from mobilebert_tf.errors import InputError

EXAMPLES = """[bold]Examples[/bold]

mobilebert convert uncased_L-24_H-128_B-512_A-4_F-4_OPT/mobilebert_variables.ckpt --to huggingface --output mobilebert-uncased

mobilebert convert mobilebert-uncased --to google --output out/mobilebert.ckpt

mobilebert convert mobilebert-uncased --to keras --output runs/mobilebert"""


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
        help="bert_config.json of a TF1 checkpoint; by default the one beside it.")] = None,
    preset: Annotated[str | None, typer.Option(
        help="Config of a TF1 checkpoint that has no bert_config.json.")] = None,
    json: output.JsonOption = None,
):
    """Convert a checkpoint; every tensor is used, or named as left out."""
    if preset is not None:
        presets.get(preset)  # a wrong name should not wait for TensorFlow
    contents, report = _read(source, config, preset)
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
    path = config or source.parent / "bert_config.json"
    encoder_config = presets.get(preset) if preset else None
    if encoder_config is None:
        if not path.exists():
            raise InputError(f"there is no {path}; name the config with --config or --preset")
        encoder_config = google.read_config(path)
    model, report = google.load_with_report(source, encoder_config)
    return model_directory.beside(source, model), report


def _write(contents, layout, target):
    from mobilebert_tf import model_directory
    from mobilebert_tf.checkpoints import google, huggingface

    if layout is Layout.keras:
        model_directory.save(target, contents)
        return
    if layout is Layout.google:
        google.save(contents.model, target)
        directory = target.parent
    else:
        huggingface.save(contents.model, target, labels=contents.labels)
        directory = target
    if contents.vocabulary is not None:
        contents.vocabulary.save(directory / "vocab.txt")
