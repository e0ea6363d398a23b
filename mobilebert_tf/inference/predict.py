"""Prediction: the answers of a model to texts, with the path of evaluation and without gold."""

import os
from collections.abc import Sequence

import numpy as np

from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.data.features.features import Features, single_rows
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.opening import open_model
from mobilebert_tf.kinds.embedding import Embedding
from mobilebert_tf.running import run as running
from mobilebert_tf.running.model_runner import ModelRunner

# Texts that are run at once: the logits of a masked LM take 15 MB per text of 128 tokens.
_CHUNK = 16


def predict(model: str | os.PathLike | ModelRunner, texts: Sequence[str],
            second_texts: Sequence[str] | str | None = None, *, top_k: int = 5,
            length: int | None = None, threads: int | None = None,
            settings: dict[str, float] | None = None) -> list[dict]:
    """Predict for each text with the model's own tokenizer and labels.

    Args:
      model: a path as `open_model` takes it, or an open model.
      texts: the texts; the questions, for a model that answers questions.
      second_texts: the second text of each, or one for all: the other sentence, or the text that
        answers are looked for in.
      top_k: how many classes, pieces or answers are named, best first.
      length, threads: as `open_model` takes them.
      settings: settings of the kind to use in place of the model's own, such as
        `{"null_threshold": 1.5}`.
    Returns:
      a dict per text: `text`; `truncated`, whether the model saw only its beginning; and what the
      kind says: `classes` [{label, probability}], `labels`, `score`, `entities` [{type, text,
      start, end, probability}], `masks` [[{piece, probability}], one list per mask], or `answer`,
      `start`, `end` (characters of the second text; None for no answer), `null_odds` and `answers`
      [{text, start, end, probability}].

      A text without tokens, such as white space, gets no prediction: instead there is `empty`, a
      list of what has no tokens: "text", "second_text" or both.
    Raises:
      InputError: for a kind that predicts nothing, a model without a vocabulary, and a text that
        the model cannot take.

    Example:
      >>> mb.predict("sst2.tflite", ["a quiet film that stays with you"])  # doctest: +SKIP
    """
    runner = open_model(model, length, threads) if isinstance(model, str | os.PathLike) else model
    if second_texts is None or isinstance(second_texts, str):
        second_texts = [second_texts] * len(texts)
    if len(second_texts) != len(texts):
        raise InputError(f"there are {len(texts)} texts and {len(second_texts)} second texts; give "
                         "one for each, or one for all")
    found = predictions(runner, texts, second_texts, top_k, settings)
    if None in found:
        raise InputError("the model gives numbers that are not finite")
    return [{"text": text, **one} for text, one in zip(texts, found, strict=True)]


def predictions(runner: ModelRunner, texts: Sequence[str], second_texts: Sequence[str | None],
                top_k: int, settings: dict[str, float] | None = None) -> list[dict | None]:
    """Predict as `predict` does; return the dicts without `text`.

    Returns:
      a dict per text; None where the model gives numbers that are not finite.
    Raises:
      InputError: as of `predict`.
    """
    kind = runner.kind.with_settings(**settings or {})
    examples = kind.examples(texts, second_texts)
    found = []
    for start in range(0, len(texts), _CHUNK):
        numbers = range(start, min(start + _CHUNK, len(texts)))
        found += _predicted(kind, runner, kind.select(examples, numbers),
                            [second_texts[number] for number in numbers], top_k)
    return found


def embed(model: str | os.PathLike | ModelRunner, texts: Sequence[str]) -> np.ndarray:
    """Compute sentence embeddings of length 1.

    Args:
      model: for embedding or encoding (then the mean of the states of the real tokens); or any
        model directory, whose encoder is used.
      texts: a text that is longer than the model takes is cut.
    Returns:
      float32 `(texts, features)`, whose products are cosines; zeros for a text without tokens.
    Raises:
      InputError: for a file of another kind, or a model without a vocabulary.
    """
    return embedded(_opened_for_embedding(model), texts)[0]


def rank(model: str | os.PathLike | ModelRunner, query: str,
         texts: Sequence[str]) -> list[tuple[float, str]]:
    """Rank texts by the cosine of their embeddings to a query's.

    Args:
      model: as of `embed`.
    Returns:
      (cosine, text), the most alike first; without the texts that have no tokens.
    Raises:
      InputError: as of `embed`; and for a query without tokens, which nothing is like.
    """
    vectors, empty, _ = embedded(_opened_for_embedding(model), [query, *texts])
    if empty[0]:
        raise InputError("the query is empty: there is nothing to compare texts with")
    cosines = (vectors[1:] @ vectors[0]).tolist()
    ranked = [(cosine, text) for cosine, text, is_empty in zip(
        cosines, texts, empty[1:], strict=True) if not is_empty]
    return sorted(ranked, key=lambda entry: -entry[0])


def _opened_for_embedding(model):
    return (open_model(model, kind=Embedding) if isinstance(model, str | os.PathLike)
            else model)


def embedded(runner: ModelRunner, texts: Sequence[str]) -> tuple[
        np.ndarray, list[bool], list[bool]]:
    """Return what `embed` does; and for each text whether it has no tokens, and whether it was cut.
    """
    features = single_rows(texts, None, runner.tokenizer, runner.length)
    vectors = runner.kind.vectors(running.outputs(runner, features), features)
    empty = [bool(_empty_parts(features, row, None)) for row in range(len(texts))]
    vectors = vectors * np.logical_not(empty)[:, np.newaxis].astype(vectors.dtype)
    return vectors, empty, list(features.truncated)


def _predicted(kind, runner, examples, second_texts, top_k):
    """What is said about each example, without its text; None for numbers that are not finite."""
    features = kind.rows(examples, runner.tokenizer, runner.length)
    answers = running.run(kind, runner, examples, features).answers
    rows = features.by_example(range(len(features.ids)))
    found = []
    for number, (answer, second) in enumerate(zip(answers, second_texts, strict=True)):
        empty = (_empty_parts(features, rows[number][0], second) if len(rows[number])
                 else _empty_parts_without_rows(kind, runner, examples, number))
        if empty:
            found.append({"empty": empty, "truncated": False})
            continue
        if answer is None:
            found.append(None)
            continue
        example = None if isinstance(examples, LabelledTexts) else examples[number]
        found.append({**kind.to_json(answer, example, top_k),
                      "truncated": features.truncated is not None and features.truncated[number]})
    return found


def _empty_parts(features: Features, row: int, second_text: str | None) -> list[str]:
    """Which texts of a row have no tokens: all that is there is [CLS] and [SEP]."""
    first = features.first_lengths[row]
    empty = ["text"] * (first == 2)
    if second_text is not None:
        empty += ["second_text"] * (len(features.ids[row]) == first + 1)
    return empty


def _empty_parts_without_rows(kind, runner, examples, number):
    """The same for an example without rows, whose second text has no tokens to make windows of."""
    first, *_ = kind.texts(kind.select(examples, (number,)))
    return ["text"] * (not runner.tokenizer.encode(first)) + ["second_text"]
