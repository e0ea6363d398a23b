"""Packages that some tests need and the extra `test` brings."""

import os
from types import ModuleType

import pytest


def needed(name: str, minversion: str | None = None) -> ModuleType:
    """Import a package; skip the test without it, or fail it where CI=true."""
    try:
        return pytest.importorskip(name, minversion=minversion)
    except pytest.skip.Exception as missing:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{missing} (CI=true wants every package of the extra `test`)",
                        pytrace=False)
        raise
