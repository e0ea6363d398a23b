"""Recipes: what an export does to a model's graph and numbers, as data. No TensorFlow here."""

import dataclasses
import difflib
from collections.abc import Iterable
from typing import Literal

from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.exported_head import HeadRule

Arithmetic = Literal["static_int8", "dynamic_int8", "dynamic_int4", "float32"]


@dataclasses.dataclass(frozen=True)
class Rule:
    """How some operations of a graph compute. Of several rules for an operation the last holds.

    Args:
      operations: LiteRT's names, such as FULLY_CONNECTED, or * for all.
      arithmetic: `static_int8`: int8 in and out, by calibrated ranges. `dynamic_int8`,
        `dynamic_int4`: weights of so many bits, activations quantized as they come, row by row.
        `float32`: as it is.
      scope: regular expression found in the name that `lean_graph` gives an operation.
    """

    operations: tuple[str, ...]
    arithmetic: Arithmetic
    scope: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Recipe:
    """One way to compute and store an exported model.

    Args:
      description: one line for a list of recipes.
      runtime: the LiteRT / TensorFlow Lite runtime that runs its files whatever the model; a file
        states its own, which may be older. Older ones refuse it: op versions are stamped right.
      max_drop: points of a task's metric (0 to 100) that a file may lose against the Keras model.
      rewrites: names of functions of `rewrites`, in the order in which they are applied.
      optimizations: names of `tf.lite.Optimize` given to the converter.
      float16_weights: whether the converter stores weights in half precision.
      rules: for ai-edge-quantizer, after the converter; where there are none it is not used.
      calibrated: whether it needs texts of the task to learn ranges of activations from.
      needs_gate: whether a file is offered only where an evaluation shows what it lost.
    """

    description: str
    runtime: str
    max_drop: float
    rewrites: tuple[str, ...]
    optimizations: tuple[str, ...] = ()
    float16_weights: bool = False
    rules: tuple[Rule, ...] = ()
    calibrated: bool = False
    needs_gate: bool = False

    def with_rules(self, rules: Iterable[HeadRule], name: str) -> "Recipe":
        """Return the recipe with the rules that a kind of model adds for its head.

        Args:
          rules: of the kind.
          name: of this recipe; rules of others are left out.
        """
        added = tuple(Rule(rule.operations, rule.arithmetic, rule.scope)
                      for rule in rules if rule.recipe == name)
        return dataclasses.replace(self, rules=self.rules + added)


# fold_and_equalize first: it takes the ranges of the model as it came.
_EXACT = ("fold_and_equalize", "fold_query_scale", "mask_for_half_precision",
          "cut_to_first_position")
_LAYOUT = ("RESHAPE", "TRANSPOSE", "SPLIT", "CONCATENATION", "PAD", "STRIDED_SLICE")

RECIPES = {
    "float32": Recipe(
        description="the Keras model's own numbers",
        runtime="2.9.0",  # GELU; models without it run from 2.3 on
        max_drop=0.0,
        rewrites=(*_EXACT, "merge_projections")),
    "float16": Recipe(
        description="weights in half precision, half the size; computes in float32",
        runtime="2.20.0",  # rows of half precision looked up
        max_drop=0.1,
        rewrites=(*_EXACT, "merge_projections"),
        optimizations=("DEFAULT",), float16_weights=True),
    "dynamic_int8": Recipe(
        description="int8 weights, one scale a column; activations quantized as they come, row by "
                    "row; attention, norms and sums in float32",
        runtime="2.17.0",  # FULLY_CONNECTED version 12, per-channel weights
        max_drop=0.5,
        rewrites=(*_EXACT, "merge_projections"),
        optimizations=("DEFAULT",)),
    "int8": Recipe(
        description="dense layers and residual sums in int8 by calibrated ranges; attention in "
                    "float32",
        runtime="2.17.0",  # the masked-LM output; other tasks' files run from 2.9 on
        max_drop=1.0,
        rewrites=_EXACT,
        calibrated=True,
        rules=(
            Rule(("FULLY_CONNECTED", "ADD", "MUL", "GATHER", *_LAYOUT), "static_int8"),
            # Sums of tables, and the mask: few, and of ranges that would cost all the others.
            Rule(("ADD", "MUL"), "float32", "embedding"),
            Rule(("*",), "float32", "attention_mask"),
            Rule(("ADD", "MUL"), "float32", "layer_norm"),
            Rule(("*",), "float32", "head"))),
    "full_int8": Recipe(
        description="every operation that an NPU takes in int8, by calibrated ranges",
        runtime="2.9.0",
        max_drop=1.0,
        rewrites=(*_EXACT, "mask_within_logits"),
        calibrated=True,
        rules=(
            Rule(("*",), "static_int8"),
            # Int8 leaves 0 of a small divisor.
            Rule(("*",), "float32", "head/length"))),
    "int4": Recipe(
        description="int4 weights inside the blocks and else int8; computes as dynamic_int8",
        runtime="2.20.0",  # LiteRT 1.4.0, the oldest seen to run it
        max_drop=1.0,
        rewrites=(*_EXACT, "merge_projections"),
        needs_gate=True,
        rules=(
            # One scale a row: LiteRT's kernels are right with and without XNNPACK. Of blocks of
            # 32, as ai-edge-quantizer has them too, those without are wrong.
            Rule(("FULLY_CONNECTED",), "dynamic_int4"),
            Rule(("FULLY_CONNECTED",), "dynamic_int8", "embedding"),
            Rule(("FULLY_CONNECTED",), "dynamic_int8", "head"),
            Rule(("GATHER",), "static_int8"))),
}


def get(name: str) -> Recipe:
    """The recipe of this name; InputError names the near ones where there is none."""
    if name not in RECIPES:
        near = difflib.get_close_matches(name, RECIPES, n=3, cutoff=0.4) or RECIPES
        raise InputError(f"unknown recipe {name!r}; did you mean {', '.join(near)}?")
    return RECIPES[name]
