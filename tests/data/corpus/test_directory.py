"""Several corpora as one."""

import dataclasses

import pytest

from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.masking import Masking
from mobilebert_tf.errors import InputError


def described(corpus, **changes):
    """The corpus, with another description."""
    dataclasses.replace(corpus, **changes).save(corpus.vocabulary())
    return corpus.directory


def texts(corpus, split):
    """Every example of a split, without padding, in order."""
    batches = CorpusBatches(corpus, split, 4, Masking(), seed=1)._generate(0, slice(0, 4), 1)
    return sorted(tuple(row[kept == 1]) for batch in batches
                  for row, kept in zip(batch["original_word_ids"], batch["input_mask"],
                                       strict=True))


def test_all_examples_of_all_are_read_once(make_corpus, tmp_path, monkeypatch):
    pairs = described(make_corpus(tmp_path / "pairs", train=8, validation=4, length=30),
                      counters={"tokens": 5, "files": 1}, settings={"seed": 1})
    sentences = described(make_corpus(tmp_path / "sentences", train=16, validation=8, length=40),
                          examples="sentences", counters={"tokens": 7}, settings={"seed": 2})
    monkeypatch.chdir(tmp_path)
    both = CorpusDirectory.load_all(["pairs", "sentences"])
    assert both.count("train") == 24
    assert both.length == 40
    assert both.examples == "pairs and sentences"
    assert both.counters == {"tokens": 12, "files": 1}
    # What a run's checkpoints are told by: both, and nothing of where they lie.
    assert both.settings == {"corpora": [
        {"settings": {"seed": 1}, "counters": {"tokens": 5, "files": 1}},
        {"settings": {"seed": 2}, "counters": {"tokens": 7}}]}
    # In another order they give other batches.
    assert CorpusDirectory.load_all(["sentences", "pairs"]).settings != both.settings
    monkeypatch.chdir("/")
    for split in ("train", "validation"):
        assert texts(both, split) == sorted([*texts(CorpusDirectory.load(pairs), split),
                                             *texts(CorpusDirectory.load(sentences), split)])


def test_one_is_itself(make_corpus, tmp_path):
    corpus = make_corpus(tmp_path / "corpus")
    assert CorpusDirectory.load_all([tmp_path / "corpus"]) == corpus


def test_corpora_that_do_not_go_together(make_corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_corpus(tmp_path / "one")
    make_corpus(tmp_path / "other_pieces", size=130)
    described(make_corpus(tmp_path / "cased"), lower_case=False)
    for names, said in ((["one", "other_pieces"], "other_pieces has another vocabulary"),
                        (["one", "cased"], "cased has another vocabulary or case than one"),
                        (["one", "./one"], "one is given twice"), ([], "no corpus"),
                        (["one", "none"], "none is not a corpus")):
        with pytest.raises(InputError, match=said):
            CorpusDirectory.load_all(names)
