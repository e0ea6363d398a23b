"""`mobilebert tokenize`: word pieces, their ids and their places in the text."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output
from mobilebert_tf.cli.arguments import check_unicode
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.table import Table

EXAMPLES = """[bold]Examples[/bold]

mobilebert tokenize --vocab vocab.txt "Zürich isn't far"

mobilebert tokenize --vocab vocab.txt --cased "Zürich" --json pieces.json"""


def run(
    texts: Annotated[list[str], typer.Argument(help="Texts.")],
    vocab: Annotated[Path, typer.Option(help="Vocabulary, one piece a line.")],
    cased: Annotated[bool, typer.Option("--cased", help="Keep case and accents.")] = False,
    json: output.JsonOption = None,
):
    """Show how a text is split into word pieces, as the models read it."""
    check_unicode(texts)
    from mobilebert_tf.text.tokenizer import Tokenizer

    tokenizer = Tokenizer(vocab, lower_case=not cased)
    records = []
    for text in texts:
        ids, offsets = tokenizer.encode_with_offsets(text)
        pieces = [tokenizer.vocabulary.pieces[index] for index in ids]
        records.append({"text": text, "pieces": pieces, "ids": ids, "offsets": offsets})
        output.results.print(Table(
            text,
            [Column(heading, words=True) for heading in ("piece", "id", "characters", "text")],
            [(piece, str(index), f"{start}-{end}", text[start:end])
             for piece, index, (start, end) in zip(pieces, ids, offsets, strict=True)]))
    output.write_json(json, records)
