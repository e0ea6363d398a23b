"""Recipes: what an export does to the numbers, as data. No TensorFlow here."""

import dataclasses
import difflib

from ..errors import InputError


@dataclasses.dataclass(frozen=True, kw_only=True)
class Recipe:
    """One way to store and compute the numbers of an exported model.

    Args:
      description: one line for a list of recipes.
      runtime: the LiteRT / TensorFlow Lite runtime that runs its files whatever the model; a file
        states its own, which may be older. Older ones refuse it: op versions are stamped right.
      optimizations: names of `tf.lite.Optimize` given to the converter.
      max_drop: points of a task's metric (0 to 100) that a file may lose against the Keras model.
      calibrated: whether it needs texts of the task to learn ranges of activations from.
    """

    description: str
    runtime: str
    optimizations: tuple[str, ...] = ()
    max_drop: float
    calibrated: bool = False


RECIPES = {
    "float32": Recipe(
        description="the Keras model's own numbers",
        max_drop=0.0,
        runtime="2.9.0"),  # GELU; models without it run from 2.3 on
    "dynamic_int8": Recipe(
        description="int8 weights, one scale a column; activations quantized as they come, row by "
                    "row; attention, norms and sums in float32",
        runtime="2.17.0",  # FULLY_CONNECTED version 12, per-channel weights
        max_drop=0.5,
        optimizations=("DEFAULT",)),
}


def get(name: str) -> Recipe:
    """The recipe of this name; InputError names the near ones where there is none."""
    if name not in RECIPES:
        near = difflib.get_close_matches(name, RECIPES, n=3, cutoff=0.4) or RECIPES
        raise InputError(f"unknown recipe {name!r}; did you mean {', '.join(near)}?")
    return RECIPES[name]
