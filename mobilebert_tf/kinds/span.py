"""Span: a slice of the context that may be the answer."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Span:
    """A slice of the context; or the null span, "no answer", whose text is empty.

    If another program answered, everything but the text is None.

    Args:
      text: the slice.
      start, end: characters of the context; 0 for the null span.
      start_logit, end_logit: of the slice's first and last token, or of [CLS].
      probability: among the question's n best spans, as in run_squad.py. For the probability among
        all spans see `SpanPrediction.log_total`.
    """

    text: str
    start: int | None = None
    end: int | None = None
    start_logit: float | None = None
    end_logit: float | None = None
    probability: float | None = None
