"""A vocabulary is loaded as it is or refused with the piece and the line."""

import pickle
import re
import subprocess
import sys

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.text.vocabulary import Vocabulary

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def written(directory, content):
    path = directory / "vocab.txt"
    path.write_bytes(content)
    return path


def test_ids_are_line_numbers_from_zero(tmp_path):
    content = "b\n[MASK]\n[SEP]\n##é\n[CLS]\n[UNK]\n[PAD]\n".encode()
    vocabulary = Vocabulary.load(written(tmp_path, content))
    assert vocabulary.pieces == ("b", "[MASK]", "[SEP]", "##é", "[CLS]", "[UNK]", "[PAD]")
    assert vocabulary.ids["##é"] == 3
    assert len(vocabulary) == 7
    assert (vocabulary.pad_id, vocabulary.unk_id, vocabulary.cls_id, vocabulary.sep_id,
            vocabulary.mask_id) == (6, 5, 4, 2, 1)


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_line_ends(tmp_path, end):
    separator = end or b"\n"
    content = separator.join(piece.encode() for piece in [*SPECIAL, "a"]) + end
    assert Vocabulary.load(written(tmp_path, content)).pieces == (*SPECIAL, "a")


def test_a_unicode_line_separator_is_a_piece_and_not_a_line_end(tmp_path):
    content = "\n".join([*SPECIAL, "\u2028", "\u0085", "a"]).encode()
    assert Vocabulary.load(written(tmp_path, content)).ids["a"] == 7


special = "\n".join(SPECIAL).encode()


@pytest.mark.parametrize(("content", "message"), [
    (b"", "vocab.txt is empty"),
    (special + b"\na\n\nb\n", "vocab.txt, line 7 is empty"),
    (special + b"\na\n\n", "vocab.txt, line 7 is empty"),
    (special + b"\nthe\nof\nthe\n", "vocab.txt: the piece 'the' is on line 6 and again on line 8"),
    (special + b"\na\n\xff\xfeb\n", "vocab.txt, line 7 is not UTF-8: byte 0xFF"),
    (b"[PAD]\n[UNK]\n[SEP]\na\n", "lacks the special pieces [CLS], [MASK]"),
    (b"\xef\xbb\xbf" + special, "starts with a byte order mark"),
    (special + b"\nthe \n", "vocab.txt, line 6: the piece 'the ' contains white space"),
    (special + b"\na\rb\n", "vocab.txt, line 6: the piece 'a\\rb' contains white space"),
])
def test_refuses(tmp_path, content, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Vocabulary.load(written(tmp_path, content))


def test_refuses_a_missing_file_and_a_directory(tmp_path):
    with pytest.raises(InputError, match=r"absent\.txt: No such file"):
        Vocabulary.load(tmp_path / "absent.txt")
    with pytest.raises(InputError, match="Is a directory"):
        Vocabulary.load(tmp_path)


def test_a_vocabulary_has_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr("mobilebert_tf.text.vocabulary._MOST_BYTES", 1 << 20)
    path = written(tmp_path, special + b"\n" + b"a" * (1 << 20))
    with pytest.raises(InputError, match=r"vocab\.txt is larger than 1 MB"):
        Vocabulary.load(path)


def test_saves_what_it_loaded_and_replaces_what_was_there(tmp_path):
    content = special + "\nß\n##ﬁ\n\u2028\n".encode()
    vocabulary = Vocabulary.load(written(tmp_path, content))
    target = tmp_path / "copy.txt"
    target.write_text("old")
    vocabulary.save(target)
    assert target.read_bytes() == content
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.txt", "vocab.txt"]


def test_survives_pickling():
    vocabulary = pickle.loads(pickle.dumps(Vocabulary([*SPECIAL, "a"])))
    assert vocabulary.pieces[5] == "a"
    assert vocabulary.ids["a"] == 5


def test_text_modules_import_neither_tensorflow_nor_tokenizers():
    modules = ", ".join(f"mobilebert_tf.text.{name}"
                        for name in ("vocabulary", "tokenizer", "learning", "packing"))
    code = f"import sys, {modules}; print(*{{'tensorflow', 'tokenizers'}} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == ""


@pytest.mark.parametrize("path", [0, None, ["vocab.txt"]])
def test_what_is_no_path_is_not_opened(path):
    with pytest.raises(InputError, match="path should be a path. Received: "):
        Vocabulary.load(path)


def test_half_a_surrogate_pair_is_no_piece():
    with pytest.raises(InputError, match=r"line 6: '\\ud83d' holds half a surrogate pair"):
        Vocabulary([*SPECIAL, "\ud83d"])
