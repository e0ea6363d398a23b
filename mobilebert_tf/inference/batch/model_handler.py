"""FileModelHandler: a model of ours in Beam's RunInference."""

from collections.abc import Sequence
from pathlib import Path

from apache_beam.ml.inference.base import ModelHandler

from mobilebert_tf.inference.batch.answer import RowAnswer
from mobilebert_tf.inference.batch.bad_row import BadRow
from mobilebert_tf.inference.batch.loaded_model import LoadedModel
from mobilebert_tf.inference.batch.row import Row
from mobilebert_tf.inference.batch.work import Work
from mobilebert_tf.inference.opening import open_model

Rows = list[Row | BadRow]
Outcomes = list[RowAnswer | BadRow]


class FileModelHandler(ModelHandler[Rows, Outcomes, LoadedModel]):
    """Runs a .tflite file, or another model that `open_model` takes, on the rows of parts.

    RunInference's example is the rows of a part, and its prediction the answers to them in the same
    order. It is not a single row: to bring rows of a part together again, Beam would have to
    shuffle all texts. A process has one interpreter, which all its threads share. The rows of a
    part are run in the order of their lengths, so that those of one signature of a file come one
    after the other.

    Use it `with_no_batching`, on lists of examples: a part is a batch.

    Args:
      path: of the model; all workers must see it under this name.
      work: what is done with the rows.
      length: as `open_model` takes it.
      threads: of a process's interpreter.
    """

    def __init__(self, path: Path, work: Work, length: int | None = None, threads: int = 1):
        super().__init__()
        self._path, self._work, self._length, self._threads = path, work, length, threads

    def load_model(self) -> LoadedModel:
        return LoadedModel(open_model(self._path, self._length, self._threads, self._work.kind))

    def run_inference(self, batch: Sequence[Rows], model: LoadedModel,
                      inference_args: dict | None = None) -> list[Outcomes]:
        with model.lock:
            return [self._outcomes(model.runner, rows) for rows in batch]

    def get_num_bytes(self, batch: Sequence[Rows]) -> int:
        """Return the characters of all rows; Beam would pickle them to count bytes."""
        return sum(row.characters for rows in batch for row in rows if isinstance(row, Row))

    def get_metrics_namespace(self) -> str:
        return "mobilebert"

    def share_model_across_processes(self) -> bool:
        return False

    def _outcomes(self, runner, rows):
        found = list(rows)
        numbers = sorted((number for number, row in enumerate(rows) if isinstance(row, Row)),
                         key=lambda number: rows[number].characters)
        outcomes = self._work.run(runner, [rows[number] for number in numbers])
        for number, outcome in zip(numbers, outcomes, strict=True):
            found[number] = outcome
        return found
