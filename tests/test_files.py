"""Outputs are whole or absent."""

import concurrent.futures
import hashlib
import os
import pathlib
import signal
import stat
import subprocess
import sys

import pytest

from mobilebert_tf import files
from mobilebert_tf.errors import InputError

from .full_disk import fill_after


@pytest.fixture
def full_disk(monkeypatch):
    fill_after(0, monkeypatch)


def test_writes_the_bytes_and_makes_the_directory(tmp_path):
    path = tmp_path / "a" / "b" / "model.bin"
    files.write_atomically(path, b"\x00new")
    assert path.read_bytes() == b"\x00new"
    assert list(path.parent.iterdir()) == [path]
    files.write_atomically(str(path), b"newer")
    assert path.read_bytes() == b"newer"
    assert list(path.parent.iterdir()) == [path]


def test_what_a_link_leads_to_is_replaced_and_the_link_stays(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "real.txt").write_text("old")
    for name, target in (("link.txt", "disk/real.txt"), ("folder", "disk/web")):
        (tmp_path / name).symlink_to(target)
    files.write_atomically(tmp_path / "link.txt", b"new")
    with files.directory_written_atomically(tmp_path / "folder") as temporary:
        (temporary / "a.txt").write_text("a")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "disk" / "real.txt").read_text() == "new"
    assert (tmp_path / "folder").is_symlink()
    assert (tmp_path / "disk" / "web" / "a.txt").read_text() == "a"


def test_a_pipe_is_written_into_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with concurrent.futures.ThreadPoolExecutor() as others:
        read = others.submit(pipe.read_bytes)
        files.write_atomically(pipe, b"through it")
        assert read.result() == b"through it"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_device_stays_one(tmp_path):
    before = os.stat("/dev/null")
    files.write_atomically("/dev/null", b"nothing")
    assert os.path.samestat(before, os.stat("/dev/null"))


_PRINTER = """
from mobilebert_tf import files
print("before")
files.write_atomically({path!r}, b"written\\n")
print("after")
"""


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1"])
def test_a_redirected_output_keeps_what_was_printed_before_and_after(tmp_path, path):
    file = tmp_path / "out.txt"
    file.write_text("older\n")
    with open(file, "a") as stream:
        subprocess.run([sys.executable, "-c", _PRINTER.format(path=path)], stdout=stream,
                       check=True)
    assert file.read_text() == "older\nbefore\nwritten\nafter\n"


def test_files_of_several_directories_are_written_together(tmp_path):
    memory = pathlib.Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system")
    far = memory / f"{tmp_path.name}.{os.getpid()}"
    (tmp_path / "link").symlink_to(far)
    try:
        with files.written_atomically(tmp_path / "report", tmp_path / "link") as temporaries:
            for number, temporary in enumerate(temporaries):
                temporary.write_text(str(number))
        assert (far.read_text(), (tmp_path / "report").read_text()) == ("1", "0")
    finally:
        far.unlink(missing_ok=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "report"]


def test_the_file_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "report").mkdir()

    def write():
        with files.written_atomically(tmp_path / "report", tmp_path / "file") as temporaries:
            for temporary in temporaries:
                temporary.write_text("x")

    with pytest.raises(InputError, match="cannot write .*/report: "):
        write()
    assert not (tmp_path / "file").exists()


def test_a_link_with_the_name_of_a_workspace_is_not_followed(tmp_path):
    others = tmp_path / "others"
    others.mkdir()
    (others / "replaced").write_text("theirs")
    (tmp_path / ".out.0123456789abcdef.unfinished").symlink_to(others)
    files.write_atomically(tmp_path / "out", b"ours")
    files.remove_unfinished(tmp_path)
    assert [path.name for path in others.iterdir()] == ["replaced"]
    assert (tmp_path / "out").read_bytes() == b"ours"


