"""The recipes by name."""

import difflib

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.recipes.bert_pkd import BERT_PKD, BERT_PKD_LAST
from mobilebert_tf.training.recipes.distilbert import DISTILBERT, DISTILBERT_D
from mobilebert_tf.training.recipes.minilm import MINILM, MINILMV2
from mobilebert_tf.training.recipes.mobilebert import (
    MOBILEBERT,
    MOBILEBERT_AUXILIARY,
    MOBILEBERT_JOINT,
)
from mobilebert_tf.training.recipes.pd import PD
from mobilebert_tf.training.recipes.recipe import DistillationRecipe
from mobilebert_tf.training.recipes.tinybert import TINYBERT

RECIPES = {
    "mobilebert": MOBILEBERT, "mobilebert_joint": MOBILEBERT_JOINT,
    "mobilebert_auxiliary": MOBILEBERT_AUXILIARY, "distilbert": DISTILBERT,
    "distilbert_d": DISTILBERT_D, "tinybert": TINYBERT, "bert_pkd": BERT_PKD,
    "bert_pkd_last": BERT_PKD_LAST, "pd": PD, "minilm": MINILM, "minilmv2": MINILMV2,
}


def get(name: str) -> DistillationRecipe:
    """Return the recipe of this name.

    Raises:
      InputError: for an unknown name, with the names that are near.
    """
    if name not in RECIPES:
        near = difflib.get_close_matches(name, RECIPES, n=3, cutoff=0.5) or RECIPES
        raise InputError(f"unknown recipe {name!r}; did you mean {', '.join(near)}?")
    return RECIPES[name]


def names_for(source: str) -> list[str]:
    """Return the names of the recipes that read a source: corpus or task."""
    return [name for name, recipe in RECIPES.items() if recipe.templates_for(source)]
