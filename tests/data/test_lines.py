import gzip
import tracemalloc

import pytest

from mobilebert_tf.data import lines
from mobilebert_tf.errors import InputError


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "some.txt"
        path.write_bytes(content)
        return list(lines.read(path))

    return read


def test_lines_end_at_line_feeds_only_and_a_byte_order_mark_is_no_text(read):
    content = "\ufeffa\r\n\n\u2028b\x0cc\ufeff\n".encode()
    assert read(content) == [(1, "a\r\n"), (2, "\n"), (3, "\u2028b\x0cc\ufeff\n")]


def test_empty_lines_at_the_end_are_left_out(read):
    assert read(b"a\n \n\r\n\n") == [(1, "a\n"), (2, " \n")]
    assert read(b"\n\n") == read(b"") == []
    assert read(b"a\n\nb") == [(1, "a\n"), (2, "\n"), (3, "b")]


def test_what_is_no_text_is_named_by_line(read, tmp_path):
    with pytest.raises(InputError, match=r"some.txt, line 3 is not UTF-8: there is a byte 0xE9;"):
        read("\ufeffa\n\ncaf\u00e9\n".encode().replace(b"\xc3\xa9", b"\xe9"))
    with pytest.raises(InputError, match=r"some.txt, line 2 holds a NUL byte"):
        read(b"a\nb\0\n")
    with pytest.raises(InputError, match=r"cannot read .*none.txt: No such file"):
        list(lines.read(tmp_path / "none.txt"))


def test_a_gzip_file_is_read_as_the_file_in_it(tmp_path):
    content = "\ufeffa\r\n\nü".encode()
    for name in ("a.txt.gz", "a.TXT.GZ"):
        (tmp_path / name).write_bytes(gzip.compress(content))
        assert list(lines.read(tmp_path / name)) == [(1, "a\r\n"), (2, "\n"), (3, "ü")]


def test_a_damaged_gzip_file_is_named(tmp_path):
    path = tmp_path / "a.tsv.gz"
    whole = gzip.compress(b"some text\n" * 10_000)
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 0xFF
    wrong_sum = whole[:-8] + b"\0\0\0\0" + whole[-4:]
    for content in (b"some text\n", whole[:-4], whole[: len(whole) // 2], bytes(changed), wrong_sum,
                    whole + b"more"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"cannot unpack .*a.tsv.gz: it is not a whole gzip"):
            list(lines.read(path))
    path.write_bytes(gzip.compress(b"a\ncaf\xe9\n"))
    with pytest.raises(InputError, match=r"a.tsv.gz, line 2 is not UTF-8"):
        list(lines.read(path))
    with pytest.raises(InputError, match=r"cannot read .*none.gz: No such file"):
        list(lines.read(tmp_path / "none.gz"))


def test_a_gzip_file_is_never_unpacked_as_a_whole(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress((b"0123456789" * 10_000 + b"\n") * 300))
    tracemalloc.start()
    try:
        assert sum(1 for _ in lines.read(tmp_path / "a.gz")) == 300
        assert tracemalloc.get_traced_memory()[1] < 2e6
    finally:
        tracemalloc.stop()


def test_empty_lines_are_counted_and_not_kept(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"\r\n" * 200_000))
    tracemalloc.start()
    try:
        assert list(lines.read(tmp_path / "a.gz")) == []
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()


def test_a_line_has_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"b" * ((1 << 20) - 1) + b"\nc"))
    assert [len(line) for _, line in lines.read(path)] == [2, 1 << 20, 1]
    path.write_bytes(gzip.compress(b"a\n" + b"b" * (50 << 20)))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"a\.tsv\.gz, line 2 is longer than 1 MB; break it"):
            list(lines.read(path))
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def test_a_whole_text_has_lines_of_any_length_and_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 3)
    monkeypatch.setattr(lines, "_MOST_BYTES", 1 << 20)
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress("\ufeff[\r\n\nüüüü]\n".encode()))
    assert lines.whole(path) == "[\r\n\nüüüü]\n"
    for content, message in ((b" " * (50 << 20), "holds more than 1 MB"),
                             (b"[\n\n\xe9", "line 3 is not UTF-8: there is a byte 0xE9"),
                             (b"[\n\0", "line 2 holds a NUL byte")):
        path.write_bytes(gzip.compress(content))
        with pytest.raises(InputError, match=rf"a\.json\.gz,? {message}"):
            lines.whole(path)


@pytest.mark.parametrize(("name", "suffix"), [
    ("a.tsv", ".tsv"), ("b/a.TSV.gz", ".tsv"), ("a.b.jsonl.GZ", ".jsonl"), ("a.gz", ""), ("a", "")])
def test_the_ending_of_a_name_is_that_of_the_file_in_it(name, suffix):
    assert lines.suffix(name) == suffix
