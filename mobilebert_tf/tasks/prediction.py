"""Prediction: what a model says of texts, kind by kind. No TensorFlow here."""

import dataclasses
import math
import re
from collections.abc import Sequence

import numpy as np

from mobilebert_tf.data.datasets.squad import Question
from mobilebert_tf.data.features import question_windows, tagged_tokens
from mobilebert_tf.data.features.features import Features, single_rows
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import answers
from mobilebert_tf.evaluation.entities import entities
from mobilebert_tf.running import run as running
from mobilebert_tf.text.packing import join
from mobilebert_tf.text.words import split

_MASK = "[MASK]"
_TAG = re.compile(r"O|[BI]-.+", re.DOTALL)


def predict(runner, texts: Sequence[str], pair: str | Sequence[str] | None = None,
            top_k: int = 5, null_threshold: float | None = None) -> list[dict]:
    """Predicts for each text with a model's own tokenizer and labels.

    Args:
      runner: a Keras model or a file, as `KerasRunner` and `export.Runner` open them.
      texts: questions, where the model answers questions.
      pair: the second text of all of them, or of each its own; the context that answers are
        looked for in.
      top_k: how many classes, pieces or answers to name, best first.
      null_threshold: null odds above which a question has no answer in the context; by default the
        model's own. Without both it always has one.

    Returns:
      a dict for each text: `text`, `truncated` (whether the model saw only its beginning), and by
      kind `classes` [{label, probability}], `score`, `entities` [{type, text, start, end,
      probability}], `masks` [[{piece, probability}], one list a mask], or `answer`, `start`,
      `end` (characters of the pair; None for no answer), `null_odds`, `answers` [{text, start, end,
      probability}]. The probability of an answer is among all spans that could be one, and no
      answer where the model has a null threshold; what `evaluate --n-best` writes is among the n
      best spans alone, as in run_squad.py.

      Of a text without tokens, such as white space, nothing is predicted: in place of what is by
      kind there is `empty`, a list of what has no tokens: "text", "second_text" or both.

    Raises:
      InputError: for a kind with nothing to predict, a model without a vocabulary, a text without
        [MASK] or too long for what the model needs of it.
    """
    if runner.kind not in _PREDICT:
        raise InputError(f"a model for {runner.kind} has no predictions of a text alone")
    settings = runner.question_answering
    if null_threshold is not None:
        settings = dataclasses.replace(settings, null_threshold=null_threshold)
    pairs = ([pair] * len(texts) if pair is None or isinstance(pair, str) else list(pair))
    empty = _empty_parts(runner.tokenizer, texts, pairs)
    whole = [number for number, parts in enumerate(empty) if not parts]
    found = iter(_PREDICT[runner.kind](
        runner, [texts[number] for number in whole], [pairs[number] for number in whole], top_k,
        settings))
    return [{"text": text, **({"empty": parts, "truncated": False} if parts else next(found))}
            for text, parts in zip(texts, empty, strict=True)]


def embed(runner, texts: Sequence[str]) -> np.ndarray:
    """Sentence embeddings, of length 1.

    Args:
      runner: of a model for embedding; or for encoding, where it is the mean of the states of the
        real tokens.
      texts: what is longer than the model takes is cut.

    Returns:
      float32 `(texts, features)`, whose products are cosines; zeros for a text without tokens,
      which is like no other.

    Raises:
      InputError: for a model of another kind or without a vocabulary.
    """
    vectors = _vectors(runner, texts)
    has_tokens = [not parts for parts in _empty_parts(runner.tokenizer, texts, [None] * len(texts))]
    return vectors * np.array(has_tokens, vectors.dtype)[:, np.newaxis]


def _vectors(runner, texts):
    features = single_rows(texts, None, runner.tokenizer, runner.length)
    if runner.kind == "embedding":
        return running.outputs(runner, features)["sentence_embedding"]
    if runner.kind != "encoding":
        raise InputError(f"a model for {runner.kind} has no sentence embeddings")
    states = running.outputs(runner, features)["sequence_output"]
    means = np.stack([rows[:len(ids)].mean(axis=0)
                      for rows, ids in zip(states, features.ids, strict=True)])
    return means / np.linalg.norm(means, axis=1, keepdims=True)


def rank(runner, query: str, texts: Sequence[str]) -> list[tuple[float, str]]:
    """(cosine to the query, text), the most alike first; without texts that have no tokens.

    Raises:
      InputError: as for `embed`; and for a query without tokens, which nothing is like.
    """
    of_query, *of_texts = _empty_parts(runner.tokenizer, [query, *texts], [None] * (len(texts) + 1))
    if of_query:
        raise InputError("the query is empty: there is nothing to compare texts with")
    texts = [text for text, parts in zip(texts, of_texts, strict=True) if not parts]
    vectors = embed(runner, [query, *texts])
    cosines = (vectors[1:] @ vectors[0]).tolist()
    return sorted(zip(cosines, texts, strict=True), key=lambda entry: -entry[0])


def _classify(runner, texts, pairs, top_k, _):
    outputs, truncated = _run(runner, texts, pairs)
    labels = _labels(runner, outputs["probabilities"].shape[1])
    return [{"classes": _best(row, labels, top_k, "label"), "truncated": cut}
            for row, cut in zip(outputs["probabilities"], truncated, strict=True)]


