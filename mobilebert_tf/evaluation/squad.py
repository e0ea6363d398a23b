"""Scores of answers to questions, equal to those of SQuAD's two official scorers."""

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence

from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.errors import InputError

_ARTICLE = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize(text: str) -> str:
    """Lower-case a text; remove ASCII punctuation, English articles and repeated spaces."""
    text = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLE.sub(" ", text).split())


def exact_match(answer: str, gold_answers: Sequence[str]) -> int:
    """Return 1 if the normalized answer equals a normalized gold answer, else 0."""
    return max(int(normalize(answer) == normalize(gold)) for gold in gold_answers)


def f1(answer: str, gold_answers: Sequence[str]) -> float:
    """Return the F1 of the answer's words against the gold answer for which it is highest.

    An answer without words scores 1 if a gold answer has none either, as in v2.0.
    """
    return max(_f1(normalize(answer).split(), normalize(gold).split()) for gold in gold_answers)


def _f1(words, gold_words):
    if not words or not gold_words:
        return float(words == gold_words)
    same = sum((Counter(words) & Counter(gold_words)).values())
    if not same:
        return 0.0
    precision, recall = same / len(words), same / len(gold_words)
    return 2 * precision * recall / (precision + recall)


def score_v1(questions: Sequence[Question], predictions: Mapping[str, str]) -> dict[str, float]:
    """Return the scores of SQuAD v1.1, as its official evaluate-v1.1.py computes them.

    A question without a prediction is wrong. Answers without words after normalization, such as
    "the", match each other exactly but have an F1 of 0, unlike in `score_v2`.

    Args:
      questions: questions with at least one answer each.
      predictions: answer text by question id; unknown ids are ignored.
    Returns:
      `exact_match` and `f1`, in percent.
    Raises:
      InputError: if there are no questions, or one has no answers.
    """
    _check_not_empty(questions)
    exact_sum = f1_sum = 0.0
    for question in questions:
        if not question.answers:
            raise InputError(f"question {question.id!r} has no answers, and v1.1's scores need an "
                             "answer to each; use v2.0's")
        if question.id in predictions:
            answer = predictions[question.id]
            gold = [one.text for one in question.answers]
            exact_sum += exact_match(answer, gold)
            f1_sum += f1(answer, gold) if normalize(answer) else 0.0
    return {"exact_match": 100.0 * exact_sum / len(questions),
            "f1": 100.0 * f1_sum / len(questions)}


def score_v2(questions: Sequence[Question], predictions: Mapping[str, str],
             null_odds: Mapping[str, float] | None = None,
             threshold: float = 1.0) -> dict[str, float]:
    """Return the scores of SQuAD v2.0, as its official evaluate-v2.0.py computes them.

    "" is the right answer to a question without answers, and to one whose answers have no words
    after normalization. The latter still counts as HasAns.

    Args:
      questions: the questions in the order of their file.
      predictions: answer text by question id, "" for no answer; unknown ids are ignored.
      null_odds: by question id, how sure the model is that there is no answer; any scale, such as
        `SpanPrediction.null_odds`. The dict's order breaks ties.
      threshold: a question with null odds above it counts as not answered, whatever its
        prediction. The default is the official scorer's, for probabilities.
    Returns:
      `exact`, `f1` (percent) and `total` of all questions; the same with the prefixes `HasAns_` and
      `NoAns_`, if there are such questions. With `null_odds`, also `best_exact` and `best_f1`, the
      scores at the best thresholds, which are `best_exact_thresh` and `best_f1_thresh`.
    Raises:
      InputError: if there are no questions, or one has no prediction or null odds.
    """
    _check_not_empty(questions)
    check_complete(questions, predictions, "prediction")
    has_answer = {question.id: bool(question.answers) for question in questions}
    exact, overlap = {}, {}
    for question in questions:
        gold = [one.text for one in question.answers if normalize(one.text)] or [""]
        exact[question.id] = exact_match(predictions[question.id], gold)
        overlap[question.id] = f1(predictions[question.id], gold)
    raw = {"exact": exact, "f1": overlap}
    scores = raw
    if null_odds is not None:
        check_complete(questions, null_odds, "null odds")
        scores = {name: {identifier: float(not has_answer[identifier])
                         if null_odds[identifier] > threshold else value
                         for identifier, value in values.items()}
                  for name, values in raw.items()}
    result = _means(scores, list(has_answer))
    for prefix, kind in (("HasAns", True), ("NoAns", False)):
        chosen = [identifier for identifier, has in has_answer.items() if has == kind]
        if chosen:
            result |= {f"{prefix}_{name}": value for name, value in _means(scores, chosen).items()}
    if null_odds is not None:
        for name, values in raw.items():
            best, best_threshold = _best(values, predictions, null_odds, has_answer)
            result |= {f"best_{name}": best, f"best_{name}_thresh": best_threshold}
    return result


def _means(scores, identifiers):
    total = len(identifiers)
    means = {name: 100.0 * sum(values[identifier] for identifier in identifiers) / total
             for name, values in scores.items()}
    return {**means, "total": total}


def _best(scores, predictions, null_odds, has_answer):
    """Return (the highest mean score in percent, the null odds up to which questions are answered).
    """
    # At first nothing is answered. Each step answers the question with the next higher null odds.
    score = best = sum(not has for has in has_answer.values())
    threshold = 0.0
    for identifier in sorted(null_odds, key=null_odds.get):
        if identifier in scores:
            if has_answer[identifier]:
                score += scores[identifier]
            elif predictions[identifier]:
                score -= 1
            if score > best:
                best, threshold = score, null_odds[identifier]
    return 100.0 * best / len(scores), threshold


def _check_not_empty(questions):
    if not questions:
        raise InputError("there are no questions to score")


def check_complete(questions: Sequence[Question], values: Mapping[str, object], name: str) -> None:
    """Raise InputError unless each question's id has a value; messages call it `name`."""
    missing = [question.id for question in questions if question.id not in values]
    if missing:
        raise InputError(f"{len(missing)} of {len(questions)} questions have no {name}, first "
                         f"{missing[0]!r}; v2.0's scores need one for each")
