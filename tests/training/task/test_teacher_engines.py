"""A teacher's outputs by Prism and by a Dask cluster, with workers in processes of their own.

The files have the bytes of one process. A worker that is killed leaves only whole files.
"""

import dataclasses

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.task import teacher_cache
from mobilebert_tf.training.task.teacher_cache import TeacherCache

from ...beam_engines import Killer, files_of
from .conftest import LENGTH

pytestmark = pytest.mark.slow

ROWS = 320


@pytest.fixture(scope="module")
def fill(make_taught, tmp_path_factory):
    """directory, Beam's flags -> None; without flags, one process fills the cache."""
    rows, teacher, job = make_taught(tmp_path_factory.mktemp("taught"), ROWS)

    def filled(directory, flags=None, on_progress=lambda *_: None):
        write = {} if flags is None else {"write": dataclasses.replace(job, beam_flags=flags).write}
        TeacherCache(directory, teacher, rows, LENGTH, 0, [1]).filled(on_progress, **write)

    return filled


@pytest.fixture(autouse=True)
def forty_files(monkeypatch):
    monkeypatch.setattr(teacher_cache, "_SHARD_ROWS", 8)


def test_outputs_are_those_of_one_process(engine, fill, tmp_path):
    fill(tmp_path / "engine", engine.flags)
    fill(tmp_path / "one")
    assert len(list((tmp_path / "engine").glob("outputs-*"))) == 40
    assert files_of(tmp_path / "engine") == files_of(tmp_path / "one")


def test_outputs_whose_worker_is_killed(engine, fill, tmp_path):
    killer = Killer(engine)
    if not engine.survives:
        with pytest.raises(InputError, match="ended on PrismRunner.*SDK worker disconnected"):
            fill(tmp_path / "engine", engine.flags, killer)
        assert 0 < len(list((tmp_path / "engine").glob("outputs-*"))) < 40
    fill(tmp_path / "engine", engine.flags, killer)
    fill(tmp_path / "one")
    assert killer.killed_at is not None
    assert files_of(tmp_path / "engine") == files_of(tmp_path / "one")
