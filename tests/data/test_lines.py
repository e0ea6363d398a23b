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
