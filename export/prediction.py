"""Prediction: what an exported file says of a text, task by task. No TensorFlow here."""

import numpy as np

from ..errors import InputError
from ..text.packing import pack

_MASK = "[MASK]"
_LONGEST_ANSWER = 30  # tokens, as google-research's run_squad


def predict(runner, texts, pair=None, top_k=5) -> list[dict]:
    """Predicts for each text with a file's own tokenizer and labels.

    Args:
      runner: a `Runner`.
      texts: list of str; questions, where the task is question answering.
      pair: second text of each; the context that answers are looked for in.
      top_k: how many pieces or classes to name, best first.

    Returns:
      a dict for each text: `text`, `truncated` (whether the model saw only its beginning), and by
      task `classes` [{label, probability}], `score`, `tokens` [{token, label, probability}],
      `masks` [[{piece, probability}], one list a mask], or `answer`, `start`, `end` (characters
      of `pair`).

    Raises:
      InputError: for a task with nothing to predict, a file without a vocabulary, a text without
        [MASK] or too long for what the task needs of it.
    """
    task = runner.metadata.task
    if task not in _PREDICT:
        raise InputError(f"a file for {task} has no predictions: its output is the encoder's "
                         "states, for other programs to use")
    return [{"text": text, **_PREDICT[task](runner, text, pair, top_k)} for text in texts]


def embed(runner, texts) -> np.ndarray:
    """Sentence embeddings by an encoder's file: the mean over real tokens, of length 1.

    Args:
      runner: a `Runner` of a file for encoding.
      texts: list of str; what is longer than the file takes is cut.

    Returns:
      float32 `(texts, features)`, whose products are cosines.

    Raises:
      InputError: for a file of another task or without a vocabulary.
    """
    if runner.metadata.task != "encoding":
        raise InputError(f"a file for {runner.metadata.task} has no sentence embeddings")
    vectors = []
    for text in texts:
        ids = runner.tokenizer.encode(text)
        outputs, _ = _run_ids(runner, ids)
        tokens = min(len(ids) + 2, runner.metadata.length)
        mean = outputs["sequence_output"][:tokens].mean(axis=0)
        vectors.append(mean / np.linalg.norm(mean))
    return np.stack(vectors)


def _classify(runner, text, pair, top_k):
    outputs, truncated = _run(runner, text, pair)
    return {"classes": _best(outputs["probabilities"], _labels(runner), top_k, "label"),
            "truncated": truncated}


def _score(runner, text, pair, top_k):
    outputs, truncated = _run(runner, text, pair)
    return {"score": float(outputs["score"][0]), "truncated": truncated}


def _tag(runner, text, pair, top_k):
    if pair is not None:
        raise InputError("a file for tagging takes no second text")
    ids, offsets = runner.tokenizer.encode_with_offsets(text)
    outputs, truncated = _run_ids(runner, ids)
    probabilities = _softmax(outputs["logits"])[1:len(ids) + 1]  # after [CLS]
    labels = _labels(runner)
    return {"tokens": [
        {"token": text[start:end], "start": start, "end": end,
         **_best(row, labels, 1, "label")[0]}
        # The shorter of the two where the text was cut.
        for (start, end), row in zip(offsets, probabilities[:_room(runner)], strict=False)],
        "truncated": truncated}


def _fill_masks(runner, text, pair, top_k):
    tokenizer = runner.tokenizer
    ids, pair_ids = (None if part is None else _ids_with_masks(tokenizer, part)
                     for part in (text, pair))
    mask_id = tokenizer.vocabulary.mask_id
    if mask_id not in ids + (pair_ids or []):
        raise InputError(f"the text {text!r} has no {_MASK} to fill")
    outputs, truncated = _run_ids(runner, ids, pair_ids)
    if truncated:
        raise InputError(_too_long(runner, len(ids) + len(pair_ids or [])))
    packed, _, _ = _pack(runner, ids, pair_ids)
    pieces = tokenizer.vocabulary.pieces
    return {"masks": [_best(_softmax(outputs["mlm_logits"][position]), pieces, top_k, "piece")
                      for position, token in enumerate(packed) if token == mask_id],
            "truncated": False}


def _answer(runner, text, pair, top_k):
    if pair is None:
        raise InputError("a file for question answering needs the text to look in: --text-pair")
    question = runner.tokenizer.encode(text)
    context, offsets = runner.tokenizer.encode_with_offsets(pair)
    outputs, truncated = _run_ids(runner, question, context)
    if truncated:
        raise InputError(_too_long(runner, len(question) + len(context)))
    if not context:
        raise InputError("the text to look in is empty")
    window = slice(len(question) + 2, len(question) + 2 + len(context))
    first, last = _best_span(outputs["start_logits"][window], outputs["end_logits"][window])
    start, end = offsets[first][0], offsets[last][1]
    return {"answer": pair[start:end], "start": start, "end": end, "truncated": False}


_PREDICT = {"classification": _classify, "regression": _score, "tagging": _tag,
            "fill_mask": _fill_masks, "question_answering": _answer}


def _run(runner, text, pair):
    return _run_ids(runner, runner.tokenizer.encode(text),
                    None if pair is None else runner.tokenizer.encode(pair))


def _run_ids(runner, ids, pair_ids=None):
    """The outputs of one packed text, without the batch axis, and whether it was cut."""
    names = ("input_word_ids", "input_mask", "input_type_ids")
    values = np.array(_pack(runner, ids, pair_ids), np.int32)[:, np.newaxis]
    outputs = runner(dict(zip(names, values, strict=True)))
    return ({name: rows[0] for name, rows in outputs.items()},
            len(ids) + len(pair_ids or []) > _room(runner, pair_ids is not None))


def _pack(runner, ids, pair_ids):
    vocabulary = runner.tokenizer.vocabulary
    tokens = len(ids) + 2 if pair_ids is None else len(ids) + len(pair_ids) + 3
    return pack(ids, pair_ids, length=runner.metadata.length_for(tokens), cls_id=vocabulary.cls_id,
                sep_id=vocabulary.sep_id, pad_id=vocabulary.pad_id)


def _room(runner, has_pair=False):
    return runner.metadata.length - (3 if has_pair else 2)


def _too_long(runner, count):
    return (f"the text has {count} tokens and the model's {runner.metadata.length} positions do "
            "not hold them: shorten it, or export with a greater --lengths")


def _ids_with_masks(tokenizer, text):
    """Ids of a text in which every "[MASK]" is the special piece; the tokenizer would split it."""
    ids = []
    for index, part in enumerate(text.split(_MASK)):
        ids += [tokenizer.vocabulary.mask_id] * (index > 0) + tokenizer.encode(part)
    return ids


def _labels(runner):
    return runner.metadata.labels or [str(i) for i in range(runner.metadata.num_classes)]


def _best(probabilities, names, count, key):
    best = np.argsort(-probabilities, kind="stable")[:count]
    return [{key: names[i], "probability": float(probabilities[i])} for i in best]


def _softmax(logits):
    exponents = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return exponents / exponents.sum(axis=-1, keepdims=True)


def _best_span(start_logits, end_logits):
    """The span with the highest sum of logits, at most `_LONGEST_ANSWER` tokens."""
    scores = start_logits[:, np.newaxis] + end_logits
    allowed = np.triu(np.ones_like(scores)) - np.triu(np.ones_like(scores), _LONGEST_ANSWER)
    return np.unravel_index(np.argmax(np.where(allowed, scores, -np.inf)), scores.shape)
