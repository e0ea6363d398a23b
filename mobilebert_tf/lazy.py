"""Public names resolved on first use: TensorFlow takes seconds to import, most of us need less."""

import importlib
from collections.abc import Callable, Mapping


def attributes(package: str, locations: Mapping[str, str]) -> Callable[[str], object]:
    """A module-level `__getattr__` (PEP 562) for a package.

    Args:
      package: the package's `__name__`.
      locations: public name -> module below the package that defines it; "" for a name that is
        itself a module below the package.
    """
    def resolve(name):
        if name not in locations:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if not locations[name]:
            return importlib.import_module(f"{package}.{name}")
        return getattr(importlib.import_module(f"{package}.{locations[name]}"), name)

    return resolve
