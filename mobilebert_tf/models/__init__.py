"""The encoder and the models on top of it."""

import importlib
import pkgutil


def register() -> None:
    """Make every model known to `keras.models.load_model`."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
