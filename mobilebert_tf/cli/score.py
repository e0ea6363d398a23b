"""`mobilebert score`: the scores of a model over files of rows with labels."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import batch, output, scores
from mobilebert_tf.cli.models import ModelsOption

EXAMPLES = """[bold]Examples[/bold]

mobilebert score sst2.tflite --texts reviews.jsonl --output out/reviews

mobilebert score intent --texts 'requests/*.jsonl' --output out/requests --json scores.json

mobilebert score mrpc.tflite --pairs --texts pairs.jsonl --output out/pairs"""


def run(
    model: Annotated[str, typer.Argument(
        help="A .tflite file for classification, several labels or regression, its package, a "
             "model directory, or the short name of a model that mobilebert models lists.")],
    texts: Annotated[list[str], typer.Option(
        help="Files of any size: a .jsonl file or a glob; may be given several times. A row is an "
             "object with text and label, and perhaps id and second_text. A label is a class, a "
             "number, or a list of classes.")],
    output_directory: Annotated[Path, typer.Option("--output", help=batch.OUTPUT_HELP)],
    pairs: Annotated[bool, typer.Option("--pairs", help="Each row has second_text.")] = False,
    format: batch.FormatOption = None,
    shard_rows: batch.ShardRowsOption = None,
    length: batch.LengthOption = None,
    threads: batch.ThreadsOption = 1,
    workers: batch.WorkersOption = None,
    beam_flag: batch.BeamFlagOption = None,
    models: ModelsOption = None,
    json: output.JsonOption = None,
):
    """Score a model on rows with labels, as an Apache Beam job.

    The scores are those of evaluate, for files of any size. Texts are not kept in memory. A job
    that is stopped and started again does the shards that are missing. The predictions are written
    too. Rows without a known label or without an answer do not count; bad_rows.jsonl has them.
    """
    batch.require_beam()
    from mobilebert_tf.inference import shipped
    from mobilebert_tf.inference.batch.over_files import score_files

    found = batch.run(
        score_files, shipped.resolve(model, models), texts, output_directory, json=json,
        settings={"pairs": pairs, "format": format and format.value, "shard_rows": shard_rows,
                  "length": length, "threads": threads, "workers": workers,
                  "beam_flags": beam_flag},
        split=lambda found: (found.result, {"scores": found.scores, "parts": found.parts}))
    scores.show(found.scores, found.parts)
