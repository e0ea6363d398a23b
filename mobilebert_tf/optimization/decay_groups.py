"""Which variables are decayed: kernels and tables; biases and the parameters of norms are not."""

import re
from collections.abc import Iterable

import tensorflow as tf

# By the last part of the name. Both groups are spelled out, so that a new kind of variable is a
# question and not silently in the wrong group.
_DECAYED = re.compile(r"(\w+_)?kernel|\w+_table")
_NOT_DECAYED = re.compile(r"(\w+_)?bias|gamma|beta")


def decay_groups(variables: Iterable[tf.Variable]) -> tuple[list[tf.Variable], list[tf.Variable]]:
    """The decayed variables and the others, each variable in exactly one group.

    Source: google-research/bert optimization.py, where what is not decayed is searched for by
    "LayerNorm", "layer_norm" and "bias".

    Raises:
      ValueError: for a variable of a kind that neither group knows, and for one given twice,
        which an optimizer would update twice.
    """
    decayed, others, seen = [], [], set()
    for variable in variables:
        if variable.ref() in seen:
            raise ValueError(f"a variable should be given once. Received twice: {variable.name}")
        seen.add(variable.ref())
        last = variable.name.rpartition("/")[2].partition(":")[0]
        groups = [group for pattern, group in ((_DECAYED, decayed), (_NOT_DECAYED, others))
                  if pattern.fullmatch(last)]
        if len(groups) != 1:
            raise ValueError(f"a variable should be of a kind that decay_groups.py names, once. "
                             f"Received: {variable.name}")
        groups[0].append(variable)
    return decayed, others
