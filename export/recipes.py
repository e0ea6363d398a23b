"""Recipes: how a model is computed and stored in a file, as data. No TensorFlow here."""

import dataclasses
import difflib
from collections.abc import Iterable

from mobilebert_tf.checks import check_text
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.rule import Rule
from mobilebert_tf.kinds.head_rule import HeadRule


@dataclasses.dataclass(frozen=True, kw_only=True)
class Recipe:
    """One way to compute and store an exported model.

    Args:
      description: one line for a list of recipes.
      runtime: the oldest TensorFlow Lite that runs every model's file of this recipe; see
        `ExportReport`. A single file states its own, which may be older. Older ones refuse the
        file.
      max_drop: points of the metric (0 to 100) that a file may lose against the Keras model.
      rewrites: names of functions of `lean.rewrites`, in the order in which they are applied.
      optimizations: names of `tf.lite.Optimize` given to the converter.
      float16_weights: whether the converter stores weights in half precision.
      rules: for ai-edge-quantizer, which runs after the converter if there are any.
      calibrated: whether it learns ranges of activations from texts of the task.
      in_float: whether activations stay floats, so that two processors differ only by the order of
        their sums.
      needs_gate: whether a file is written only after it was compared with the model.
    """

    description: str
    runtime: str
    max_drop: float
    rewrites: tuple[str, ...]
    optimizations: tuple[str, ...] = ()
    float16_weights: bool = False
    rules: tuple[Rule, ...] = ()
    calibrated: bool = False
    in_float: bool = False
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


# fold_and_equalize comes first: it uses the ranges of the model before any rewrite.
_EXACT = ("fold_and_equalize", "fold_query_scale", "mask_for_half_precision",
          "cut_to_first_position")
_LAYOUT = ("RESHAPE", "TRANSPOSE", "SPLIT", "CONCATENATION", "PAD", "STRIDED_SLICE")

RECIPES = {
    "float32": Recipe(
        description="the Keras model's own numbers",
        runtime="2.9.0",  # GELU; models without it run from 2.3 on
        max_drop=0.0,
        rewrites=(*_EXACT, "merge_projections"), in_float=True),
    "float16": Recipe(
        description="weights in half precision, half the size; computes in float32",
        runtime="2.20.0",  # rows of half precision looked up
        max_drop=0.1,
        rewrites=(*_EXACT, "merge_projections"),
        optimizations=("DEFAULT",), float16_weights=True, in_float=True),
    "dynamic_int8": Recipe(
        description="int8 weights, one scale a column; activations quantized at run time, row by "
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
            # Sums of embeddings and the mask are few, and their wide ranges would cost precision.
            Rule(("ADD", "MUL"), "float32", "embedding"),
            Rule(("*",), "float32", "attention_mask"),
            Rule(("ADD", "MUL"), "float32", "layer_norm"),
            Rule(("*",), "float32", "head"))),
    "full_int8": Recipe(
        description="every operation in int8 that an NPU runs, with calibrated ranges",
        runtime="2.9.0",
        max_drop=1.0,
        rewrites=(*_EXACT, "mask_within_logits"),
        calibrated=True,
        rules=(
            Rule(("*",), "static_int8"),
            # A small divisor would become 0 in int8.
            Rule(("*",), "float32", "head/length"))),
    "int4": Recipe(
        description="int4 weights inside the blocks and else int8; computes as dynamic_int8",
        runtime="2.20.0",  # LiteRT 1.4.0, the oldest seen to run it
        max_drop=1.0,
        rewrites=(*_EXACT, "merge_projections"),
        needs_gate=True,
        rules=(
            # One scale a row: LiteRT's kernels are right with and without XNNPACK. For blocks of
            # 32 values, which ai-edge-quantizer offers too, the kernels without XNNPACK are wrong.
            Rule(("FULLY_CONNECTED",), "dynamic_int4"),
            Rule(("FULLY_CONNECTED",), "dynamic_int8", "embedding"),
            Rule(("FULLY_CONNECTED",), "dynamic_int8", "head"),
            Rule(("GATHER",), "static_int8"))),
}


def get(name: str) -> Recipe:
    """Return the recipe of this name.

    Raises:
      InputError: for an unknown name, with the names that are near; and for what is no text.
    """
    check_text("recipe", name)
    if name not in RECIPES:
        near = difflib.get_close_matches(name, RECIPES, n=3, cutoff=0.4) or RECIPES
        raise InputError(f"unknown recipe {name!r}; did you mean {', '.join(near)}?")
    return RECIPES[name]
