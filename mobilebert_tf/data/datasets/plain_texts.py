"""Plain texts: those of a file, without labels."""

import os
from collections.abc import Sequence

from mobilebert_tf.data import lines
from mobilebert_tf.data.corpus.sentences import sentences
from mobilebert_tf.data.datasets import rows
from mobilebert_tf.errors import InputError

_ENDINGS = (".txt", *rows.READERS)


def read(path: str | os.PathLike, columns: Sequence[str],
         by_sentence: bool = False) -> list[tuple[str, ...]]:
    """Read the texts of a file.

    A .txt file has a text on each line. In .tsv, .csv and .jsonl they are in named columns, as
    `tables.read` says; other columns are ignored. A further .gz means that the file is compressed.
    Rows that lack a text are left out.

    Args:
      path: the file, in UTF-8.
      columns: of the texts: one, or two for pairs.
      by_sentence: cut each text into its sentences; for one column.
    Returns:
      for each row its texts, one a column.
    Raises:
      InputError: with file and line, if the file cannot be read; for a .txt file of pairs; if
        there is no text.
    """
    suffix = lines.suffix(path)
    if suffix not in _ENDINGS:
        raise InputError(f"cannot tell what {path} is; its name should end in "
                         f"{', '.join(_ENDINGS)}, or one of these and .gz")
    if len(columns) > 1 and (suffix not in rows.READERS or by_sentence):
        raise InputError(f"{path} should have pairs of texts: give a table with the columns "
                         f"{' and '.join(columns)}, and do not cut it into sentences")
    whole = (([line.rstrip("\r\n")] for _, line in lines.read(path)) if suffix not in rows.READERS
             else (row for _, row in rows.READERS[suffix](path, columns)))
    found = [tuple(texts) for texts in whole if all(text.strip() for text in texts)]
    if by_sentence:
        found = [(sentence,) for text, in found for sentence in _sentences(text)]
    if not found:
        raise InputError(f"{path} has no text; a row needs {' and '.join(columns)}")
    return found


def _sentences(text):
    try:
        return sentences([text])
    except ImportError as error:
        raise InputError("cutting texts into sentences needs sentencex: install the extra "
                         "`corpus`") from error
