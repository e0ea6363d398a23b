"""`mobilebert vocab`: learn a WordPiece vocabulary."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output, startup
from mobilebert_tf.cli.corpus import TEXT_HELP
from mobilebert_tf.terminal.waiting import waiting

EXAMPLES = """[bold]Examples[/bold]

mobilebert vocab --text novels/ --size 8192 --output vocab.txt

mobilebert vocab --text '*.txt' --cased --output vocab.txt --json learned.json"""


def run(
    text: Annotated[list[str], typer.Option(help=TEXT_HELP)],
    output_file: Annotated[Path, typer.Option("--output", help="The vocabulary file to write.")],
    size: Annotated[int, typer.Option(min=6, help="Most pieces.")] = 8192,
    cased: Annotated[bool, typer.Option("--cased", help="Keep case and accents.")] = False,
    megabytes: Annotated[int, typer.Option(
        min=1, help="Learn from this much text, sampled from all files and held in memory.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed for sampling the text.")] = 1,
    json: output.JsonOption = None,
):
    """Learn a WordPiece vocabulary from texts; the same texts give the same vocabulary."""
    startup.beam("corpus")
    from mobilebert_tf.data.corpus.learning import learn_from_files

    with waiting("Learning a vocabulary"):
        vocabulary, counters = learn_from_files(
            text, size, lower_case=not cased, megabytes=megabytes, seed=seed)
    vocabulary.save(output_file)
    output.results.print(f"{len(vocabulary):,} pieces in {output_file}, from "
                         f"{counters['bytes'] / 1e6:,.1f} MB of text", soft_wrap=True)
    for name, count in sorted(counters.items()):
        if name.startswith("skipped_") and count:
            output.results.print(f"{output.counter_name(name)} {count:,}")
    output.write_json(json, {"output": str(output_file), "pieces": len(vocabulary),
                             "cased": cased, "counters": counters})
