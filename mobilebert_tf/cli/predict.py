"""`mobilebert predict`: what a model says of texts."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output, tasks
from mobilebert_tf.data import lines
from mobilebert_tf.errors import InputError

EXAMPLES = """[bold]Examples[/bold]

mobilebert predict sst2.tflite "a gripping film" "it drags"

mobilebert predict runs/sst2 --file reviews.txt --json answers.json

mobilebert predict mlm.tflite "the capital of France is \\[MASK]." --top-k 3

mobilebert predict squad.tflite "Who wrote it?" --text-pair "It was written by Ada."

mobilebert predict embedding.tflite --query "Where can I eat?" --file lines.txt

cat lines.txt | mobilebert predict restaurant.tflite -

mobilebert predict mrpc.tflite --pairs --file pairs.tsv"""

# Of a model that was not fine-tuned, or whose directory does not say with what.
_LENGTH = 384


def run(
    model: Annotated[Path, typer.Argument(
        help="A .tflite file that export wrote, a model directory, or a .keras file.")],
    texts: Annotated[list[str] | None, typer.Argument(
        help="Texts, or questions; - for the lines of standard input.")] = None,
    file: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Texts too, one a line.")] = None,
    text_pair: Annotated[str | None, typer.Option(
        help="Second text of each: the other sentence, or where to look for the answer.")] = None,
    pairs: Annotated[bool, typer.Option(
        "--pairs", help="Each text is two, with a tab between: the second one too.")] = False,
    query: Annotated[str | None, typer.Option(
        help="Rank the texts by how alike their embeddings are to this one's.")] = None,
    null_threshold: Annotated[float | None, typer.Option(
        help="Null odds above which a question has no answer; by default those that were best when "
             "the model was fine-tuned on squad_v2. Others always answer, as with inf.")] = None,
    length: Annotated[int | None, typer.Option(
        min=4, help="The most tokens of a sequence; by default what the model was fine-tuned "
                    f"with, or {_LENGTH}. A file has its own.")] = None,
    threads: Annotated[int | None, typer.Option(
        min=1, help="Threads of the CPU kernels; LiteRT's own choice where not given.")] = None,
    top_k: Annotated[int, typer.Option(
        min=1, help="How many classes, pieces, answers or texts to print, best first. An "
                     "answer's probability is among all spans that it could be.")] = 5,
    json: output.JsonOption = None,
):
    """Run a model on texts, an exported file through LiteRT."""
    from mobilebert_tf.tasks import prediction

    if pairs and (text_pair is not None or query is not None):
        raise InputError("--pairs reads second texts from the texts; leave out "
                         f"{'--query' if text_pair is None else '--text-pair'}")
    texts = texts or []
    _check_unicode(text for text in (*texts, text_pair, query) if text is not None)
    texts = _texts(texts, file)
    if pairs:
        texts, text_pair = _split(texts)
    tasks.check_there(model)
    length = length or tasks.trained_length(model) or _LENGTH
    runner = tasks.open_runner(model, length, threads, None if query is None else "embedding")
    if query is not None:
        ranking = prediction.rank(runner, query, texts)
        empty = len(texts) - len(ranking)
        if empty:
            output.progress.print(f"{empty:,} empty text{'s' * (empty != 1)} left out")
        for cosine, text in ranking[:top_k]:
            output.results.print(f"{cosine:7.4f}  {text}", soft_wrap=True)
        output.write_json(json, {"model": str(model), "query": query, "empty": empty, "ranking": [
            {"cosine": cosine, "text": text} for cosine, text in ranking]})
        return
    predictions = prediction.predict(runner, texts, text_pair, top_k, null_threshold)
    for one in predictions:
        output.results.print(one["text"], style="bold", soft_wrap=True)
        for line in _lines_of(runner.kind, one):
            output.results.print(f"  {line}", soft_wrap=True)
        if one["truncated"]:
            output.progress.print(f"  (cut to the {runner.length} tokens that the model takes)")
    output.write_json(json, {"model": str(model), "task": runner.kind,
                             "predictions": predictions})


def _split(texts):
    """First and second texts of lines that have a tab between them."""
    found = [text.split("\t") for text in texts]
    for number, parts in enumerate(found, 1):
        if len(parts) != 2:
            raise InputError(f"with --pairs each text is two with one tab between; text {number} "
                             f"has {len(parts) - 1} tabs")
    return tuple(map(list, zip(*found, strict=True)))


def _check_unicode(texts):
    """InputError for an argument in another encoding than the terminal's."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(f"the text {text!r} is not valid Unicode: give it in the encoding of "
                             "the terminal, or in a file with --file") from error


def _texts(given, file):
    found = []
    for text in given:
        found += (_lines(lines.decoded(sys.stdin.buffer, "standard input")) if text == "-"
                  else [text])
    if file is not None:
        found += _lines(lines.read(file))
    if not found:
        raise InputError("no text was given: name texts, a file with --file, or - for standard "
                         "input")
    return found


def _lines(numbered):
    return [line.rstrip("\r\n") for _, line in numbered]


def _lines_of(kind, one):
    """What is printed of a prediction."""
    if "empty" in one:
        return [" and ".join(_EMPTY[part] for part in one["empty"])]
    return _LINES[kind](one)


def _ranked(entries, key):
    return (f"{entry['probability']:7.4f}  {entry[key]}" for entry in entries)


def _mask_lines(one):
    for number, pieces in enumerate(one["masks"], 1):
        if len(one["masks"]) > 1:
            yield f"mask {number}"
        yield from _ranked(pieces, "piece")


def _answer_lines(one):
    yield one["answer"] or "(no answer)"
    yield from _ranked(one["answers"], "text")


_EMPTY = {"text": "(empty)", "second_text": "(empty second text)"}
_LINES = {
    "classification": lambda one: _ranked(one["classes"], "label"),
    "regression": lambda one: [f"{one['score']:.4f}"],
    "tagging": lambda one: (
        f"{entity['probability']:7.4f}  {entity['type']}  {entity['text']}  "
        f"({entity['start']}-{entity['end']})" for entity in one["entities"]),
    "fill_mask": _mask_lines,
    "question_answering": _answer_lines,
}
