import json
import re
import sys

import pytest

from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

from ..needed import needed

TEXT = "\n\n".join(f"The film {n} is good. It was a long film. Was it {n}?" for n in range(60))


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT)
    Vocabulary([*SPECIAL_PIECES, "the", "film", "is", "good", ".", "?", "The"]).save("vocab.txt")
    return tmp_path


def corpus(mobilebert, *arguments):
    return mobilebert("corpus", "--text", "text.txt", "--vocab", "vocab.txt", "--output", "corpus",
                      *arguments)


def test_vocab_then_corpus(mobilebert, place):
    run = mobilebert("vocab", "--text", "text.txt", "--size", 200, "--output", "learned.txt",
                     "--json", "learned.json")
    assert run.status == 0, run.err
    learned = Vocabulary.load("learned.txt")
    assert {"film", "good"} <= set(learned.pieces)
    record = json.loads((place / "learned.json").read_text())
    assert record["pieces"] == len(learned)
    assert record["counters"]["bytes"] == len(TEXT)
    run = mobilebert("corpus", "--text", "text.txt", "--vocab", "learned.txt", "--output", "corpus",
                     "--validation", 0.1, "--length", 32, "--json", "result.json")
    assert run.status == 0, run.err
    found = CorpusDirectory.load("corpus")
    assert found.vocabulary().pieces == learned.pieces
    result = json.loads((place / "result.json").read_text())
    assert result["counters"] == found.counters
    assert (found.counters["documents"], found.counters["sentences"]) == (60, 180)
    assert "documents" in run.out
    assert "MB/s" in run.out
    assert "WARNING" not in run.err


def test_beams_own_flags_come_after_the_dashes(mobilebert, place):
    run = corpus(mobilebert, "--", "--runner=NoSuchRunner")
    assert run.status == 2
    assert "Error: Beam does not take --runner=NoSuchRunner" in run.err
    assert not (place / "corpus").exists()
    run = corpus(mobilebert, "--", "--direct_num_workers=1", "--job_name=films")
    assert run.status == 0, run.err


def test_a_corpus_is_replaced_only_when_asked(mobilebert, place):
    assert corpus(mobilebert).status == 0
    before = (place / "corpus" / "corpus.json").read_bytes()
    run = corpus(mobilebert, "--seed", 2)
    assert run.status == 2
    assert "set overwrite to replace it" in run.err
    assert (place / "corpus" / "corpus.json").read_bytes() == before
    assert corpus(mobilebert, "--seed", 2, "--overwrite").status == 0
    assert CorpusDirectory.load("corpus").settings["seed"] == 2
    (place / "corpus" / "corpus.json").unlink()
    run = corpus(mobilebert, "--overwrite")
    assert run.status == 2
    assert "which is not of a corpus" in run.err


def test_a_long_line_and_bad_bytes_are_skipped_and_counted(mobilebert, place):
    with open("text.txt", "ab") as file:
        file.write(b"\n\nbad \xff bytes\n\n" + b"word " * 10_000_000 + b"\n\nThe end. Good.\n")
    (place / "empty.txt").write_bytes(b"")
    run = corpus(mobilebert, "--text", "empty.txt", "--workers", 1, "--json", "result.json")
    assert run.status == 0, run.err
    counters = json.loads((place / "result.json").read_text())["counters"]
    assert counters["skipped_lines_too_long"] == 1
    assert counters["skipped_lines_not_utf8"] == 1
    assert counters["skipped_empty_files"] == 1
    assert counters["sentences"] == 180 + 2
    for line in ("skipped: lines too long", "skipped: lines not utf8", "skipped: empty files"):
        assert line in run.out


def test_what_may_be_wrong_with_the_texts_is_said(mobilebert, place):
    (place / "text.txt").write_text("\n\n".join(f"Film {n} is good." for n in range(50)))
    run = corpus(mobilebert, "--validation", 0.0001)
    assert run.status == 0, run.err
    assert "100% of the documents have one sentence" in run.err
    assert "validation split: it is empty" in run.err


@pytest.mark.parametrize(("change", "arguments", "message"), [
    (None, ("--vocab", "none.txt"), "cannot read the vocabulary none.txt"),
    (b"", (), "all of 1 files are empty"),
    (b"\xff\xfe\n\xff\n", (), "no example; skipped: .*lines not utf8: 2"),
    (b"One. Two. Three.", (), "single document"),
    (None, ("--text", "none.txt"), "no text at none.txt"),
    (None, ("text.txt",), "text.txt is not a flag of Beam: give every text its own --text"),
    (None, ("--length", "4"), "or equal to 5"),
    (None, ("--validation", "0.9"), "or equal to 0.5"),
    (None, ("--tfds", "no_such_dataset"), "cannot get the dataset no_such_dataset"),
    (None, ("--output", "text.txt"), "there is a file of that name")])
def test_bad_input_is_an_error(change, arguments, message, mobilebert, place):
    if "--tfds" in arguments:
        needed("tensorflow_datasets")
    if change is not None:
        (place / "text.txt").write_bytes(change)
    run = corpus(mobilebert, *arguments)
    assert run.status == 2
    assert re.search(message, " ".join(run.err.split()))
    assert "Traceback" not in run.err
    assert sorted(path.name for path in place.iterdir()) == ["text.txt", "vocab.txt"]


@pytest.mark.parametrize("module", ["sentencex", "google_crc32c"])
def test_beam_alone_is_not_enough(module, mobilebert, place, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    run = corpus(mobilebert)
    assert (run.status, "install the extra `corpus`" in run.err) == (2, True), run.err


def test_no_text_at_all_is_an_error(mobilebert, place):
    run = mobilebert("corpus", "--vocab", "vocab.txt", "--output", "corpus")
    assert run.status == 2
    assert "there are no texts; give files, globs or directories, or a dataset" in run.err
    (place / "text.txt").write_bytes(b"\n")
    run = mobilebert("vocab", "--text", "text.txt", "--output", "learned.txt")
    assert run.status == 2
    assert "there is no text in 1 files" in run.err
