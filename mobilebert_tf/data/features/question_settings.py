"""QuestionSettings: how questions are cut into windows, and how answers are chosen."""

import dataclasses
import math
from typing import Any

from mobilebert_tf.errors import InputError

# Far more tokens than a model reads, and less than an app's integers hold.
_MOST = 1_000_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class QuestionSettings:
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

    @classmethod
    def from_json(cls, values: Any, source: str) -> "QuestionSettings":
        """The settings in a JSON object; those that it does not name are the defaults.

        Args:
          values: what stands in the JSON file.
          source: the file, for messages.
        Raises:
          InputError: for anything but an object, a name that is no setting, and a value that
            means nothing.
        """
        if not isinstance(values, dict):
            raise InputError(f"{source}: question_answering should be an object with the settings "
                             f"of questions. Received: {values!r}")
        unknown = values.keys() - {field.name for field in dataclasses.fields(cls)}
        if unknown:
            raise InputError(f"{source}: {min(unknown)!r} is no setting of questions; known are "
                             f"{', '.join(field.name for field in dataclasses.fields(cls))}")
        try:
            return cls(**values)
        except InputError as error:
            raise InputError(f"{source}: {error}") from error

    @classmethod
    def of_description(cls, description: dict, source: str) -> "QuestionSettings | None":
        """The settings in a model's description; None where it has none.

        Descriptions of the first versions have a null threshold alone.

        Raises:
          InputError: as `from_json` does.
        """
        values = description.get("question_answering")
        if values is None and description.get("null_threshold") is not None:
            values = {"null_threshold": description["null_threshold"]}
        return None if values is None else cls.from_json(values, source)

    def to_json(self) -> dict[str, int | float | None]:
        """The settings by name, as JSON has them."""
        return dataclasses.asdict(self)


DEFAULTS = QuestionSettings()
