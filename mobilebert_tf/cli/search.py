"""`mobilebert search`: the rows that are most alike to a query."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output
from mobilebert_tf.cli.arguments import check_unicode

EXAMPLES = """[bold]Examples[/bold]

mobilebert embed embedding.tflite --texts lines.txt --output out/lines

mobilebert search out/lines "where can i eat?" --top-k 3

mobilebert search out/lines "where can i eat?" --approximate"""


def run(
    directory: Annotated[Path, typer.Argument(help="What mobilebert embed wrote.")],
    queries: Annotated[list[str], typer.Argument(help="Texts to search for.")],
    top_k: Annotated[int, typer.Option(
        min=1, help="How many rows to print for each query, the most alike first.")] = 5,
    model: Annotated[Path | None, typer.Option(
        help="The model that made the directory, if it was moved since.")] = None,
    approximate: Annotated[bool, typer.Option(
        "--approximate",
        help="Compare with few of the rows, through an index that the first such search makes. It "
             "may miss a row, and needs the extra faiss.")] = False,
    json: output.JsonOption = None,
):
    """Search an embedded directory by meaning: compare the query with every row.

    With --approximate it reads a small part of a large directory.
    """
    check_unicode(queries)
    from mobilebert_tf.inference.search import search
    from mobilebert_tf.kinds.embedding import cosine_in_words

    found = search(directory, queries, top_k=top_k, model=model, approximate=approximate)
    for query, rows in zip(queries, found, strict=True):
        if len(queries) > 1:
            output.results.print(query, style="bold", soft_wrap=True)
        for row in rows:
            output.results.print(
                f"{cosine_in_words(row['cosine'])}  {row['id']}  {row['text']}", soft_wrap=True)
    output.write_json(json, {"directory": str(directory), "searches": [
        {"query": query, "rows": rows} for query, rows in zip(queries, found, strict=True)]})
