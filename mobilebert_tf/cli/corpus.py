"""`mobilebert corpus`: make a pre-training corpus of texts."""

import time
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf import machine
from mobilebert_tf.checks import LEAST_LENGTH
from mobilebert_tf.cli import beam, output, startup
from mobilebert_tf.data.corpus.settings import CorpusSettings, DocumentKind, Examples, SplitBy
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.table import Table

EXAMPLES = """[bold]Examples[/bold]

mobilebert corpus --text wiki.txt --vocab vocab.txt --output out/wiki

mobilebert corpus --text novels/ --document file --length 512 --vocab vocab.txt --output out/novels

mobilebert corpus --tfds wiki40b/en --examples sentences --vocab vocab.txt --output out/sentences

mobilebert corpus --text 'gs://texts/*.txt' --vocab vocab.txt --output /mnt/all/corpus -- --runner=FlinkRunner --flink_master=host:8081"""  # noqa: E501
# If more documents have one sentence, blank lines probably separate paragraphs.
_MOST_SINGLE = 0.3

TEXT_HELP = ("UTF-8 text: a file, a glob, or a directory with .txt files. May be given several "
             "times.")
ExamplesOption = Annotated[Examples, typer.Option(
    help="pairs: two segments up to the length, half of the time from different documents, for "
         "next-sentence prediction. sentences: one sentence each.")]
DocumentOption = Annotated[DocumentKind, typer.Option(
    help="What a document is. block: the text between two blank lines. file: a file, in which "
         "blank lines only separate paragraphs, as in novels. A pair labelled as following comes "
         "from one document, and a document is in one split.")]
SplitByOption = Annotated[SplitBy, typer.Option(
    help="Where sentences end. rule: lines are joined, and the language's rules decide. lines: "
         "every line is a sentence.")]
BeamFlags = Annotated[list[str] | None, typer.Argument(
    metavar="[-- BEAM FLAGS]", help="Flags of Apache Beam, such as --runner.", show_default=False)]


def run(
    vocab: Annotated[Path, typer.Option(help="Vocabulary, one piece a line.")],
    output_directory: Annotated[Path, typer.Option(
        "--output", help="Directory for the corpus; all workers must see it under this name.")],
    text: Annotated[list[str] | None, typer.Option(help=TEXT_HELP)] = None,
    tfds: Annotated[str | None, typer.Option(
        help="Name of a TensorFlow dataset whose examples are documents.")] = None,
    tfds_feature: Annotated[str, typer.Option(help="The dataset's text feature.")] = "text",
    tfds_directory: Annotated[str | None, typer.Option(
        help="Where TFDS keeps its datasets.")] = None,
    examples: ExamplesOption = CorpusSettings.examples,
    length: Annotated[int, typer.Option(
        min=LEAST_LENGTH, help="Most tokens of an example, such as 128 or 512.",
    )] = CorpusSettings.length,
    document: DocumentOption = CorpusSettings.document,
    split_by: SplitByOption = CorpusSettings.split_by,
    language: Annotated[str, typer.Option(
        help="Language code, such as de, for the rule. Unknown languages get English rules."),
        ] = CorpusSettings.language,
    cased: Annotated[bool, typer.Option("--cased", help="Keep case and accents.")] = False,
    short_probability: Annotated[float, typer.Option(
        min=0, max=1, help="Probability that a pair is made for a random shorter length.")
    ] = CorpusSettings.short_probability,
    validation: Annotated[float, typer.Option(
        min=0, max=0.5, help="Fraction of the documents kept for validation.")
    ] = CorpusSettings.validation,
    seed: Annotated[int, typer.Option(
        help="Seed; the same texts and seed give the same files.")] = CorpusSettings.seed,
    workers: Annotated[int, typer.Option(
        min=1, help="Processes of the local runner.", show_default="one a processor")
    ] = machine.usable_cores(),
    overwrite: Annotated[bool, typer.Option(
        "--overwrite", help="Replace the corpus at the output.")] = False,
    beam_flags: BeamFlags = None,
    json: output.JsonOption = None,
):
    """Make a pre-training corpus of texts: tokenized, shuffled TFRecord shards.

    An Apache Beam job does the work; its memory does not grow with the texts. Lines that are not
    UTF-8 or longer than 1 MB, lines of a block beyond its first 1 MB, and empty files are skipped
    and counted.
    """
    settings = CorpusSettings(
        examples=examples, length=length, short_probability=short_probability,
        validation=validation, document=document, split_by=split_by, language=language, seed=seed)
    corpus, seconds = _make(
        text or (), vocab, cased, output_directory, settings, beam_flags or (), dataset=tfds,
        dataset_feature=tfds_feature, dataset_directory=tfds_directory, overwrite=overwrite,
        workers=workers)
    _show(corpus, seconds)
    output.write_json(json, {
        "directory": str(output_directory), "seconds": seconds, "counters": corpus.counters,
        "settings": {**corpus.settings, "text": text, "tfds": tfds, "vocab": str(vocab),
                     "cased": cased}})


def _make(texts, vocab, cased, directory, settings, beam_flags, **options):
    """Make the corpus under a progress bar; return it and the seconds it took."""
    if beam_flags and not beam_flags[0].startswith("-"):
        raise InputError(f"{beam_flags[0]} is not a flag of Beam: give every text its own --text, "
                         "or put a pattern into quotation marks")
    startup.beam("corpus", "sentencex", "google_crc32c")
    from mobilebert_tf.data.corpus.job import make_corpus
    from mobilebert_tf.text.tokenizer import Tokenizer

    tokenizer = Tokenizer(vocab, lower_case=not cased)
    started = time.monotonic()
    with beam.progress("MB", beam_flags) as progress:
        corpus = make_corpus(
            texts, tokenizer, directory, settings, beam_flags=beam_flags,
            on_progress=lambda done, parts, size, total: progress.update(
                round(size / 1e6), f"{done} of {parts} parts", round(total / 1e6)), **options)
    return corpus, time.monotonic() - started


def _show(corpus, seconds):
    """Print the counters, the speed, and what may be wrong with the texts."""
    counters = corpus.counters
    # Skipped things come last; the sort is stable.
    shown = [(name, count) for name, count in sorted(
        counters.items(), key=lambda entry: entry[0].startswith("skipped_"))
        if count or not name.startswith("skipped_")]
    output.results.print(Table(
        f"Corpus in {corpus.directory}", (Column("what", words=True), Column("count")),
        [(output.counter_name(name), f"{count:,}") for name, count in shown]))
    output.results.print(f"{seconds:.1f} s: {counters['bytes'] / 1e6 / seconds:.2f} MB/s, "
                         f"{counters['tokens'] / seconds:,.0f} tokens/s")
    single = counters.get("documents_of_one_sentence", 0) / max(1, counters["documents"])
    if single > _MOST_SINGLE and corpus.settings["document"] == "block":
        _warn(f"{single:.0%} of the documents have one sentence, which only gives pairs with a "
              "random second segment; if blank lines separate paragraphs, use --document file")
    if not counters["examples_validation"] and corpus.settings["validation"]:
        _warn("too few documents for a validation split: it is empty")


def _warn(sentence):
    output.progress.print(sentence, style="yellow", soft_wrap=True)
