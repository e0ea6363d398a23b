"""Fine-tuning as users call it: from the names of a task and its files to a model directory."""

import dataclasses
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from mobilebert_tf import model_directory
from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.finetuning import search
from mobilebert_tf.finetuning.result import FineTuningResult
from mobilebert_tf.finetuning.settings import FineTuningSettings
from mobilebert_tf.finetuning.start import Start
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.tasks.task import left_out_of

_DEFAULTS = FineTuningSettings()


@dataclasses.dataclass(frozen=True)
class FineTuned:
    """What `fine_tune` made.

    Args:
      model: the model directory; the best one of a grid.
      result: its best epoch, and the scores of all.
      rows: one per combination of the grid; empty without a grid.
      left_out: the rows of the data files that were left out.
    """

    model: Path
    result: FineTuningResult
    rows: tuple[search.GridRow, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def scores(self) -> dict[str, float]:
        """The dev scores of the best epoch, by name."""
        return self.result.scores

    @property
    def score(self) -> float:
        """The dev score that chose the epoch."""
        return self.result.score

    def to_json(self) -> dict:
        return {"model": str(self.model), **dataclasses.asdict(self.result), "grid": [
            {"settings": dataclasses.asdict(row.settings), "model": str(row.directory),
             "best_epoch": row.result and row.result.best_epoch,
             "scores": row.result and row.result.scores} for row in self.rows]}


def fine_tune(task: str, output: str | os.PathLike, *, data: str | os.PathLike | None = None,
              train: Sequence[str | os.PathLike] = (), dev: str | os.PathLike | None = None,
              text: str | None = None, label: str | None = None, second_text: str | None = None,
              preset: str | None = None, checkpoint: str | os.PathLike | None = None,
              vocab: str | os.PathLike | None = None, pooler: str | None = None,
              cased: bool = False,
              settings: FineTuningSettings = _DEFAULTS, grid: Sequence[str] = (),
              say: Callable[[str], None] = print,
              say_left_out: Callable[[Sequence[LeftOut]], None] = lambda rows: None) -> FineTuned:
    """Fine-tune a model on a task; keep the epoch whose dev score is best.

    The same call again continues a run that was stopped, and does not repeat one that has ended.

    Args:
      task: a name in `tasks.catalogue.names()`.
      output: the directory to write; with a grid, it receives a directory per combination.
      data: the directory with the task's files; or tfds:glue/sst2 and the like.
      train, dev: files instead of the directory's.
      text, label, second_text: the columns of your own table.
      preset: start from random weights of this preset, or of the `EncoderConfig` in a JSON file.
      checkpoint: start from the encoder in this model or Hugging Face directory.
      vocab: a vocabulary file; None for the checkpoint's, or one learned from the training texts.
      pooler: replaces the encoder's; see `EncoderConfig.pooler`.
      cased: with a preset: keep case and accents.
      settings: see `FineTuningSettings`.
      grid: "name=value,value" each, or "paper"; see `search.grid`.
      say: takes a line about what is being done.
      say_left_out: takes the rows of the files that are left out, before training starts.
    Raises:
      InputError: for anything wrong with the arguments or in the files, before training starts.
      Diverged: if the loss stops being a number in the first epoch.
      Stopped: after SIGINT or SIGTERM. It is a `SystemExit`; the same call again continues.

    Example:
      >>> tuned = mb.fine_tune(  # doctest: +SKIP
      ...     "sst2", "runs/sst2", data="glue/SST-2", checkpoint="models/mobilebert_mini",
      ...     settings=mb.FineTuningSettings(epochs=3))
    """
    start = Start(preset=preset, checkpoint=checkpoint, vocab=vocab, pooler=pooler,
                  cased=cased)
    if checkpoint is not None:
        model_directory.description(checkpoint)
    columns = catalogue.columns(text, label, second_text)
    files = catalogue.data(catalogue.of(task, columns), data, train, dev)
    tried = search.grid(settings, grid)
    for one in tried:
        one.check(files.task)
    # Errors in the files should not wait for TensorFlow.
    _, train_examples, dev_examples = files.for_training
    left_out = (*left_out_of(train_examples), *left_out_of(dev_examples))
    say_left_out(left_out)
    from mobilebert_tf.finetuning import run

    if not grid:
        result = run.run(files, start, settings, output, say)
        return FineTuned(Path(output), result, (), left_out)
    rows = search.run(lambda one, directory: run.run(files, start, one, directory, say),
                      tried, Path(output), say)
    best = search.best(rows)
    return FineTuned(best.directory, best.result, tuple(rows), left_out)
