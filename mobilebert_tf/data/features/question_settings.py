"""QuestionSettings: how questions are cut into windows and answers are chosen."""

import dataclasses

from mobilebert_tf.data.features.settings import KindSettings
from mobilebert_tf.errors import InputError

# More tokens than any model reads; an app's integers hold it.
_MOST = 1_000_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class QuestionSettings(KindSettings):
    """Settings for answering questions; the defaults are run_squad.py's.

    Args:
      max_question_length: most tokens of a question; a longer one loses its end.
      stride: tokens from the start of a window to the start of the next.
      max_answer_length: most tokens of an answer.
      n_best: number of starts, ends and spans that decoding considers.
      null_threshold: null odds above which a question counts as unanswerable; None if every
        question has an answer.
    Raises:
      InputError: if a value has the wrong type or is out of range.
    """

    max_question_length: int = 64
    stride: int = 128
    max_answer_length: int = 30
    n_best: int = 20
    null_threshold: float | None = None

    def __post_init__(self):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name == "null_threshold":
                # In Python, True is a number. NaN alone does not equal itself; `math.isnan` fails
                # on huge whole numbers.
                if value is not None and (type(value) not in (int, float) or value != value):
                    raise InputError("the setting null_threshold should be a number, or null for "
                                     f"none. Received: {value!r}")
            elif type(value) is not int or not 1 <= value <= _MOST:
                raise InputError(f"the setting {field.name} should be a whole number from 1 to "
                                 f"{_MOST:,}. Received: {value!r}")


DEFAULTS = QuestionSettings()
