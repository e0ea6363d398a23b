"""TextRows: new rows of labelled texts."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mobilebert_tf.augmentation import table_format
from mobilebert_tf.augmentation.augmentor import Augmentor
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts


class _TextRow(NamedTuple):
    """One row: its one or two texts, its label, and the row of the table that it is made of."""

    texts: tuple[str, ...]
    label: object
    number: int


class TextRows:
    """Texts, or pairs of texts, in which any eligible word may be replaced.

    Args:
      examples: with or without labels.
    """

    file_format = staticmethod(table_format.of)

    def __init__(self, examples: LabelledTexts):
        self._examples = examples

    def __len__(self) -> int:
        return len(self._examples)

    def described(self, number: int) -> list:
        """Return a row as JSON values, which identify it."""
        row = self._row(number)
        return [row.texts, row.label]

    def drafts(self, number: int, augmentor: Augmentor) -> list[list[str]]:
        """Return the texts of the new rows of a row."""
        return [list(texts) for texts in augmentor.rows(self._row(number).texts, number)[1:]]

    def augmented(self, number: int, drafts: Sequence[Sequence[str]]) -> list[_TextRow]:
        """Return a row, then its new rows; these have its label."""
        row = self._row(number)
        return [row, *(row._replace(texts=tuple(texts)) for texts in drafts)]

    def collected(self, rows: Iterable[_TextRow]) -> LabelledTexts:
        """Return rows as labelled texts; a new row has the line of the row that it is made of."""
        rows = list(rows)
        found = self._examples.select([row.number for row in rows])
        texts, *second_texts = zip(*(row.texts for row in rows), strict=True)
        return dataclasses.replace(found, texts=texts, skipped=self._examples.skipped,
                                   second_texts=second_texts[0] if second_texts else None)

    def _row(self, number):
        found = self._examples
        columns = (found.texts, found.second_texts)
        return _TextRow(tuple(column[number] for column in columns if column is not None),
                        None if found.labels is None else found.labels[number], number)
