"""A teacher's outputs by Prism and by a Dask cluster, with workers in processes of their own.

The files have the bytes of one process. A worker that is killed leaves only whole files.
"""

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.task import teacher_cache
from mobilebert_tf.training.task.fingerprint import fingerprint
from mobilebert_tf.training.task.teacher_cache import TeacherCache
from mobilebert_tf.training.task.teacher_job import TeacherJob

from ...beam_engines import Killer, files_of
from .conftest import LENGTH

pytestmark = pytest.mark.slow

ROWS = 320


class Cache:
    """The cache of a teacher of a tiny task, in as many directories as wanted."""

    def __init__(self, rows, teacher, facts):
        self._rows, self._teacher, self._facts = rows, teacher, facts

    def fill(self, directory, flags=None, on_progress=lambda *_: None):
        """Fill it in this process, or as a job with Beam's `flags`."""
        options = {} if flags is None else {
            "write": TeacherJob(**self._facts, workers=1, beam_flags=flags).write}
        TeacherCache(directory, self._teacher, self._rows, LENGTH, 0, [1]).filled(
            on_progress, **options)


@pytest.fixture(scope="module")
def cache(make_task, make_rows, make_model, save_model, tmp_path_factory):
    place = tmp_path_factory.mktemp("taught")
    task = make_task("classification", place, ROWS)
    teacher = make_model(task, 1)
    return Cache(make_rows(task, place), teacher, {
        "teacher": save_model(place / "teacher", teacher, task), "task": task, "pooler": None,
        "precision": "float32", "weights": fingerprint(teacher), "length": LENGTH, "pad_id": 0,
        "blocks": (1,)})


@pytest.fixture(autouse=True)
def forty_files(monkeypatch):
    monkeypatch.setattr(teacher_cache, "_SHARD_ROWS", 8)


def test_outputs_are_those_of_one_process(engine, cache, tmp_path):
    cache.fill(tmp_path / "engine", engine.flags)
    cache.fill(tmp_path / "one")
    assert len(list((tmp_path / "engine").glob("outputs-*"))) == 40
    assert files_of(tmp_path / "engine") == files_of(tmp_path / "one")


def test_outputs_whose_worker_is_killed(engine, cache, tmp_path):
    killer = Killer(engine)
    if not engine.survives:
        with pytest.raises(InputError, match="ended on PrismRunner.*SDK worker disconnected"):
            cache.fill(tmp_path / "engine", engine.flags, killer)
        assert 0 < len(list((tmp_path / "engine").glob("outputs-*"))) < 40
    cache.fill(tmp_path / "engine", engine.flags, killer)
    cache.fill(tmp_path / "one")
    assert killer.killed_at is not None
    assert files_of(tmp_path / "engine") == files_of(tmp_path / "one")
