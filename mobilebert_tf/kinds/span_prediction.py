"""SpanPrediction: the answer to a question, and the spans that come next."""

import dataclasses
import math

from mobilebert_tf.kinds.span import Span


@dataclasses.dataclass(frozen=True)
class SpanPrediction:
    """The answer to a question.

    Args:
      id: of the question.
      best: the best span of the context; None if no span is possible.
      n_best: spans of different texts, best first, `best` among them.
      null_score: the sum of the logits of [CLS], in the window where it is least; 1e6 without a
        window.
      null_odds: `null_score` minus the score of `best`: how far "no answer" is ahead; 1e6 without
        a possible span. None if another program answered and does not say.
      log_total: the logarithm of the sum of exp(score) over all spans that could be the answer; a
        span's score is the sum of its two logits. None if another program answered.
    """

    id: str
    best: Span | None
    n_best: tuple[Span, ...] = ()
    null_score: float | None = None
    null_odds: float | None = None
    log_total: float | None = None

    def probability(self, span: Span) -> float:
        """Return the probability of a span among all that could be the answer."""
        return math.exp(span.start_logit + span.end_logit - self.log_total)