def _score(runner, texts, pairs, *_):
    outputs, truncated = _run(runner, texts, pairs)
    return [{"score": float(row[0]), "truncated": cut}
            for row, cut in zip(outputs["score"], truncated, strict=True)]


def _tag(runner, texts, pairs, *_):
    if any(pair is not None for pair in pairs):
        raise InputError("a model for tagging takes no second text")
    if runner.labels is None:
        raise InputError("the model does not name its tags: export it again with them")
    if "O" not in runner.labels or not all(map(_TAG.fullmatch, runner.labels)):
        raise InputError("entities are told by the tags O, B-type and I-type, and the model's "
                         f"labels are {', '.join(runner.labels)}")
    return [_tag_one(runner, text) for text in texts]


def _tag_one(runner, text):
    words, offsets = split(text)
    windows = tagged_tokens.windows(words, runner.tokenizer, length=runner.length)
    logits = running.outputs(runner, Features(
        [window.ids for window in windows], [len(window.ids) for window in windows]))["logits"]
    probabilities = _softmax(logits)
    tags = tagged_tokens.word_tags(windows, logits.argmax(axis=-1), runner.labels, len(words))
    certain = tagged_tokens.by_word(windows, probabilities.max(axis=-1), len(words), 1.0)
    return {"entities": entities(text, offsets, tags, certain), "truncated": False}


def _fill_masks(runner, texts, pairs, top_k, _):
    return [_fill_one(runner, text, pair, top_k)
            for text, pair in zip(texts, pairs, strict=True)]


def _fill_one(runner, text, pair, top_k):
    vocabulary = runner.tokenizer.vocabulary
    parts = [_ids_with_masks(runner.tokenizer, part) for part in (text, pair) if part is not None]
    ids, first = join(*parts, length=sum(map(len, parts)) + 3, cls_id=vocabulary.cls_id,
                      sep_id=vocabulary.sep_id)
    if vocabulary.mask_id not in ids:
        raise InputError(f"the text {text!r} has no {_MASK} to fill")
    if len(ids) > runner.length:
        raise InputError(f"the text has {len(ids)} tokens and the model's {runner.length} "
                         "positions do not hold them: shorten it, or export with a greater "
                         "--lengths")
    (logits,) = running.outputs(runner, Features([ids], [first]))["mlm_logits"]
    return {"masks": [_best(_softmax(logits[position]), vocabulary.pieces, top_k, "piece")
                      for position, token in enumerate(ids) if token == vocabulary.mask_id],
            "truncated": False}


def _answer(runner, texts, pairs, top_k, settings):
    if None in pairs:
        raise InputError("a model for question answering needs the text to look in: --text-pair, "
                         "or --pairs")
    return [_answer_one(runner, Question("", text, pair), top_k, settings)
            for text, pair in zip(texts, pairs, strict=True)]


def _answer_one(runner, question, top_k, settings):
    windows = question_windows.windows(question, runner.tokenizer, length=runner.length,
                                       settings=settings)
    outputs = running.outputs(runner, Features(
        [window.ids for window in windows], [window.first_length for window in windows]))
    logits = outputs["start_logits"], outputs["end_logits"]
    found = answers.decode(question, windows, *logits, settings=settings)
    total = answers.log_total(windows, *logits, settings=settings,
                              with_null=runner.question_answering.null_threshold is not None)
    best = found.best if answers.answer(found, settings.null_threshold) else None
    return {"answer": "" if best is None else best.text, "start": best and best.start,
            "end": best and best.end, "null_odds": found.null_odds, "truncated": False,
            "answers": [{"text": span.text, "start": span.start, "end": span.end,
                         "probability": math.exp(span.start_logit + span.end_logit - total)}
                        for span in found.n_best[:top_k]]}


_PREDICT = {"classification": _classify, "regression": _score, "tagging": _tag,
            "fill_mask": _fill_masks, "question_answering": _answer}


def _empty_parts(tokenizer, texts, pairs):
    """For each text, which of it and its second text have no tokens, by their names in JSON."""
    given = list(dict.fromkeys(text for text in (*texts, *pairs) if text is not None))
    empty = {text for text, ids in zip(given, tokenizer.encode_texts(given), strict=True)
             if not ids}
    return [["text"] * (text in empty) + ["second_text"] * (pair in empty)
            for text, pair in zip(texts, pairs, strict=True)]


def _run(runner, texts, pairs):
    """The outputs of packed texts, and which of them were cut."""
    pairs = None if None in pairs else pairs
    whole = single_rows(texts, pairs, runner.tokenizer, _ALL)
    features = single_rows(texts, pairs, runner.tokenizer, runner.length)
    truncated = [len(ids) > runner.length for ids in whole.ids]
    return running.outputs(runner, features), truncated


# More tokens than a text can have.
_ALL = 1 << 40


def _ids_with_masks(tokenizer, text):
    """Ids of a text in which every "[MASK]" is the special piece; the tokenizer would split it."""
    ids = []
    for index, part in enumerate(text.split(_MASK)):
        ids += [tokenizer.vocabulary.mask_id] * (index > 0) + tokenizer.encode(part)
    return ids


def _labels(runner, count):
    return runner.labels or tuple(str(number) for number in range(count))


def _best(probabilities, names, count, key):
    best = np.argsort(-probabilities, kind="stable")[:count]
    return [{key: names[i], "probability": float(probabilities[i])} for i in best]


def _softmax(logits):
    exponents = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return exponents / exponents.sum(axis=-1, keepdims=True)
