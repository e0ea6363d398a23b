"""`mobilebert vocab`: learn a WordPiece vocabulary."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output
from mobilebert_tf.cli.corpus import quiet_beam
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.waiting import waiting

EXAMPLES = """[bold]Examples[/bold]

mobilebert vocab --text novels/ --size 8192 --output vocab.txt

mobilebert vocab --text '*.txt' --cased --output vocab.txt --json learned.json"""


def run(
    text: Annotated[list[str], typer.Option(
        help="UTF-8 text: a file, a glob, or a directory, whose .txt files are taken. May be given "
             "several times.")],
    output_file: Annotated[Path, typer.Option("--output", help="The vocabulary.")],
    size: Annotated[int, typer.Option(min=6, help="Most pieces.")] = 8192,
    cased: Annotated[bool, typer.Option("--cased", help="Keep case and accents.")] = False,
    most: Annotated[int, typer.Option(
        "--megabytes", min=1, help="Learn from so much text, drawn from all of it at random: what "
        "is read stays in memory.")] = 100,
    seed: Annotated[int, typer.Option(help="Of what is drawn.")] = 1,
    json: output.JsonOption = None,
):
    """Learn a WordPiece vocabulary from texts; the same texts give the same one."""
    quiet_beam()
    from mobilebert_tf.data.corpus.documents import find_files, sample
    from mobilebert_tf.text.learning import learn_vocabulary

    files = find_files(text)
    with waiting(f"Reading {len(files):,} files"):
        texts, counters = sample(files, most * 1_000_000, seed)
    if not texts:
        raise InputError(f"there is no text in {len(files)} files")
    with waiting("Learning the vocabulary"):
        vocabulary = learn_vocabulary(texts, size, lower_case=not cased)
    vocabulary.save(output_file)
    output.results.print(f"{len(vocabulary):,} pieces in {output_file}, from "
                         f"{counters['bytes'] / 1e6:,.1f} MB of text", soft_wrap=True)
    for name, count in sorted(counters.items()):
        if name.startswith("skipped_") and count:
            output.results.print(f"{name.replace('skipped_', 'skipped: ').replace('_', ' ')} "
                                 f"{count:,}")
    output.write_json(json, {"output": str(output_file), "pieces": len(vocabulary),
                             "cased": cased, "counters": counters})
