import pytest

from mobilebert_tf.data.corpus.text_files import find_files
from mobilebert_tf.errors import InputError


def test_files_are_found(tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for name in ("b.txt", "deep/er/a.txt", "deep/notes.md", "deep/odd[1].txt"):
        (tmp_path / name).write_text(name)

    def names(*patterns):
        return [file.path.removeprefix(f"{tmp_path}/")
                for file in find_files([tmp_path / pattern for pattern in patterns])]

    assert names("") == ["b.txt", "deep/er/a.txt", "deep/odd[1].txt"]
    assert names("deep/notes.md", "deep/odd[1].txt") == ["deep/notes.md", "deep/odd[1].txt"]
    assert names("*.txt", "b.txt") == ["b.txt"]
    with pytest.raises(InputError, match="no text at .*none"):
        names("none")
    (tmp_path / "c.txt.gz").write_bytes(b"\x1f\x8b")
    with pytest.raises(InputError, match="compressed; unpack"):
        names("c.txt.gz")


@pytest.mark.parametrize(("patterns", "message"), [
    ("/etc/hostname", "texts is one text; give a list"), ([""], "an empty path was given")])
def test_what_names_no_files_is_refused(patterns, message):
    with pytest.raises(InputError, match=message):
        find_files(patterns)
