"""Card: what a model card says about one kind of model."""

import dataclasses
from collections.abc import Mapping

CUT = "A text of more than {longest} tokens, [CLS] and [SEP] included, is cut at its end."
OTHER_TEXTS = "On texts unlike those of its training it may be wrong, and just as sure."


@dataclasses.dataclass(frozen=True, kw_only=True)
class Card:
    """The parts of a model card that differ between kinds.

    Texts may hold the fields that `export.package.card` fills in, in braces, and those of
    `Kind.card_fields`.

    Args:
      pipeline_tag: the Hugging Face hub's name for what the model does.
      metrics: the hub's names of a metric by the metric's name; two if it is a mean of two.
      title: a sentence on what the model is.
      answer: a Python expression that takes the answer from `outputs`.
      reading: how to read the outputs.
      quantity: the quantity of which the card gives the largest difference.
      limitations: of the kind.
      uncalibrated: one more, of files whose confidence is not calibrated; None if there is none.
      texts: an example's text, and its second text for a model that takes two.
      mediapipe: the class of MediaPipe Tasks that runs it; None if there is none.
      predict_arguments: the arguments of `mobilebert predict` after the file, {text} filled in.
    """

    pipeline_tag: str
    metrics: Mapping[str, tuple[str, ...]]
    title: str
    answer: str
    reading: str
    quantity: str
    limitations: tuple[str, ...]
    uncalibrated: str | None = None
    texts: tuple[str, str] = ("a quiet film that stays with you",
                              "the film is quiet, and one remembers it")
    mediapipe: str | None = None
    predict_arguments: str = "{text}"