def test_only_what_has_a_known_name_may_be_deleted(tmp_path):
    files.check_only(tmp_path / "absent", set(), "a page")
    (tmp_path / "index.html").write_text("")
    files.check_only(tmp_path, {"index.html", "assets"}, "a page")
    (tmp_path / ".git").mkdir()
    with pytest.raises(InputError, match=r"has \.git in it, which is not of a page"):
        files.check_only(tmp_path, {"index.html"}, "a page")


def test_what_cannot_be_replaced_is_refused(tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "mounted").symlink_to("/proc")
    monkeypatch.chdir(tmp_path / "below")
    for directory, message in ((tmp_path / "file", "there is a file of that name"),
                               (pathlib.Path(), "cannot be replaced as a whole"),
                               (tmp_path, "cannot be replaced as a whole"),
                               (pathlib.Path("/proc"), "cannot be replaced as a whole"),
                               (tmp_path / "mounted", "cannot be replaced as a whole")):
        with pytest.raises(InputError, match=message):
            files.check_replaceable(directory, {"below", "file"}, "a page")
    files.check_only(tmp_path, {"below", "file", "mounted"}, "a page")


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
        seen.append((pathlib.Path(source).read_bytes(), pathlib.Path(source).parent.parent,
                     path.exists()))
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
    with pytest.raises(InputError, match=r"cannot write \S*/file/model\.bin: \S*/file is no dir"):
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
        assert path.parent in temporary.parents  # one file system, so it can be renamed
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


@pytest.mark.parametrize(("error", "raised", "message"), [
    (RuntimeError("boom"), RuntimeError, "boom"), (KeyboardInterrupt(), KeyboardInterrupt, ""),
    (OSError(28, "No space left on device"), InputError, r"cannot write \S*model: No space left")])
def test_a_failing_block_leaves_the_old_directory(error, raised, message, tmp_path):
    path = tmp_path / "model"
    path.mkdir()
    (path / "old").write_text("0")

    def write_half():
        with files.directory_written_atomically(path) as temporary:
            (temporary / "new").write_text("half")
            raise error

    with pytest.raises(raised, match=message):
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


def test_several_files_are_all_written_or_none(tmp_path):
    paths = [tmp_path / name for name in ("report", "model")]
    with files.written_atomically(*paths) as temporaries:
        for path in temporaries:
            path.write_text("1")
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    with pytest.raises(InputError, match=r"cannot write \S*model: No such file"), \
            files.written_atomically(*paths) as (report, _):
        report.write_text("2")
    assert [path.read_text() for path in paths] == ["1", "1"]
    assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_an_error_inside_a_directory_names_the_place_that_a_person_knows(tmp_path):
    def write():
        with files.directory_written_atomically(tmp_path / "package") as temporary:
            (temporary / "model.bin").mkdir()
            files.write_atomically(temporary / "model.bin", b"")

    with pytest.raises(InputError) as caught:
        write()
    assert str(caught.value) == f"cannot write {tmp_path}/package/model.bin: Is a directory"


WRITERS = {
    "write_atomically": "files.os.replace = die; files.write_atomically(path, b'half')",
    "written_atomically": "with files.written_atomically(path + '.data', path): die()",
    "directory_written_atomically": "with files.directory_written_atomically(path): die()",
    "workspace": "with files.workspace(path): die()",
}


def killed_in(code, path):
    """Runs code in a process that ends as by `kill -9` where it calls `die`."""
    done = subprocess.run([sys.executable, "-c", "import os, sys\nfrom mobilebert_tf import files\n"
                           "die = lambda *_: os.kill(os.getpid(), 9)\npath = sys.argv[1]\n" + code,
                           str(path)], check=False)
    assert done.returncode == -signal.SIGKILL


def unfinished(directory):
    return sorted(path.name for path in directory.rglob("*.unfinished"))


