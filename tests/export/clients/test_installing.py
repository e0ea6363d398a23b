"""What happens where a client cannot be had."""

import pytest

from .conftest import installed
from .installing import Missing, installed_once, run


def test_a_missing_client_is_a_skip_and_in_ci_a_failure(monkeypatch):
    def cannot():
        raise Missing("no wheel")

    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="A client: no wheel"):
        installed("A client", cannot)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="A client: no wheel"):
        installed("A client", cannot)
    assert installed("A client", lambda: 1) == 1


def fail_half_way(place):
    with installed_once(place, ["a==1"]):
        (place / "half").touch()
        run("sh", "-c", "echo the last word >&2; exit 1")


def test_a_failed_installation_is_done_again(tmp_path):
    place = tmp_path / "client"
    with pytest.raises(Missing, match="the last word"):
        fail_half_way(place)
    for requirements, expected in ((["a==1"], True), (["a==1"], False), (["a==2"], True)):
        with installed_once(place, requirements) as is_new:
            assert is_new is expected
            assert not (place / "half").exists()
