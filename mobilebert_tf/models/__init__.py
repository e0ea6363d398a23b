"""The encoder and the models on top of it."""

import importlib

_MODULES = ("encoder", "pretrainer", "classifier", "token_classifier", "question_answerer",
            "sentence_encoder")


def register() -> None:
    """Makes every model known to `keras.models.load_model`."""
    for module in _MODULES:
        importlib.import_module(f"{__name__}.{module}")
