"""`mobilebert corpus`: texts to shards of tokenized examples."""

import contextlib
import enum
import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.console import SafeConsole
from mobilebert_tf.terminal.progress import Progress
from mobilebert_tf.terminal.table import Table

EXAMPLES = """[bold]Examples[/bold]

mobilebert corpus --text wiki.txt --vocab vocab.txt --output out/wiki

mobilebert corpus --text novels/ --document file --length 512 --vocab vocab.txt --output out/novels

mobilebert corpus --tfds wiki40b/en --examples sentences --vocab vocab.txt --output out/sentences

mobilebert corpus --text 'gs://texts/*.txt' --vocab vocab.txt --output /mnt/all/corpus -- --runner=FlinkRunner --flink_master=host:8081"""  # noqa: E501


class Examples(str, enum.Enum):
    pairs = "pairs"
    sentences = "sentences"


class Document(str, enum.Enum):
    block = "block"
    file = "file"


class SplitBy(str, enum.Enum):
    rule = "rule"
    lines = "lines"


def run(
    vocab: Annotated[Path, typer.Option(help="Vocabulary, one piece a line.")],
    output_directory: Annotated[Path, typer.Option(
        "--output", help="Directory for the corpus; all workers must see it under this name.")],
    text: Annotated[list[str] | None, typer.Option(
        help="UTF-8 text: a file, a glob, or a directory, whose .txt files are taken. May be given "
             "several times.")] = None,
    tfds: Annotated[str | None, typer.Option(
        help="Name of a TensorFlow dataset, whose examples are documents.")] = None,
    tfds_feature: Annotated[str, typer.Option(help="Its feature with the text.")] = "text",
    tfds_directory: Annotated[str | None, typer.Option(
        help="Where TFDS keeps its datasets.")] = None,
    examples: Annotated[Examples, typer.Option(
        help="pairs: two segments up to the length, half of the time from different documents, for "
             "next-sentence prediction. sentences: one sentence each.")] = Examples.pairs,
    length: Annotated[int, typer.Option(min=5, help="Most tokens of an example: 128, 512.")] = 128,
    document: Annotated[Document, typer.Option(
        help="What a document is. block: what stands between blank lines. file: a file, where "
             "blank lines only separate paragraphs, as in novels. No pair goes across the end of a "
             "document, and none is in both splits.")] = Document.block,
    split_by: Annotated[SplitBy, typer.Option(
        help="Where sentences end. rule: lines are joined, and the language's rules decide. lines: "
             "every line is a sentence.")] = SplitBy.rule,
    language: Annotated[str, typer.Option(help="Language code, for the rule.")] = "en",
    cased: Annotated[bool, typer.Option("--cased", help="Keep case and accents.")] = False,
    short_probability: Annotated[float, typer.Option(
        min=0, max=1, help="Of a pair made for a random shorter length.")] = 0.1,
    validation: Annotated[float, typer.Option(
        min=0, max=0.5, help="Share of the documents kept for validation.")] = 0.01,
    seed: Annotated[int, typer.Option(help="Same texts, same seed: same files.")] = 1,
    workers: Annotated[int, typer.Option(
        min=1, help="Processes of the local runner.", show_default="one a processor")
    ] = os.cpu_count() or 1,
    overwrite: Annotated[bool, typer.Option(
        "--overwrite", help="Replace the corpus at the output.")] = False,
    beam_flags: Annotated[list[str] | None, typer.Argument(
        metavar="[-- BEAM FLAGS]", help="Flags of Apache Beam, as --runner.",
        show_default=False)] = None,
    json: output.JsonOption = None,
):
    """Make a pre-training corpus of texts: tokenized, shuffled TFRecord shards.

    An Apache Beam job whose memory does not grow with the texts. Skipped and counted are lines that
    are not UTF-8 or longer than 1 MB, what a block has beyond 1 MB, and empty files.
    """
    if not text and not tfds:
        raise InputError("give --text (files, globs, directories) or --tfds (a dataset)")
    if beam_flags and not beam_flags[0].startswith("-"):
        raise InputError(f"{beam_flags[0]} is not a flag of Beam: give every text its own --text, "
                         "or put a pattern into quotation marks")
    check_output(output_directory, overwrite)
    corpus, seconds = make(
        text or (), (tfds, tfds_directory, tfds_feature), vocab, cased, output_directory, workers,
        beam_flags or (), examples=examples.value, length=length, document=document.value,
        split_by=split_by.value, language=language, short_probability=short_probability,
        validation=validation, seed=seed)
    show(corpus, seconds)
    settings = {**corpus.settings, "text": text, "tfds": tfds, "vocab": str(vocab), "cased": cased}
    output.write_json(json, {"directory": str(output_directory), "seconds": seconds,
                             "counters": corpus.counters, "settings": settings})


