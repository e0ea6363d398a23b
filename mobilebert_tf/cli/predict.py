"""`mobilebert predict`: what a model says about texts."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.checks import LEAST_LENGTH
from mobilebert_tf.cli import batch, output
from mobilebert_tf.cli.arguments import check_unicode
from mobilebert_tf.cli.models import ModelsOption
from mobilebert_tf.data import lines
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.counted import counted

EXAMPLES = """[bold]Examples[/bold]

mobilebert predict sst2.tflite "a gripping film" "it drags"

mobilebert predict sst2 "a gripping film"

mobilebert predict runs/sst2 --file reviews.txt --json answers.json

mobilebert predict mlm.tflite "the capital of France is \\[MASK]." --top-k 3

mobilebert predict squad.tflite "Who wrote it?" --second-text "It was written by Ada."

mobilebert predict embedding.tflite --query "Where can I eat?" --file lines.txt

cat lines.txt | mobilebert predict restaurant.tflite -

mobilebert predict sst2.tflite --texts 'reviews/*.txt' --output out/reviews --format parquet

mobilebert predict mrpc.tflite --pairs --file pairs.tsv"""


ModelArgument = Annotated[str, typer.Argument(
    help="A .tflite file that export wrote, its package, a model directory, a .keras file, a "
         "cascade's .json, or the short name of a model that mobilebert models lists.")]
TextsArgument = Annotated[list[str] | None, typer.Argument(
    help="Texts, or questions; - for the lines of standard input.")]
FileOption = Annotated[Path | None, typer.Option(
    metavar="FILE", help="A file with further texts, one a line.")]
SecondTextOption = Annotated[str | None, typer.Option(
    help="Second text of each: the other sentence, or the text to find the answer in.")]
PairsOption = Annotated[bool, typer.Option(
    "--pairs", help="Each text holds two, with a tab between them.")]
QueryOption = Annotated[str | None, typer.Option(
    help="Rank the texts by how close their embeddings are to this text's.")]
NullThresholdOption = Annotated[float | None, typer.Option(
    help="Null odds above which a question has no answer; by default the threshold that "
         "fine-tuning on squad_v2 picked. Without one a model always answers, as with inf.")]
LengthOption = Annotated[int | None, typer.Option(
    min=LEAST_LENGTH, help="The most tokens of a sequence; by default the length of the "
                           "fine-tuning. A file has its own.")]
ThreadsOption = Annotated[int | None, typer.Option(
    min=1, help="Threads of the CPU kernels; by default LiteRT's own choice, and 1 in each process "
                "of a job.")]
TopKOption = Annotated[int, typer.Option(
    min=1, help="How many classes, pieces, answers or texts to print, best first. A question gives "
                "at most 20 answers. An answer's probability is its share among all spans of "
                "the text that may be answers.")]
JobTextsOption = Annotated[list[str] | None, typer.Option(
    "--texts", metavar="FILES", rich_help_panel=batch.PANEL, help=batch.TEXTS_HELP)]
OutputOption = Annotated[Path | None, typer.Option(
    "--output", rich_help_panel=batch.PANEL, help=batch.OUTPUT_HELP)]


def run(
    model: ModelArgument,
    texts: TextsArgument = None,
    file: FileOption = None,
    second_text: SecondTextOption = None,
    pairs: PairsOption = False,
    query: QueryOption = None,
    null_threshold: NullThresholdOption = None,
    length: LengthOption = None,
    threads: ThreadsOption = None,
    top_k: TopKOption = 5,
    job_texts: JobTextsOption = None,
    output_directory: OutputOption = None,
    format: batch.FormatOption = None,
    shard_rows: batch.ShardRowsOption = None,
    workers: batch.WorkersOption = None,
    beam_flag: batch.BeamFlagOption = None,
    models: ModelsOption = None,
    json: output.JsonOption = None,
):
    """Run a model on texts; an exported file runs in LiteRT.

    With --texts and --output it is an Apache Beam job over files of any size, which continues when
    it is started again.
    """
    if pairs and (second_text is not None or query is not None):
        raise InputError("--pairs reads second texts from the texts; leave out "
                         f"{'--query' if second_text is None else '--second-text'}")
    texts = texts or []
    check_unicode(text for text in (*texts, second_text, query) if text is not None)
    settings = {} if null_threshold is None else {"null_threshold": null_threshold}
    if job_texts:
        _leave_out("--texts names files of any size",
                   {"TEXTS": texts, "--file": file, "--query": query})
        _run_job(model, models, job_texts, output_directory, json, top_k, settings, {
            "pairs": pairs, "second_text": second_text, "format": format and format.value,
            "shard_rows": shard_rows, "length": length, "threads": threads, "workers": workers,
            "beam_flags": beam_flag})
        return
    _leave_out("there is no job without --texts", {
        "--output": output_directory, "--format": format, "--shard-rows": shard_rows,
        "--workers": workers, "--beam-flag": beam_flag})
    texts = _texts(texts, file)
    from mobilebert_tf.inference import shipped

    model = shipped.resolve(model, models)
    if query is not None:
        _leave_out("--query ranks texts by their embeddings", {
            "--second-text": second_text, "--null-threshold": settings, "--length": length,
            "--threads": threads})
        _rank(model, query, texts, top_k, json)
    else:
        texts, second_texts = _split(texts) if pairs else (texts, second_text)
        _predict(model, texts, second_texts, length, threads, top_k, settings, json)


def _predict(model, texts, second_texts, length, threads, top_k, settings, json):
    from mobilebert_tf.inference.predict import opened, predict

    runner = opened(model, length, threads)
    predictions = predict(runner, texts, second_texts, top_k=top_k, settings=settings)
    for one in predictions:
        output.results.print(one["text"], style="bold", soft_wrap=True)
        for line in _lines(runner.kind, one):
            output.results.print(f"  {line}", soft_wrap=True)
        answering = runner
        if "answered_by" in one:
            output.results.print(f"  (by the {one['answered_by']} model)")
            answering = runner.model_of(one)
        if one["truncated"]:
            output.progress.print(f"  ({answering.kind.what_is_cut(answering.length)})")
    output.write_json(json, {"model": str(model), "kind": runner.kind.name,
                             "predictions": predictions})


def _leave_out(why, options):
    """Raise InputError for an option that has no meaning here."""
    for name, value in options.items():
        if value:
            raise InputError(f"leave out {name}: {why}")


def _run_job(model, models, job_texts, output_directory, json, top_k, kind_settings, settings):
    if output_directory is None:
        raise InputError("name the directory for the answers with --output")
    batch.require_beam()
    from mobilebert_tf.inference import cascade, shipped
    from mobilebert_tf.inference.batch.over_files import predict_files

    model = shipped.resolve(model, models)
    if cascade.is_cascade(model):
        raise InputError(f"{model} is a cascade, and --texts takes one model: name one of its two "
                         "files")
    batch.run(predict_files, model, job_texts, output_directory,
              json=json, settings=settings, top_k=top_k, kind_settings=kind_settings)


def _rank(model, query, texts, top_k, json):
    from mobilebert_tf.inference.predict import rank
    from mobilebert_tf.kinds.embedding import cosine_in_words

    ranking = rank(model, query, texts)
    empty = len(texts) - len(ranking)
    if empty:
        output.progress.print(f"{counted(empty, 'empty text')} left out")
    for cosine, text in ranking[:top_k]:
        output.results.print(f"{cosine_in_words(cosine)}  {text}", soft_wrap=True)
    output.write_json(json, {"model": str(model), "query": query, "empty": empty, "ranking": [
        {"cosine": cosine, "text": text} for cosine, text in ranking]})


def _lines(kind, prediction):
    if "empty" in prediction:
        return [" and ".join(_EMPTY[part] for part in prediction["empty"])]
    return kind.lines(prediction)


_EMPTY = {"text": "(empty)", "second_text": "(empty second text)"}


def _split(texts):
    """The first and the second texts of lines that have a tab between them."""
    found = [text.split("\t") for text in texts]
    for number, parts in enumerate(found, 1):
        if len(parts) != 2:
            raise InputError(f"with --pairs each text is two with one tab between; text {number} "
                             f"has {len(parts) - 1} tabs")
    return tuple(map(list, zip(*found, strict=True)))


def _texts(given, file):
    found = []
    if "-" in given and sys.stdin is None:
        raise InputError("standard input is closed: there are no lines to read from -")
    for text in given:
        found += (_stripped(lines.decoded(sys.stdin.buffer, "standard input")) if text == "-"
                  else [text])
    if file is not None:
        if lines.suffix(file) == ".jsonl":
            raise InputError(f"{file} has an object a line, and --file takes a text a line: read "
                             "it with --texts and --output")
        found += _stripped(lines.read(file))
    if not found and file is not None:
        raise InputError(f"there is no text in {file}")
    if not found:
        raise InputError("no text was given: name texts, a file with --file, or - for standard "
                         "input")
    return found


def _stripped(numbered):
    return [line.rstrip("\r\n") for _, line in numbered]
