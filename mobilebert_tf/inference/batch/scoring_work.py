"""ScoringWork: what a model predicts for each row, beside the row's label."""

import dataclasses
from typing import ClassVar

import msgspec

from mobilebert_tf.data.datasets.rows import label_text, value_text
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch.answer import RowAnswer
from mobilebert_tf.inference.batch.prediction_work import PredictionWork, outcomes

LABEL, ANSWER = "label", "answer"


@dataclasses.dataclass(frozen=True)
class ScoringWork:
    """Predicts for rows with labels; it is a `Work`.

    A record also has `label`, the text of the row's label, and `answer`, the model's as
    `Kind.readable` has it.

    Args:
      settings: of the kind, in place of the model's own.
    """

    kind: ClassVar = None

    settings: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def description(self) -> dict:
        return {**self._prediction.description, "command": "score"}

    def check(self, runner, pairs):
        kind = runner.kind
        if kind.table is None:
            raise InputError(f"rows with labels are not scored for {kind.name}; evaluate the model "
                             "on the file of a task")
        if kind.has_labels and kind.labels is None:
            raise InputError("the model does not name its labels, which the rows are compared with")
        kind.answer_reader()
        self._prediction.check(runner, pairs)

    def run(self, runner, rows):
        table = runner.kind.table
        label_of = table.label_of(runner.kind.labels)
        text_of = label_text if table.has_label_sets else value_text
        labels = [_label(row, text_of, label_of) for row in rows]
        found = iter(outcomes(
            runner, [row for row, (_, wrong) in zip(rows, labels, strict=True) if not wrong],
            self._prediction.top_k, self.settings, also=_answer))
        return [row.bad("label", wrong) if wrong else _with_label(next(found), label)
                for row, (label, wrong) in zip(rows, labels, strict=True)]

    @property
    def _prediction(self):
        return PredictionWork(top_k=1, settings=self.settings)


def _label(row, text_of, label_of):
    """(the text of a row's label, what is wrong with it)."""
    if row.label is msgspec.UNSET:
        return None, f"there is no {LABEL}; a row to score is a line of a .jsonl file and has one"
    try:
        text = text_of(row.place, LABEL, row.label).strip()
        label_of(text)
    except InputError as error:
        return None, str(error)
    except ValueError as error:
        return None, f"the {LABEL} {text!r} {error}"
    return text, None


def _answer(kind, answer):
    return {ANSWER: kind.readable([answer], None)[0]}


def _with_label(outcome, label):
    if not isinstance(outcome, RowAnswer):
        return outcome
    return dataclasses.replace(outcome, values={LABEL: label, **outcome.values})
