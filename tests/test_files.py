"""Outputs are whole or absent."""

import os
import pathlib
import stat

import pytest

from mobilebert_tf import files
from mobilebert_tf.errors import InputError


@pytest.fixture
def full_disk(monkeypatch):
    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)


def test_writes_the_bytes_and_makes_the_directory(tmp_path):
    path = tmp_path / "a" / "b" / "model.bin"
    files.write_atomically(path, b"\x00new")
    assert path.read_bytes() == b"\x00new"
    assert list(path.parent.iterdir()) == [path]
    files.write_atomically(str(path), b"newer")
    assert path.read_bytes() == b"newer"
    assert list(path.parent.iterdir()) == [path]


def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(tmp_path, full_disk):
    path = tmp_path / "model.bin"
    path.write_bytes(b"old")
    with pytest.raises(InputError, match=r"cannot write .*model\.bin: No space left"):
        files.write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_is_complete_when_its_name_appears(tmp_path, monkeypatch):
    path = tmp_path / "model.bin"
    seen = []
    right = os.replace

    def replace(source, target):
        seen.append((pathlib.Path(source).read_bytes(), pathlib.Path(source).parent, path.exists()))
        right(source, target)

    monkeypatch.setattr(os, "replace", replace)
    files.write_atomically(path, b"all of it")
    assert seen == [(b"all of it", tmp_path, False)]


def test_permissions_follow_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        files.write_atomically(tmp_path / "file", b"")
        with files.directory_written_atomically(tmp_path / "directory"):
            pass
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "directory").stat().st_mode) == 0o750


def test_a_directory_in_the_way_is_an_error(tmp_path):
    path = tmp_path / "model.bin"
    path.mkdir()
    with pytest.raises(InputError, match=r"cannot write .*model\.bin"):
        files.write_atomically(path, b"new")
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_where_a_directory_should_be_is_an_error(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(InputError, match="cannot write"):
        files.write_atomically(tmp_path / "file" / "model.bin", b"new")
    with pytest.raises(InputError, match="there is a file of that name"), \
            files.directory_written_atomically(tmp_path / "file"):
        raise AssertionError("should not get here")
    with pytest.raises(InputError, match="cannot write"), \
            files.directory_written_atomically(tmp_path / "file" / "below"):
        raise AssertionError("should not get here")
    assert (tmp_path / "file").read_bytes() == b"old"


def test_a_directory_appears_when_the_block_succeeds(tmp_path):
    path = tmp_path / "deep" / "model"
    with files.directory_written_atomically(path) as temporary:
        (temporary / "one").write_text("1")
        assert not path.exists()
        assert temporary.parent == path.parent
    assert {file.name for file in path.iterdir()} == {"one"}
    assert list(path.parent.iterdir()) == [path]


def test_a_directory_replaces_the_old_one_whole(tmp_path):
    path = tmp_path / "model"
    path.mkdir()
    (path / "old").write_text("0")
    with files.directory_written_atomically(path) as temporary:
        (temporary / "new").write_text("1")
    assert {file.name for file in path.iterdir()} == {"new"}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [RuntimeError("boom"), KeyboardInterrupt()])
def test_a_failing_block_leaves_the_old_directory(error, tmp_path):
    path = tmp_path / "model"
    path.mkdir()
    (path / "old").write_text("0")

    def write_half():
        with files.directory_written_atomically(path) as temporary:
            (temporary / "new").write_text("half")
            raise error

    with pytest.raises(type(error)):
        write_half()
    assert {file.name for file in path.iterdir()} == {"old"}
    assert list(tmp_path.iterdir()) == [path]


def test_a_failing_rename_leaves_the_old_directory(tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.mkdir()
    (path / "old").write_text("0")
    right = os.replace

    def replace(source, target):
        if pathlib.Path(target) == path and (pathlib.Path(source) / "new").exists():
            raise OSError(5, "Input/output error")
        right(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(InputError, match="model: Input/output"), \
            files.directory_written_atomically(path) as temporary:
        (temporary / "new").write_text("1")
    assert {file.name for file in path.iterdir()} == {"old"}
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_process_had_begun_to_write_is_removed_and_nothing_else(tmp_path):
    kept = [tmp_path / name for name in (
        "model.bin", ".model.bin", ".env.template", ".model.bin.a1b2c3d_", "notes.unfinished")]
    for path in kept:
        path.touch()
    (tmp_path / ".directory.unfinished").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", None)  # as if it ended there
        patch.setattr(pathlib.Path, "unlink", None)
        with pytest.raises(TypeError):
            files.write_atomically(tmp_path / "model.bin", b"new")
    assert len(list(tmp_path.iterdir())) == 7
    files.remove_unfinished(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([*kept, tmp_path / ".directory.unfinished"])
