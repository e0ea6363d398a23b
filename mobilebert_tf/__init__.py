"""MobileBERT for TensorFlow and Keras: the model family, its training, and its way to the phone."""

import importlib

__version__ = "0.1.0"

# Resolved on first use: TensorFlow takes seconds to import and most commands start without it.
_MODULES = ("checkpoints", "counting", "export", "presets", "text")
_NAMES = {
    "Classifier": "models.classifier",
    "Encoder": "models.encoder",
    "EncoderConfig": "config",
    "InputError": "errors",
    "Pretrainer": "models.pretrainer",
    "QuestionAnswerer": "models.question_answerer",
    "TokenClassifier": "models.token_classifier",
    "Tokenizer": "text.tokenizer",
}

__all__ = ["__version__", *_MODULES, *_NAMES]


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _NAMES:
        return getattr(importlib.import_module(f"{__name__}.{_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
