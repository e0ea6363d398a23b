"""Settings: how a kind makes answers from outputs, as a model's description keeps it."""

import dataclasses
import math
from typing import Any

from mobilebert_tf.errors import InputError


@dataclasses.dataclass(frozen=True, kw_only=True)
class KindSettings:
    """The base of a kind's settings, a dataclass whose fields all have defaults."""

    @classmethod
    def from_json(cls, values: Any, source: str) -> "KindSettings":
        """Read settings from a JSON object; a setting that it does not name has its default.

        Args:
          values: the parsed JSON.
          source: the name of the file, for messages.
        Raises:
          InputError: for anything but an object, an unknown name, and a value out of range.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        if not isinstance(values, dict):
            raise InputError(f"{source}: settings should be an object. Received: {values!r}")
        unknown = values.keys() - set(names)
        if unknown:
            raise InputError(f"{source}: {min(unknown)!r} is no setting; known are "
                             f"{', '.join(names)}")
        try:
            return cls(**values)
        except InputError as error:
            raise InputError(f"{source}: {error}") from error

    def to_json(self) -> dict[str, int | float | str | None]:
        """Return the settings by name.

        Raises:
          InputError: for an infinite number, which JSON cannot hold.
        """
        found = dataclasses.asdict(self)
        for name, value in found.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise InputError(f"the setting {name} is {value}, which no file of a model can "
                                 "hold: choose a number")
        return found
