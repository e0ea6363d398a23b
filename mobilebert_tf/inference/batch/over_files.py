"""Embedding and predicting over files of texts: the jobs' functions for Python."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from mobilebert_tf.checks import check_count, check_several
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch import file_scores, job
from mobilebert_tf.inference.batch.embedding_work import EmbeddingWork
from mobilebert_tf.inference.batch.file_scores import FileScores
from mobilebert_tf.inference.batch.job_settings import JobSettings
from mobilebert_tf.inference.batch.prediction_work import PredictionWork
from mobilebert_tf.inference.batch.result import BatchResult
from mobilebert_tf.inference.batch.scoring_work import ScoringWork
from mobilebert_tf.inference.batch.work import Work


def embed_files(model: str | os.PathLike, texts: Sequence[str], output: str | os.PathLike,
                settings: JobSettings = job.DEFAULTS, *,
                on_progress: Callable[[int, int, int, int], None] = lambda *_: None) -> BatchResult:
    """Embed the rows of files, as an Apache Beam job.

    `search` finds rows in the directory. A job that was stopped continues when it is started again
    with the same arguments; it needs the extra `batch`.

    Args:
      model: a .tflite file for embedding or encoding, or a model directory. All workers must see it
        under this name.
      texts: files, globs or directories with .txt files. A row is a line; or, in a .jsonl file, an
        object with `text`, and perhaps `id`.
      output: the directory for the shards. In "jsonl", row k of NAME.npy, float32
        `(rows, features)`, is the vector of line k of NAME.jsonl; in "parquet", it is in the column
        `vector`. Rows without tokens, not in UTF-8 and the like are in bad_rows.jsonl.
      settings: of the job; without `pairs` and `second_text`.
      on_progress: called with the number of finished parts, of all parts, of finished rows and of
        all rows.
    Returns:
      what came out, with counters.
    Raises:
      InputError: if there is nothing to read; for pairs; the model has no embeddings; the directory
        is of another job; or something cannot be read or written.

    Example:
      >>> mb.embed_files("embedding.tflite", ["lines.txt"], "out/lines")  # doctest: +SKIP
    """
    if settings.pairs or settings.second_text is not None:
        raise InputError("embeddings are of single texts: leave out pairs and second_text")
    return _run(EmbeddingWork(), model, texts, output, settings, on_progress)


def predict_files(model: str | os.PathLike, texts: Sequence[str], output: str | os.PathLike,
                  settings: JobSettings = job.DEFAULTS, *, top_k: int = 5,
                  kind_settings: dict[str, float] | None = None,
                  on_progress: Callable[[int, int, int, int], None] = lambda *_: None,
                  ) -> BatchResult:
    """Predict for the rows of files, as an Apache Beam job.

    It is `predict` for files of any size; each row has an `id` too.

    Args:
      model: a .tflite file or a model directory of a kind that predicts. All workers must see it
        under this name.
      texts, output, on_progress: as of `embed_files`.
      settings: of the job.
      top_k: how many classes, pieces or answers are named, best first.
      kind_settings: settings of the kind to use in place of the model's own, such as
        `{"null_threshold": 1.5}`.
    Returns:
      what came out, with counters.
    Raises:
      InputError: as of `embed_files`; for a kind that predicts nothing for such rows; and for a
        `top_k` below 1.

    Example:
      >>> mb.predict_files("sst2.tflite", ["lines.txt"], "out/classes")  # doctest: +SKIP
    """
    check_count(top_k=top_k)
    return _run(PredictionWork(top_k, kind_settings or {}), model, texts, output, settings,
                on_progress)


def score_files(model: str | os.PathLike, texts: Sequence[str], output: str | os.PathLike,
                settings: JobSettings = job.DEFAULTS, *,
                kind_settings: dict[str, float] | None = None,
                on_progress: Callable[[int, int, int, int], None] = lambda *_: None) -> FileScores:
    """Score a model on the rows of files that have labels, as an Apache Beam job.

    The scores are those of `evaluate` on the rows that are not set aside, and are in scores.json
    too. The shards have what `predict_files` writes, and for each row its `label` and the model's
    `answer`.

    Args:
      model, output, settings, on_progress: as of `predict_files`. The kind of the model must be one
        that reads own tables.
      texts: .jsonl files or globs of them. A row also has `label`: a class, a number, or for
        several labels a list. A row without one, or with an unknown one, is set aside.
      kind_settings: as of `predict_files`.
    Returns:
      the scores, and what came out.
    Raises:
      InputError: as of `predict_files`; for another kind; and if no row has an answer.

    Example:
      >>> mb.score_files("sst2.tflite", ["reviews.jsonl"], "out/scores")  # doctest: +SKIP
    """
    _run(ScoringWork(kind_settings or {}), model, texts, output, settings, on_progress)
    return file_scores.of(Path(output))


def _run(work: Work, model, texts, output, settings, on_progress):
    check_several(texts=texts)
    return job.run(work, model, texts, output, settings, on_progress=on_progress)
