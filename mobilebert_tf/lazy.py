"""Public names that are imported on first use, because importing TensorFlow takes seconds."""

import importlib
from collections.abc import Callable, Mapping


def attributes(package: str, locations: Mapping[str, str]) -> Callable[[str], object]:
    """Return a module-level `__getattr__` (PEP 562) for a package.

    Args:
      package: the package's `__name__`.
      locations: public name -> module below the package that defines it; `module:name` where it
        has another name there; "" for a name that is itself a module below the package.
    """
    def resolve(name):
        if name not in locations:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if not locations[name]:
            return importlib.import_module(f"{package}.{name}")
        module, _, attribute = locations[name].partition(":")
        return getattr(importlib.import_module(f"{package}.{module}"), attribute or name)

    return resolve
