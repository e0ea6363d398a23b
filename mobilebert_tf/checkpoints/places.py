"""Places: where a variable is in a model, and its name and shape in Google's TF1 checkpoints."""

import dataclasses
import operator
from collections.abc import Iterator


@dataclasses.dataclass(frozen=True)
class VariablePlace:
    """The place of a variable.

    Args:
      name: Google's name of the variable.
      path: attributes from the model to the variable; a number is an index into a list.
      shape: of the variable.
    """

    name: str
    path: str
    shape: tuple[int, ...]

    def variable(self, model):
        """Return the model's variable at this place."""
        for part in self.path.split("."):
            model = model[int(part)] if part.isdigit() else operator.attrgetter(part)(model)
        return model


def dense(name: str, path: str, features: int, units: int) -> Iterator[VariablePlace]:
    """Yield the places of a dense layer inside the encoder or a head."""
    yield VariablePlace(f"{name}/kernel", f"{path}.kernel", (features, units))
    yield VariablePlace(f"{name}/bias", f"{path}.bias", (units,))


def norm(name: str, path: str, features: int) -> Iterator[VariablePlace]:
    """Yield the places of a LayerNorm or a NoNorm."""
    yield VariablePlace(f"{name}/gamma", f"{path}.gamma", (features,))
    yield VariablePlace(f"{name}/beta", f"{path}.beta", (features,))


def output(prefix: str, path: str, features: int, units: int) -> Iterator[VariablePlace]:
    """Yield the places of the last dense layer of a head; see `is_transposed`."""
    yield VariablePlace(f"{prefix}output_weights", f"{path}.kernel", (features, units))
    yield VariablePlace(f"{prefix}output_bias", f"{path}.bias", (units,))


def is_transposed(name: str) -> bool:
    """Return whether Google's checkpoint holds the transpose of our variable.

    Every kernel is (in, out) there as here, but `output_weights`, which are (classes, features).
    """
    return name.rpartition("/")[2] == "output_weights"
