"""every_character.json, which tokenizers in other languages are compared with, is of today."""

import importlib
import json
import unicodedata

import pytest


@pytest.fixture
def made(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository / "tests" / "golden" / "text"))
    return importlib.import_module("make_every_character")


@pytest.mark.slow
def test_the_file_is_what_the_program_writes(made):
    written = json.loads(made.PATH.read_text())
    if written["unicode"] != unicodedata.unidata_version:
        pytest.skip(f"the file is of Unicode {written['unicode']}")
    assert json.loads(json.dumps(made.content())) == written
