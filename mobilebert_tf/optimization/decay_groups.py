"""Weight decay: kernels and tables have it; biases and the parameters of norms do not."""

import re
from collections.abc import Iterable

import tensorflow as tf

# Patterns for the last part of a name. Both groups are spelled out, so that a new kind of variable
# raises an error instead of being put into the wrong group.
_DECAYED = re.compile(r"(\w+_)?kernel|\w+_table")
_NOT_DECAYED = re.compile(r"(\w+_)?bias|gamma|beta")


def decay_groups(variables: Iterable[tf.Variable]) -> tuple[list[tf.Variable], list[tf.Variable]]:
    """Return (variables with decay, variables without), each variable in exactly one group.

    Source: google-research/bert optimization.py, which leaves out names with "LayerNorm",
    "layer_norm" or "bias".

    Raises:
      ValueError: for a variable of an unknown kind, and for one that is given twice, since an
        optimizer would update it twice.
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
