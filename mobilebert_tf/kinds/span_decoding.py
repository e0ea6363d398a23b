"""Span decoding: from the logits of a question's windows to slices of its context."""

import math
from collections.abc import Sequence

import numpy as np

from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.data.features.question_settings import DEFAULTS, QuestionSettings
from mobilebert_tf.data.features.question_windows import Window
from mobilebert_tf.kinds.span import Span
from mobilebert_tf.kinds.span_prediction import SpanPrediction
from mobilebert_tf.text.marks import end_with_marks

# run_squad.py starts its search for the least null score at this number, so a question without a
# window has it as its null score. Here it is also the null odds if no span is possible.
_NO_SCORE = 1e6


def decode(question: Question, windows: Sequence[Window], start_logits: Sequence,
           end_logits: Sequence, *, settings: QuestionSettings = DEFAULTS,
           with_null: bool = False, counts_null: bool | None = None) -> SpanPrediction:
    """Find the best spans of all windows of a question.

    Source: `write_predictions` in google-research/bert's run_squad.py, span for span. Each window
    pairs its `n_best` highest starts with its `n_best` highest ends. A pair is kept if both tokens
    are in the context, the end does not precede the start, the span is not too long, and the window
    has the most context for the start. Equal scores keep the order of windows and ranks. Of spans
    with the same text the best one counts.

    Differences: padding is never among the highest. A span's text is cut from the context by the
    characters of its tokens and the accents after them, while run_squad.py aligns a re-tokenized
    text with whole words. Where no span is possible, there is no "empty".

    Args:
      question: that the windows are of.
      windows: from `question_windows.windows`, all of them; may be none.
      start_logits, end_logits: a row of floats for each window, at least as long as its ids; what
        is beyond these is padding.
      settings: of them `n_best` and `max_answer_length` count.
      with_null: whether "no answer" is among `n_best`, for sets with such questions. It adds one
        to them where it is not among the best.
      counts_null: whether "no answer" is among the spans of `log_total`; by default as `with_null`.
    Raises:
      ValueError: for another number of rows than windows, or a row shorter than its window.
    """
    counts_null = with_null if counts_null is None else counts_null
    starts = _rows(windows, start_logits)
    ends = _rows(windows, end_logits)
    null_logits = min(((float(start[0]), float(end[0]))
                       for start, end in zip(starts, ends, strict=True)),
                      key=sum, default=(0.0, 0.0))
    null_score = sum(null_logits) if windows else _NO_SCORE
    ranked = _distinct_spans(question.context, windows, starts, ends, settings)
    null = ("", 0, 0, *null_logits)
    if with_null:
        # Behind spans of its own score.
        rank = sum(_score(span) >= _score(null) for span in ranked)
        ranked.insert(rank, null)
        ranked = ranked[:settings.n_best] + [null] * (rank >= settings.n_best)
    spans = [Span(*span, probability)
             for span, probability in zip(ranked, _softmax(map(_score, ranked)), strict=True)]
    found = next((span for span in spans if span.text), None)
    odds = _NO_SCORE if found is None else null_score - found.start_logit - found.end_logit
    log_total = _log_total(windows, starts, ends, settings, null_score if counts_null else None)
    return SpanPrediction(question.id, found, tuple(spans), null_score, odds, log_total)


def answer(prediction: SpanPrediction, threshold: float | None = None) -> Span | None:
    """Return the span that answers; None for no answer.

    Args:
      prediction: of `decode`.
      threshold: the null odds above which there is no answer; None if there always is one.
    """
    odds = -math.inf if prediction.null_odds is None else prediction.null_odds
    return None if threshold is not None and odds > threshold else prediction.best


def _log_total(windows, starts, ends, settings, null_score):
    """The log of the sum of exp(score) over all possible spans, and the null one if it has a score.

    The loop is over the distance from start to end, which is below `max_answer_length`: far fewer
    steps than pairs of tokens.
    """
    scores = [] if null_score is None else [np.array([null_score])]
    for window, start, end in zip(windows, starts, ends, strict=True):
        may_start = _may_start(window)
        for distance in range(min(settings.max_answer_length, len(start))):
            may = may_start[:len(start) - distance].copy()
            may[len(end) - 1 - distance:] = False  # the last token is [SEP]
            scores.append((start[:len(start) - distance] + end[distance:])[may])
    scores = np.concatenate(scores) if scores else np.zeros(0)
    if not len(scores):
        return -math.inf
    most = scores.max()
    return float(most + np.log(np.exp(scores - most).sum()))


def _rows(windows, logits):
    """The logits of each window's tokens, float64."""
    rows = []
    for window, row in zip(windows, logits, strict=True):
        row = np.asarray(row, np.float64)[:len(window.ids)]
        if row.shape != (len(window.ids),):
            raise ValueError(f"a row of logits should have an entry for each of its window's "
                             f"{len(window.ids)} tokens. Received: shape {row.shape}")
        rows.append(row)
    return rows


def _distinct_spans(context, windows, starts, ends, settings):
    """Up to `n_best` (text, start, end, start logit, end logit), best first."""
    found = [(number, first, last, starts[number][first], ends[number][last])
             for number, window in enumerate(windows)
             for first, last in _candidates(window, starts[number], ends[number], settings)]
    # Sorting is stable: equal scores stay in the order of windows and ranks.
    found.sort(key=lambda candidate: -(candidate[3] + candidate[4]))
    spans = {}
    for number, first, last, start_logit, end_logit in found:
        window = windows[number]
        start = window.offsets[first - window.first_length][0]
        end = end_with_marks(context, window.offsets[last - window.first_length][1])
        text = context[start:end]
        spans.setdefault(text, (text, start, end, float(start_logit), float(end_logit)))
        if len(spans) == settings.n_best:
            break
    return list(spans.values())


def _candidates(window, start_logits, end_logits, settings):
    """(first, last) tokens of the spans that a window offers, by rank of start, then of end."""
    # Stable, so that of equal logits the first come first.
    first = np.argsort(-start_logits, kind="stable")[:settings.n_best, np.newaxis]
    last = np.argsort(-end_logits, kind="stable")[np.newaxis, :settings.n_best]
    by_start, by_end = np.nonzero(_possible(window, first, last, settings))
    return zip(first[by_start, 0].tolist(), last[0, by_end].tolist(), strict=True)


def _possible(window, first, last, settings):
    """Whether tokens `first` to `last`, arrays that broadcast, may be the answer."""
    return (_may_start(window)[first] & (first <= last)
            & (last < first + settings.max_answer_length) & (last < len(window.ids) - 1))


def _may_start(window):
    """Whether each token of a window may be the first of an answer."""
    may_start = np.zeros(len(window.ids), bool)
    may_start[window.first_length:-1] = window.is_max_context
    return may_start


def _score(span):
    *_, start_logit, end_logit = span
    return start_logit + end_logit


def _softmax(scores):
    scores = list(scores)
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]