@pytest.mark.parametrize("writer", WRITERS)
def test_what_a_killed_process_left_the_next_write_of_the_same_name_removes(writer, tmp_path):
    killed_in(WRITERS[writer], tmp_path / "model")
    left = unfinished(tmp_path)
    assert len(left) == 1
    files.write_atomically(tmp_path / "other", b"")
    assert unfinished(tmp_path) == left
    files.write_atomically(tmp_path / "model", b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "other"]
    assert (tmp_path / "model").read_bytes() == b"whole"


def test_what_killed_processes_left_anywhere_in_a_directory_is_removed_and_nothing_else(tmp_path):
    kept = [tmp_path / name for name in ("model", ".model", ".env.template", "notes.unfinished",
                                         ".file.unfinished")]
    for path in kept:
        path.touch()
    kept.append(tmp_path / ".film.unfinished")  # another program's
    (kept[-1] / "scenes").mkdir(parents=True)
    killed_in(WRITERS["write_atomically"], tmp_path / "model")
    killed_in(WRITERS["directory_written_atomically"], tmp_path / "deep" / "er" / "model")
    assert len(unfinished(tmp_path)) == 5  # a file and a directory of others among them
    files.remove_unfinished(tmp_path)
    assert sorted(path for path in tmp_path.iterdir() if path.name != "deep") == sorted(kept)
    assert not list((tmp_path / "deep" / "er").iterdir())


def test_processes_that_write_the_same_place_leave_each_other_alone(tmp_path):
    writer = subprocess.Popen(
        [sys.executable, "-c", "import sys\nfrom mobilebert_tf import files\n"
         "with files.directory_written_atomically(sys.argv[1]) as temporary:\n"
         "    print('begun', flush=True); sys.stdin.read()\n"
         "    (temporary / 'of').write_text('the other')\n", str(tmp_path / "model")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert writer.stdout.readline() == "begun\n"
    left = unfinished(tmp_path)
    assert len(left) == 1
    files.remove_unfinished(tmp_path)
    with files.directory_written_atomically(tmp_path / "model") as temporary:
        assert len(unfinished(tmp_path)) == 2
        (temporary / "of").write_text("this one")
    assert unfinished(tmp_path) == left
    assert (tmp_path / "model" / "of").read_text() == "this one"
    writer.communicate("")
    assert writer.returncode == 0
    assert (tmp_path / "model" / "of").read_text() == "the other"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_workspace_that_is_removed_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    right, rooms = files._open_lock, []

    def open_lock(room):
        descriptor = right(room)
        if not rooms:  # another process comes in between
            rooms.append(room)
            files.shutil.rmtree(room)
        return descriptor

    monkeypatch.setattr(files, "_open_lock", open_lock)
    files.write_atomically(tmp_path / "model", b"whole")
    assert rooms
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_directory_that_a_killed_process_had_set_aside_is_put_back(tmp_path):
    path = tmp_path / "model"
    path.mkdir()
    (path / "old").write_text("0")
    killed_in("""
right, done = os.replace, []
def replace(*arguments):
    if done: die()
    right(*arguments); done.append(1)
files.os.replace = replace
with files.directory_written_atomically(path): pass""", path)
    assert not path.exists()
    files.remove_unfinished(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["model"]
    assert [file.name for file in path.iterdir()] == ["old"]


def test_where_locks_do_not_work_writing_does_and_nothing_is_removed(tmp_path, monkeypatch):
    def flock(*_):
        raise OSError(95, "Operation not supported")

    killed_in(WRITERS["write_atomically"], tmp_path / "model")
    left = unfinished(tmp_path)
    monkeypatch.setattr(files.fcntl, "flock", flock)
    files.write_atomically(tmp_path / "model", b"whole")
    assert (tmp_path / "model").read_bytes() == b"whole"
    assert unfinished(tmp_path) == left


def test_a_checksum_is_of_the_whole_file_in_blocks(tmp_path):
    content = bytes(range(256)) * 10_000  # two blocks and a part
    (tmp_path / "a").write_bytes(content)
    assert files.sha256(tmp_path / "a") == hashlib.sha256(content).hexdigest()
