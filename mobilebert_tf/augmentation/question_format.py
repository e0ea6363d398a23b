"""The format of questions: SQuAD's JSON."""

import json
from pathlib import Path

from mobilebert_tf.augmentation.file_format import FileFormat
from mobilebert_tf.data import lines
from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.errors import InputError
from mobilebert_tf.tasks.task import Task


def of(task: Task, path: Path) -> FileFormat:
    """Return how to write questions to a file with this name; each has its own paragraph.

    Raises:
      InputError: if the name does not end in .json or .json.gz.
    """
    if lines.suffix(path) != ".json":
        raise InputError(f"the name of the output {path} should end in .json or .json.gz")
    return FileFormat(
        _paragraph, head='{"version": "augmented", "data": [{"title": "", "paragraphs": [\n',
        separator=",\n", tail="\n]}]}\n")


def _paragraph(question: Question) -> str:
    return json.dumps({"context": question.context, "qas": [{
        "id": question.id, "question": question.question,
        "answers": [{"text": answer.text, "answer_start": answer.start}
                    for answer in question.answers],
        "is_impossible": question.is_impossible}]}, ensure_ascii=False)
