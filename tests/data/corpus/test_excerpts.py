import random
from collections import Counter
from pathlib import Path

import pytest

from mobilebert_tf.data.corpus import excerpt as one_excerpt
from mobilebert_tf.data.corpus import excerpts
from mobilebert_tf.data.corpus.excerpts import sample, shuffled_excerpts
from mobilebert_tf.data.corpus.text_files import find_files


def random_text(seed):
    """Lines of all kinds, blank ones among them, each with its number."""
    rng = random.Random(seed)
    lines = []
    for number in range(300):
        kind = rng.random()
        line = b"line %d " % number
        if kind < 0.3:
            line = rng.choice([b"", b"  ", b"\r"])
        elif kind < 0.35:
            line += b"\xff\xfe"
        elif kind < 0.40:
            line += b"x" * rng.choice([30, 200])
        lines.append(line + b"\n")
    return b"".join(lines) if rng.random() < 0.5 else b"".join(lines).rstrip(b"\n")


def read_all(path, document):
    counters, texts = Counter(), []
    for excerpt in shuffled_excerpts(find_files([path]), document, 1):
        texts += [(excerpt.start, text) for text in excerpt.read(counters)]
    return [text for _, text in sorted(texts, key=lambda entry: entry[0])], counters


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("document", ["block", "file"])
def test_excerpts_have_every_line_once_whatever_their_size(seed, document, tmp_path, monkeypatch):
    monkeypatch.setattr(one_excerpt, "MAX_LINE", 100)
    path = tmp_path / "text.txt"
    path.write_bytes(random_text(seed))
    whole, whole_counters = read_all(path, document)
    assert whole_counters["skipped_lines_not_utf8"] > 0
    assert whole_counters["skipped_lines_too_long"] > 0
    for size in (1, 7, 40, 64, 333):
        monkeypatch.setattr(excerpts, "EXCERPT_BYTES", size)
        texts, counters = read_all(path, document)
        assert counters == whole_counters
        if document == "block":
            assert texts == whole
        else:
            assert len({text.key for text in texts}) == 1
            assert [line for text in texts for block in text.paragraphs for line in block] == [
                line for block in whole[0].paragraphs for line in block]


def test_blocks_by_hand(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(b"\xef\xbb\xbfOne\r\ntwo.\r\n\r\n \n\nThree\xe2\x80\x94four.\nbad \xff\nlast")
    texts, counters = read_all(path, "block")
    assert [text.paragraphs for text in texts] == [
        [["One\r\n", "two.\r\n"]], [["Three\u2014four.\n", "last"]]]
    assert counters == {"skipped_lines_not_utf8": 1}
    (text,), _ = read_all(path, "file")
    assert text.paragraphs == [["One\r\n", "two.\r\n"], ["Three\u2014four.\n", "last"]]


def test_a_block_ends_at_its_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(one_excerpt, "MAX_BLOCK", 30)
    path = tmp_path / "text.txt"
    path.write_text("0123456789\n" * 5 + "\nnext\n")
    texts, counters = read_all(path, "block")
    assert [text.paragraphs for text in texts] == [[["0123456789\n"] * 2], [["next\n"]]]
    assert counters == {"skipped_lines_of_long_blocks": 3}
    (text,), counters = read_all(path, "file")
    assert sum(map(len, text.paragraphs)) == 6
    assert not counters


def test_the_order_is_that_of_contents_and_seed(tmp_path, monkeypatch):
    monkeypatch.setattr(excerpts, "EXCERPT_BYTES", 10)
    for folder, names in (("one", "abc"), ("two", "cab")):
        (tmp_path / folder).mkdir()
        for content, name in enumerate(names):
            (tmp_path / folder / f"{name}.txt").write_text(f"{content} " * 50)

    def order(folder, seed):
        files = find_files([tmp_path / folder])
        contents = {file.path: Path(file.path).read_text()[0] for file in files}
        return [(contents[excerpt.path], excerpt.start)
                for excerpt in shuffled_excerpts(files, "file", seed)]

    assert order("one", 1) == order("two", 1) != order("one", 2)
    assert order("one", 1) != sorted(order("one", 1))


def test_a_sample_stays_within_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(excerpts, "EXCERPT_BYTES", 100)
    for name in "abcd":
        (tmp_path / f"{name}.txt").write_text(f"{name}{name}\n" * 200)
    texts, counters = sample(find_files([tmp_path]), 1000, 1)
    assert counters["bytes"] == 1000
    assert sum(map(len, texts)) <= 1000
    assert len({text[0] for text in texts}) > 1
    texts, counters = sample(find_files([tmp_path]), 10**6, 1)
    assert counters["bytes"] == 2400