def make(text, dataset, vocab, cased, directory, workers, beam_flags, **settings):
    """Makes the corpus under a progress bar; returns it, and the seconds it took."""
    from mobilebert_tf.text.tokenizer import Tokenizer

    tokenizer = Tokenizer(vocab, lower_case=not cased)
    quiet_beam()
    from mobilebert_tf.data.corpus.dataset_texts import find_dataset
    from mobilebert_tf.data.corpus.documents import find_files
    from mobilebert_tf.data.corpus.item import Settings
    from mobilebert_tf.data.corpus.job import ITEM_BYTES, make_corpus

    settings = Settings(**settings)
    files = find_files(text)
    parts = find_dataset(*dataset, ITEM_BYTES) if dataset[0] else ()
    total = sum(file.size for file in files) + sum(part.size for part in parts)
    started = time.monotonic()
    with messages_kept(aside=not beam_flags) as console, Progress(
            "starting", round(total / 1e6), "MB", console=console) as progress:
        corpus = make_corpus(
            files, parts, tokenizer, directory, settings, workers, beam_flags,
            lambda done, count, size: progress.update(
                round(size / 1e6), f"{done} of {count} parts"))
    return corpus, time.monotonic() - started


def check_output(directory: Path, overwrite: bool) -> None:
    """Only a corpus is ever replaced, and only when that is asked for.

    Raises:
      InputError: when there is something else at `directory`, or a corpus and no `overwrite`.
    """
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        return
    if not (directory / "corpus.json").is_file():
        raise InputError(f"{directory} is there and is not a corpus: choose another --output")
    if not overwrite:
        raise InputError(f"{directory} holds a corpus: choose another --output, or replace it with "
                         "--overwrite")


def quiet_beam() -> None:
    """Imports Beam without its warnings about clouds that nobody uses.

    Raises:
      InputError: when it is not installed.
    """
    logging.disable(logging.WARNING)
    try:
        import apache_beam  # noqa: F401
    except ImportError as error:
        raise InputError("a corpus needs apache-beam: install the extra `corpus`") from error
    finally:
        logging.disable(logging.NOTSET)


@contextlib.contextmanager
def messages_kept(aside: bool) -> Iterator[SafeConsole]:
    """Keeps what Beam's local workers say aside, and shows it when the block fails otherwise than
    by bad input; yields a console that is heard meanwhile.
    """
    if not aside:
        yield output.progress
        return
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as messages, os.fdopen(os.dup(kept), "w") as heard:
        os.dup2(messages.fileno(), 2)
        try:
            yield SafeConsole(file=heard)
        except Exception as error:
            if not isinstance(error, InputError):
                messages.seek(0)
                os.write(kept, messages.read())
            raise
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)


def show(corpus, seconds: float) -> None:
    """Prints the counters, the speed, and what may be wrong with the texts."""
    counters = corpus.counters
    skipped = {name: count for name, count in counters.items() if name.startswith("skipped_")}
    output.results.print(Table(
        f"Corpus in {corpus.directory}", (Column("what", words=True), Column("count")),
        [(name.replace("skipped_", "skipped: ").replace("_", " "), f"{count:,}")
         for name, count in [*((name, count) for name, count in counters.items()
                               if name not in skipped), *skipped.items()]
         if count or not name.startswith("skipped_")]))
    output.results.print(f"{seconds:.1f} s: {counters['bytes'] / 1e6 / seconds:.2f} MB/s, "
                         f"{counters['tokens'] / seconds:,.0f} tokens/s")
    single = counters.get("documents_of_one_sentence", 0) / max(1, counters["documents"])
    if single > 0.3 and corpus.settings["document"] == "block":
        output.progress.print(
            f"{single:.0%} of the documents have one sentence, which only gives pairs with "
            "a random second part; where blank lines separate paragraphs, use --document file",
            style="yellow", soft_wrap=True)
    if not counters["examples_validation"] and corpus.settings["validation"]:
        output.progress.print("too few documents for a validation split: it is empty",
                              style="yellow", soft_wrap=True)
