"""QuestionSettings: how questions are cut into windows, and how answers are chosen."""

import dataclasses
import math

from mobilebert_tf.data.features.settings import Settings
from mobilebert_tf.errors import InputError

# Far more tokens than a model reads, and less than an app's integers hold.
_MOST = 1_000_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class QuestionSettings(Settings):
    """The settings that a model answers questions by; the defaults are run_squad.py's.

    Args:
      max_question_length: most tokens of a question; it loses its end.
      stride: tokens from the start of a window to the start of the next.
      max_answer_length: most tokens of an answer.
      n_best: how many starts, ends and spans are looked at, as `answers.decode` says.
      null_threshold: null odds above which a question has no answer; None where it always has one.
    Raises:
      InputError: for a value that means nothing.
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
                # To Python, True is a number.
                if value is not None and (type(value) not in (int, float) or math.isnan(value)):
                    raise InputError("the setting null_threshold should be a number, or null for "
                                     f"none. Received: {value!r}")
            elif type(value) is not int or not 1 <= value <= _MOST:
                raise InputError(f"the setting {field.name} should be a whole number from 1 to "
                                 f"{_MOST:,}. Received: {value!r}")


DEFAULTS = QuestionSettings()
