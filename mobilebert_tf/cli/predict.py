"""`mobilebert predict`: what an exported file says of a text."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from mobilebert_tf.cli import output

EXAMPLES = """[bold]Examples[/bold]

mobilebert predict sst2.tflite "a gripping film" "it drags"

mobilebert predict mlm.tflite "the capital of France is \\[MASK]." --top-k 3

mobilebert predict squad.tflite "Who wrote it?" --text-pair "It was written by Ada.\""""


def run(
    file: Annotated[Path, typer.Argument(help="A .tflite file that export wrote.")],
    texts: Annotated[list[str], typer.Argument(help="Texts, or questions.")],
    text_pair: Annotated[str | None, typer.Option(
        help="Second text of each: the other sentence, or where to look for the answer.")] = None,
    threads: Annotated[int | None, typer.Option(
        min=1, help="Threads of the CPU kernels; LiteRT's own choice where not given.")] = None,
    top_k: Annotated[int, typer.Option(
        min=1, help="How many classes or pieces to print, best first.")] = 5,
    json: output.JsonOption = None,
):
    """Run a file on texts through LiteRT."""
    from mobilebert_tf.export import prediction, runner

    opened = runner.Runner(file, threads)
    predictions = prediction.predict(opened, texts, text_pair, top_k)
    for one in predictions:
        output.results.print(f"[bold]{escape(one['text'])}[/bold]")
        for line in _LINES[opened.metadata.task](one):
            output.results.print(f"  {escape(line)}")
        if one["truncated"]:
            output.progress.print(f"  (cut to the {opened.metadata.length} tokens that the model "
                                  "takes)")
    output.write_json(json, {"file": str(file), "task": opened.metadata.task,
                             "predictions": predictions})


def _ranked(entries, key):
    return (f"{entry['probability']:7.4f}  {entry[key]}" for entry in entries)


def _mask_lines(one):
    for number, pieces in enumerate(one["masks"], 1):
        if len(one["masks"]) > 1:
            yield f"mask {number}"
        yield from _ranked(pieces, "piece")


_LINES = {
    "classification": lambda one: _ranked(one["classes"], "label"),
    "regression": lambda one: [f"{one['score']:.4f}"],
    "tagging": lambda one: (
        f"{token['token']}  {token['label']}  {token['probability']:.4f}"
        for token in one["tokens"]),
    "fill_mask": _mask_lines,
    "question_answering": lambda one: [one["answer"]],
}
