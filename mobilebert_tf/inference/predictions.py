"""Predictions: what an open model says about texts, text by text."""

from collections.abc import Callable, Sequence
from typing import Any

from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.running import run as running
from mobilebert_tf.running.model_runner import ModelRunner, check_pairs

# Texts that are run at once: the logits of a masked LM take 15 MB per text of 128 tokens.
_CHUNK = 16


def predictions(runner: ModelRunner, texts: Sequence[str], second_texts: Sequence[str | None],
                top_k: int, settings: dict[str, float] | None = None,
                also: Callable[[Kind, Any], dict] = lambda kind, answer: {}) -> list[dict | None]:
    """Predict as `predict` does; return the dicts without `text`.

    Args:
      also: (kind, answer) -> further entries of the dict of a text that has tokens.
    Returns:
      a dict per text; None where the model gives numbers that are not finite.
    Raises:
      InputError: as of `predict`.
    """
    if len(second_texts) != len(texts):
        raise InputError(f"there are {len(texts)} texts and {len(second_texts)} second texts; give "
                         "one for each, or one for all")
    kind = runner.kind.with_settings(**settings or {})
    examples = kind.examples(texts, second_texts)
    if len(texts):
        check_pairs(runner, kind.are_pairs(examples))
    found = []
    for start in range(0, len(texts), _CHUNK):
        numbers = range(start, min(start + _CHUNK, len(texts)))
        found += _predicted(kind, runner, kind.select(examples, numbers),
                            [second_texts[number] for number in numbers], top_k, also)
    return found


def _predicted(kind, runner, examples, second_texts, top_k, also):
    """What is said about each example, without its text; None for numbers that are not finite."""
    features = kind.rows(examples, runner.tokenizer, runner.length)
    answers = running.run(kind, runner, examples, features).answers
    rows = features.by_example(range(len(features.ids)))
    found = []
    for number, (answer, second) in enumerate(zip(answers, second_texts, strict=True)):
        empty = (empty_parts(features, rows[number], second) if len(rows[number])
                 else _empty_parts_without_rows(kind, runner, examples, number))
        if empty:
            found.append({"empty": empty, "truncated": False})
            continue
        if answer is None:
            found.append(None)
            continue
        example = None if isinstance(examples, LabelledTexts) else examples[number]
        found.append({**kind.to_json(answer, example, top_k), **also(kind, answer),
                      "truncated": features.truncated is not None and features.truncated[number]})
    return found


def empty_parts(features: Features, rows: Sequence[int], second_text: str | None) -> list[str]:
    """Which texts of an example's rows have no tokens: all that is there is [CLS] and [SEP]."""
    row, *others = rows
    first = features.first_lengths[row]
    empty = ["text"] * (first == 2)
    if second_text is None:
        return empty
    # Embeddings are compared of one row for each text; else both texts are in one row.
    is_alone = first == len(features.ids[row])
    is_empty = features.first_lengths[others[0]] == 2 if is_alone else (
        len(features.ids[row]) == first + 1)
    return empty + ["second_text"] * is_empty


def _empty_parts_without_rows(kind, runner, examples, number):
    """Return the empty texts of an example without rows: the second, since it gave no windows,
    and the first if it has no tokens.
    """
    first, *_ = kind.texts(kind.select(examples, (number,)))
    return ["text"] * (not runner.tokenizer.encode(first)) + ["second_text"]
