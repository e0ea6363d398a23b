"""Kinds: what a model is for. One file per kind holds everything that differs between them.

The kinds are the classes derived from `Kind` in the modules of this package; `register` adds one
from elsewhere. Nothing else in the project lists them.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Sequence
from typing import Any

from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.kind import Kind

_builtin_kinds: dict[str, type[Kind]] = {}
_registered: dict[str, type[Kind]] = {}


def register(kind: type[Kind]) -> type[Kind]:
    """Add a kind, or replace the one of its name; usable as a class decorator.

    A registered kind is asked before the built-in ones whether a model is one of its own.
    """
    _builtin()
    _registered.pop(kind.name, None)
    _registered[kind.name] = kind
    return kind


def names() -> tuple[str, ...]:
    """The names of all kinds, sorted."""
    return tuple(sorted(_builtin() | _registered))


def get(name: str) -> type[Kind]:
    """Return the kind of this name.

    Raises:
      InputError: for an unknown name.
    """
    found = _builtin() | _registered
    if name not in found:
        raise InputError(f"unknown kind {name!r}; known are {', '.join(names())}")
    return found[name]


def of(model, labels: tuple[str, ...] | None = None, settings=None) -> Kind:
    """Return the kind of a Keras model.

    Args:
      model: one of the project's models.
      labels, settings: of the returned kind; see `Kind`.
    Raises:
      InputError: for a model of no kind.
    """
    for kind in (*reversed(_registered.values()), *_builtin().values()):
        if kind.matches(model):
            return kind(labels=labels, settings=settings)
    raise InputError(f"a {type(model).__name__} is no model of this project: no kind builds such a "
                     f"model; known are {', '.join(names())}")


def described(name: str, labels: Sequence[str] | None, settings: Any, source: str) -> Kind:
    """Return the kind that a model's description in a JSON file names.

    Args:
      name, labels, settings: as the file has them.
      source: the name of the file, for messages.
    Raises:
      InputError: for an unknown kind, and settings that it does not have or that are out of range.
    """
    try:
        kind = get(name)
    except InputError as error:
        raise InputError(f"{source}: {error}") from error
    return kind(labels=labels and tuple(labels), settings=kind.read_settings(settings, source))


def _builtin() -> dict[str, type[Kind]]:
    if not _builtin_kinds:
        found = {}
        for module in pkgutil.iter_modules(__path__):
            members = vars(importlib.import_module(f"{__name__}.{module.name}"))
            found |= {member.name: member for member in members.values()
                      if inspect.isclass(member) and issubclass(member, Kind)
                      and "name" in vars(member)}
        # At once: a part of the kinds, after an import that failed, would look like all of them.
        _builtin_kinds.update(found)
    return _builtin_kinds
