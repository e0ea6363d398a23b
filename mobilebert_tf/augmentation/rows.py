"""The rows of a task's examples: how each type of example is augmented."""

import hashlib
import itertools
import json
from collections.abc import Iterator, Sequence

from mobilebert_tf.augmentation.augmentor import Augmentor
from mobilebert_tf.augmentation.question_rows import QuestionRows
from mobilebert_tf.augmentation.sentence_rows import SentenceRows
from mobilebert_tf.augmentation.text_rows import TextRows
from mobilebert_tf.data.datasets.conll import TaggedSentence
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.errors import InputError
from mobilebert_tf.resuming.parts import Parts
from mobilebert_tf.running import run as running

Rows = TextRows | QuestionRows | SentenceRows

_OF_TABLES = {LabelledTexts: TextRows}
_OF_ITEMS = {Question: QuestionRows, TaggedSentence: SentenceRows}
# Rows of one part: what a killed run loses at most.
_PART = 64


def of(examples: Sequence) -> Rows:
    """Return the rows of examples, of the type that `examples` or its members have.

    Raises:
      InputError: for no example, and for a type that cannot be augmented.
    """
    if not len(examples):
        raise InputError("there is no example to augment")
    found = _OF_TABLES.get(type(examples))
    if found is None:
        found = _OF_ITEMS.get(type(examples[0]))
    if found is None:
        raise InputError(f"examples of the type {type(examples[0]).__name__} cannot be augmented: "
                         "labelled texts, questions and tagged sentences can")
    return found(examples)


def fingerprint(rows: Rows) -> str:
    """Return a hash of all rows with their labels."""
    found = hashlib.sha256()
    for number in range(len(rows)):
        found.update(json.dumps(rows.described(number)).encode() + b"\n")
    return found.hexdigest()


def augmented(rows: Rows, numbers: range, augmentor: Augmentor, parts: Parts | None = None,
              track: running.Track = running.untracked) -> Iterator[list]:
    """Yield, for each row, a list of the row and its new rows.

    Args:
      rows: of `of`.
      numbers: of the rows to augment.
      augmentor: makes the new rows.
      parts: where finished rows are kept, opened; None to keep none.
      track: shows the progress; see `running.run.run`.
    """
    left = iter(track(list(numbers), "Augmenting"))
    for start in range(numbers.start, numbers.stop, _PART):
        part = range(start, min(start + _PART, numbers.stop))
        steps = itertools.islice(left, len(part))
        found = parts and parts.read(part)
        if found is None:
            found = [rows.drafts(number, augmentor) for number in steps]
            if parts is not None:
                parts.write(part, found)
        for number, drafts in zip(part, found, strict=True):
            yield rows.augmented(number, drafts)
        for _ in steps:  # of rows that were there already
            pass
    for _ in left:  # ends the progress
        pass
