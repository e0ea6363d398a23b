"""The examples in docstrings are run as they stand."""

import doctest
import importlib
import pkgutil

import mobilebert_tf


def modules():
    for info in pkgutil.walk_packages(mobilebert_tf.__path__, "mobilebert_tf."):
        yield importlib.import_module(info.name)


def test_examples_run():
    attempted = {}
    for module in modules():
        result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
        assert result.failed == 0, module.__name__
        if result.attempted:
            attempted[module.__name__] = result.attempted
    # The examples are where they are looked for.
    assert {"mobilebert_tf.config", "mobilebert_tf.models.encoder",
            "mobilebert_tf.layers.no_norm", "mobilebert_tf.text.vocabulary"} <= set(attempted)
