"""Prediction: the answers of a model to texts, with the path of evaluation and without gold."""

import functools
import itertools
import os
from collections.abc import Sequence

import numpy as np

from mobilebert_tf.checks import check_count, check_length, check_text, check_texts
from mobilebert_tf.data.features.features import single_rows
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference import cascade
from mobilebert_tf.inference.cascade import Cascade
from mobilebert_tf.inference.opening import open_model
from mobilebert_tf.inference.predictions import empty_parts, predictions
from mobilebert_tf.kinds.embedding import Embedding
from mobilebert_tf.running import run as running
from mobilebert_tf.running.model_runner import ModelRunner

_PART = 256  # texts that are embedded together
_NOT_FINITE = "the model gives numbers that are not finite"


def predict(model: str | os.PathLike | ModelRunner | Cascade, texts: Sequence[str],
            second_texts: Sequence[str] | str | None = None, *, top_k: int = 5,
            length: int | None = None, threads: int | None = None,
            settings: dict[str, float] | None = None) -> list[dict]:
    """Predict for each text with the model's own tokenizer and labels.

    Args:
      model: a path as `open_model` takes it, or of a cascade's JSON file; or an open model or
        cascade.
      texts: the texts; the questions, for a model that answers questions.
      second_texts: the second text of each, or one for all: the other sentence, or the text that
        answers are looked for in.
      top_k: how many classes, pieces or answers are named, best first; for a question at most
        `n_best` of the kind's settings, 20 by default.
      length, threads: as `open_model` takes them.
      settings: settings of the kind to use in place of the model's own, such as
        `{"null_threshold": 1.5}`.
    Returns:
      a dict per text: `text`; `truncated`, whether the end of the text was cut (a question is cut,
      its context is read whole); and the kind's answer: `classes`
      [{label, probability}], `labels`, `score`, `cosine` of the two texts, `entities` [{type, text,
      start, end, probability}], `masks` [[{piece, probability}], one list per mask], or `answer`,
      `start`, `end` (characters of the second text; None for no answer), `null_odds` and `answers`
      [{text, start, end, probability}]. A cascade adds what `Cascade.predictions` says.

      A text without tokens, such as white space, gets no prediction: instead there is `empty`, a
      list of what has no tokens: "text", "second_text" or both.
    Raises:
      InputError: for a kind that predicts nothing, a model without a vocabulary, a text that the
        model cannot take, single texts for a model of pairs and pairs for one of single texts (as
        far as its directory, its package or its file tells), a `top_k` below 1, and numbers that
        are not finite.

    Example:
      >>> mb.predict("sst2.tflite", ["a quiet film that stays with you"])  # doctest: +SKIP
    """
    check_texts("texts", texts)
    check_count(top_k=top_k)
    runner = (opened(model, length, threads) if isinstance(model, str | os.PathLike)
              else _checked_open(model))
    if second_texts is None or isinstance(second_texts, str):
        second_texts = [second_texts] * len(texts)
    check_texts("second_texts", second_texts, with_none=True)
    # A column of a table may have other numbers for its rows than their places.
    texts, second_texts = list(texts), list(second_texts)
    ask = runner.predictions if isinstance(runner, Cascade) else functools.partial(
        predictions, runner)
    found = ask(texts, second_texts, top_k, settings)
    if None in found:
        raise InputError(_NOT_FINITE)
    return [{"text": text, **one} for text, one in zip(texts, found, strict=True)]


def opened(path: str | os.PathLike, length: int | None,
           threads: int | None) -> ModelRunner | Cascade:
    """Open the model or the cascade at a path, as `predict` does."""
    check_length(length)
    return (cascade.read(path, length, threads) if cascade.is_cascade(path)
            else open_model(path, length, threads))


def embed(model: str | os.PathLike | ModelRunner, texts: Sequence[str]) -> np.ndarray:
    """Compute sentence embeddings of length 1.

    Args:
      model: a path as `open_model` takes it, or an open model. A file should be for embedding or
        encoding. Of a directory the encoder is used. The embedding is the mean of the real tokens'
        states; or the state of [CLS] where the directory has sentence-transformers' files that say
        so, and where the file was exported from such a directory.
      texts: a text that is longer than the model takes is cut.
    Returns:
      float32 `(texts, features)`, whose products are cosines; zeros for a text without tokens.
    Raises:
      InputError: for a file of another kind, a model without a vocabulary, and numbers that are
        not finite.

    Example:
      >>> vectors = mb.embed("sentences.tflite", ["where can i eat?"])  # doctest: +SKIP
    """
    check_texts("texts", texts)
    return finite_vectors(_opened_for_embedding(model), list(texts))[0]


def rank(model: str | os.PathLike | ModelRunner, query: str,
         texts: Sequence[str]) -> list[tuple[float, str]]:
    """Rank texts by the cosine of their embeddings to a query's.

    Args:
      model: as of `embed`.
    Returns:
      (cosine, text), the most alike first; without the texts that have no tokens.
    Raises:
      InputError: as of `embed`; and for a query without tokens.

    Example:
      >>> mb.rank("sentences.tflite", "where can i eat?", ["fresh fish"])  # doctest: +SKIP
    """
    check_texts("texts", texts)
    check_text("query", query)
    vectors, empty = finite_vectors(_opened_for_embedding(model), [query, *texts])
    if empty[0]:
        raise InputError("the query is empty: there is nothing to compare texts with")
    cosines = (vectors[1:] @ vectors[0]).tolist()
    ranked = [(cosine, text) for cosine, text, is_empty in zip(
        cosines, texts, empty[1:], strict=True) if not is_empty]
    return sorted(ranked, key=lambda entry: -entry[0])


def _opened_for_embedding(model):
    if isinstance(model, Cascade):
        raise InputError("a cascade has no embeddings: name one model")
    return (open_model(model, kind=Embedding) if isinstance(model, str | os.PathLike)
            else _checked_open(model))


def _checked_open(model):
    """Return the model; raise InputError for one that is not open, such as a Keras model."""
    if not hasattr(model, "kind"):
        raise InputError("model should be a path, or a model that open_model opened. Received: "
                         f"a {type(model).__name__}")
    return model


def finite_vectors(runner: ModelRunner, texts: Sequence[str]) -> tuple[np.ndarray, list[bool]]:
    """Return what `embed` does, and for each text whether it has no tokens; raise as `embed` does.
    """
    vectors, empty, _ = embedded(runner, texts)
    if not np.isfinite(vectors).all():
        raise InputError(_NOT_FINITE)
    return vectors, empty


def embedded(runner: ModelRunner, texts: Sequence[str]) -> tuple[
        np.ndarray, list[bool], list[bool]]:
    """Return vectors as `embed` does, finite or not; and for each text whether it has no tokens,
    and whether it was cut.
    """
    # In parts: the states of all tokens of all texts may not fit into the memory.
    parts = [_embedded(runner, texts[start : start + _PART])
             for start in range(0, max(len(texts), 1), _PART)]
    vectors, empty, cut = zip(*parts, strict=True)
    return np.concatenate(vectors), *(list(itertools.chain.from_iterable(one))
                                      for one in (empty, cut))


def _embedded(runner, texts):
    features = single_rows(texts, None, runner.tokenizer, runner.length)
    vectors = runner.kind.vectors(running.outputs(runner, features), features)
    empty = [bool(empty_parts(features, [row], None)) for row in range(len(texts))]
    vectors = np.where(np.array(empty)[:, np.newaxis], 0, vectors)
    return vectors, empty, list(features.truncated)
