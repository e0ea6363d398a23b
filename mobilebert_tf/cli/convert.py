"""`mobilebert convert`: a checkpoint from one layout to another."""

import collections
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf import conversion, presets
from mobilebert_tf.cli import output

EXAMPLES = """[bold]Examples[/bold]

mobilebert convert released/mobilebert_variables.ckpt --to huggingface --output mobilebert-uncased

mobilebert convert cased_L-12_H-768_A-12/bert_model.ckpt --cased --to huggingface --output bert-base-cased

mobilebert convert mobilebert-uncased --to google --output out/mobilebert.ckpt

mobilebert convert mobilebert-uncased --to keras --output runs/mobilebert

mobilebert convert runs/student/model --to huggingface --encoder-only --pooler mean --output student"""  # noqa: E501


def run(
    source: Annotated[Path, typer.Argument(
        help="Hugging Face or model directory, or the prefix of a TF1 checkpoint.")],
    to: Annotated[conversion.Layout, typer.Option(
        help="Layout to write; keras is a model directory.")],
    target: Annotated[Path, typer.Option(
        "--output", help="Directory to write; for google, the checkpoint's prefix.")],
    config: Annotated[Path | None, typer.Option(
        help="bert_config.json of a TF1 checkpoint, or our encoder_config.json; by default the "
             "one beside it.")] = None,
    preset: Annotated[str | None, typer.Option(
        help="Preset that is the config of a TF1 checkpoint without a bert_config.json.")] = None,
    cased: Annotated[bool, typer.Option(
        "--cased", help="A TF1 checkpoint keeps case and accents, as Google's cased models do.")
        ] = False,
    encoder_only: Annotated[bool, typer.Option(
        "--encoder-only", help="Leave the heads out.")] = False,
    pooler: Annotated[str | None, typer.Option(
        help="Replace the pooler, with --encoder-only. transformers has first_token; "
             "sentence-transformers reads mean too.")] = None,
    json: output.JsonOption = None,
):
    """Convert a checkpoint; every tensor is used, or named as left out."""
    if preset is not None:
        presets.get(preset)  # a wrong name should not wait for TensorFlow
    converted = conversion.convert(source, to, target, config=config, preset=preset, cased=cased,
                                   encoder_only=encoder_only, pooler=pooler)
    summary = {"model": converted.model, "parameters": converted.parameters}
    output.results.print(f"{converted.model} with {converted.parameters:,} parameters, written to "
                         f"{target}")
    if report := converted.report:
        summary.update(used=report.used, left_out=report.left_out)
        output.results.print(f"{len(report.used)} tensors used")
        for reason, count in collections.Counter(report.left_out.values()).items():
            output.results.print(f"{count} left out: {reason}")
    if lost := converted.lost_settings:
        summary["lost_settings"] = lost
        output.progress.print(
            f"The layout {to} has no place for "
            + ", ".join(f"{name} = {value:.4g}" for name, value in lost.items())
            + ": a model that is read from it has the default.", style="yellow", soft_wrap=True)
    output.write_json(json, summary)
