"""Work: what a job does with the rows of a part."""

from collections.abc import Sequence
from typing import Protocol

from mobilebert_tf.inference.batch.answer import RowAnswer
from mobilebert_tf.inference.batch.bad_row import BadRow
from mobilebert_tf.inference.batch.row import Row
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.running.model_runner import ModelRunner


class Work(Protocol):
    """What a job does with rows; it is sent to the workers.

    Attributes:
      kind: to open a Keras model as; None for the model's own.
      description: JSON values that say what is done.
    """

    kind: type[Kind] | None
    description: dict

    def check(self, runner: ModelRunner, pairs: bool) -> None:
        """Raise InputError if the model cannot do it, before anything is read."""

    def run(self, runner: ModelRunner, rows: Sequence[Row]) -> list[RowAnswer | BadRow]:
        """Return what the model says about each row."""
