"""make_cases.py writes JSON that other languages read, with and without SQuAD at hand."""

import importlib.util
import json
from pathlib import Path

import pytest

_SCRIPT = Path(__file__).parent / "golden" / "make_cases.py"


@pytest.fixture(scope="module")
def make_cases():
    spec = importlib.util.spec_from_file_location("make_cases", _SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_questions_are_written_as_strict_json(make_cases, tmp_path):
    make_cases.write_squad(tmp_path / "squad", 1, tmp_path / "no data")

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    written = json.loads((tmp_path / "squad" / "cases.json").read_text(), parse_constant=refuse)
    assert written["source"] == "tests/golden/squad"
    # One without a token, and without "no answer" among the spans.
    assert any(case["log_total"] is None and not case["windows"] for case in written["cases"])
    assert all(isinstance(case["log_total"], float) for case in written["cases"] if case["spans"])
