"""FileScores: the scores of a model over files of rows with labels."""

import json
from pathlib import Path
from typing import NamedTuple

from mobilebert_tf import kinds
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically
from mobilebert_tf.inference.batch.directory import BatchDirectory
from mobilebert_tf.inference.batch.result import BatchResult
from mobilebert_tf.inference.batch.scoring_work import ANSWER, LABEL

_FILE = "scores.json"


class FileScores(NamedTuple):
    """What came out of a job that scores.

    Args:
      result: of the job.
      scores: by name; 1 is perfect.
      parts: the scores of each class, by its name.
    """

    result: BatchResult
    scores: dict[str, float]
    parts: dict[str, dict]


def of(output: Path) -> FileScores:
    """Compute the scores of a finished job, and write them into its directory as scores.json.

    The labels and the answers are in memory, without the texts. Rows without an answer do not
    count.

    Args:
      output: the directory.
    Raises:
      InputError: if the directory is not of a finished job that scores, no row has an answer, or
        the metric means nothing for the labels.
    """
    directory = BatchDirectory(output)
    result, model = directory.result(), directory.job().model
    kind = kinds.described(model.kind, model.labels, None, str(output))
    if kind.table is None or (kind.has_labels and kind.labels is None):
        raise InputError(f"{output} is not of a job that scores: its model is for {kind.name} "
                         "and has no labels to compare with")
    label_of, answer_of = kind.table.label_of(kind.labels), kind.answer_reader()
    labels, answers = [], []
    for shard, name in enumerate(result.shards):
        for number, row in enumerate(directory.rows(result, shard), 1):
            try:
                labels.append(label_of(row[LABEL]))
                answers.append(answer_of(row[ANSWER]))
            except (LookupError, TypeError, ValueError) as error:
                raise InputError(f"{output / name}, row {number} has no {LABEL} and {ANSWER} of a "
                                 f"model for {kind.name}; score the files again") from error
    if not labels:
        raise InputError(f"no row has an answer to score; {output / 'bad_rows.jsonl'} says why")
    examples = LabelledTexts(("",) * len(labels), tuple(labels), names=kind.labels)
    kind.check_dev(examples, output)
    found = FileScores(result, kind.score(answers, examples, kind.table.metrics),
                       kind.score_parts(answers, examples))
    write_atomically(output / _FILE, json.dumps(
        {"kind": kind.name, "examples": len(labels), "metric": kind.table.metrics.main,
         **found.scores, "parts": found.parts}, indent=2, ensure_ascii=False).encode() + b"\n")
    return found
