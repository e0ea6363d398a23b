"""`mobilebert embed`: the sentence embeddings of files of texts."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import batch, output
from mobilebert_tf.cli.models import ModelsOption

EXAMPLES = """[bold]Examples[/bold]

mobilebert embed embedding.tflite --texts lines.txt --output out/lines

mobilebert embed mini_embedding --texts 'texts/*.jsonl' --output out/texts --format parquet

mobilebert search out/lines "where can i eat?" """


def run(
    model: Annotated[str, typer.Argument(
        help="A .tflite file for embedding or encoding, its package, a model directory, or the "
             "short name of a model that mobilebert models lists.")],
    texts: Annotated[list[str], typer.Option(help=batch.TEXTS_HELP)],
    output_directory: Annotated[Path, typer.Option("--output", help=batch.OUTPUT_HELP)],
    format: batch.FormatOption = None,
    shard_rows: batch.ShardRowsOption = None,
    length: batch.LengthOption = None,
    threads: batch.ThreadsOption = 1,
    workers: batch.WorkersOption = None,
    beam_flag: batch.BeamFlagOption = None,
    models: ModelsOption = None,
    json: output.JsonOption = None,
):
    """Embed the rows of files, as an Apache Beam job.

    Memory does not grow with the files. A job that is stopped and started again does the shards
    that are missing. Rows without an answer are set aside in bad_rows.jsonl.
    """
    batch.require_beam()
    from mobilebert_tf.inference import shipped
    from mobilebert_tf.inference.batch.over_files import embed_files

    batch.run(embed_files, shipped.resolve(model, models), texts, output_directory, json=json,
              settings={"format": format and format.value, "shard_rows": shard_rows,
                        "length": length, "threads": threads, "workers": workers,
                        "beam_flags": beam_flag})
