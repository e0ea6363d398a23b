"""The format of tagged sentences: a word and its tag on a line, as in CoNLL files."""

from pathlib import Path

from mobilebert_tf.augmentation.file_format import FileFormat
from mobilebert_tf.data.datasets.conll import TaggedSentence
from mobilebert_tf.tasks.task import Task


def of(task: Task, path: Path) -> FileFormat:
    """Return how to write tagged sentences: the word, a tab, the tag in IOB2."""
    return FileFormat(_lines, separator="\n")


def _lines(sentence: TaggedSentence) -> str:
    return "".join(f"{word}\t{tag}\n"
                   for word, tag in zip(sentence.words, sentence.tags, strict=True))
