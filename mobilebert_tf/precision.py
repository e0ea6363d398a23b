"""The precision that models compute in; weights are float32 in every one."""

import contextlib
from collections.abc import Iterator
from typing import Literal

Precision = Literal["float32", "mixed_bfloat16"]


@contextlib.contextmanager
def computing_in(precision: Precision) -> Iterator[None]:
    """Build models that compute in a precision, until the context ends."""
    import tf_keras as keras

    before = keras.mixed_precision.global_policy()
    keras.mixed_precision.set_global_policy(precision)
    try:
        yield
    finally:
        keras.mixed_precision.set_global_policy(before)
