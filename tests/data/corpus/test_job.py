import itertools
import signal
import subprocess
import sys

import pytest
import tensorflow as tf

from mobilebert_tf.data.corpus import excerpts
from mobilebert_tf.data.corpus import job as corpus_module
from mobilebert_tf.data.corpus.dataset_texts import find_dataset
from mobilebert_tf.data.corpus.directory import SPLITS, CorpusDirectory
from mobilebert_tf.data.corpus.item import process
from mobilebert_tf.data.corpus.job import make_corpus, plan, validation_keys
from mobilebert_tf.data.corpus.settings import CorpusSettings
from mobilebert_tf.data.corpus.text_files import TextFile
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

from ...folders import bytes_of
from ...needed import needed

VOCABULARY = Vocabulary([*SPECIAL_PIECES, *(f"d{n}" for n in range(200)),
                         *(f"s{n}" for n in range(200)), "runs", "far", "."])
TOKENIZER = Tokenizer(VOCABULARY)


def document(number, count):
    """A document of the sentences "D3 s0 runs." and so on, two a line."""
    found = [f"D{number} s{index} runs{' far' * (index % 3)}." for index in range(count)]
    return "\n".join(" ".join(found[start:start + 2]) for start in range(0, count, 2)) + "\n"


@pytest.fixture
def blocks(tmp_path):
    """A file of 100 documents of 1 to 20 sentences."""
    path = tmp_path / "blocks.txt"
    path.write_text("\n".join(document(number, 1 + number % 20) for number in range(100)))
    return path


@pytest.fixture
def files(tmp_path):
    """12 files of 40 sentences in four paragraphs."""
    for number in range(12):
        lines = document(number, 40).splitlines()
        (tmp_path / f"file{number}.txt").write_text(
            "\n\n".join("\n".join(lines[start:start + 5]) for start in range(0, 20, 5)))
    return tmp_path / "file*.txt"


@pytest.fixture
def small(monkeypatch):
    """Small excerpts and items, so that small texts make many."""
    monkeypatch.setattr(excerpts, "EXCERPT_BYTES", 500)
    monkeypatch.setattr(corpus_module, "ITEM_BYTES", 4000)


def make(texts, directory, workers=1, overwrite=False, **settings):
    return make_corpus([texts], TOKENIZER, directory,
                       CorpusSettings(**{"length": 40, "validation": 0.2, **settings}),
                       workers=workers, overwrite=overwrite)


def records(corpus, split):
    """(first, second, label) of every example, in pieces, without the special ones."""
    for path in [str(corpus.directory / shard.file) for shard in corpus.shards[split]]:
        for record in tf.data.TFRecordDataset(path).as_numpy_iterator():
            feature = tf.train.Example.FromString(record).features.feature
            ids, first_length, label = (list(feature[name].int64_list.value) for name in (
                "ids", "first_length", "next_sentence_label"))
            pieces = [VOCABULARY.pieces[index] for index in ids]
            first, second = pieces[:first_length[0]], pieces[first_length[0]:]
            assert len(ids) <= corpus.length
            assert (first[0], first[-1]) == ("[CLS]", "[SEP]")
            assert second[-1:] == (["[SEP]"] if label[0] >= 0 else [])
            yield first[1:-1], second[:-1], label[0]


def places(pieces):
    """The (document, sentence) of each whole sentence start in a segment."""
    return [(first, int(second[1:])) for first, second in itertools.pairwise(pieces)
            if first[0] == "d" and second[0] == "s"]


def documents_of(corpus, split):
    return {piece for first, second, _ in records(corpus, split)
            for piece in first + second if piece[0] == "d"}


@pytest.mark.parametrize("kind", ["block", "file"])
def test_pairs_say_what_the_texts_say(kind, blocks, files, small, tmp_path):
    corpus = make(blocks if kind == "block" else files, tmp_path / "corpus", document=kind)
    labels = {0: 0, 1: 0}
    for split in SPLITS:
        assert corpus.count(split) == len(list(records(corpus, split))) > 0
        assert sum(shard.tokens for shard in corpus.shards[split]) == sum(
            len(first) + len(second) + 3 for first, second, _ in records(corpus, split))
        for first, second, label in records(corpus, split):
            labels[label] += 1
            for segment in (first, second):
                numbers = [number for _, number in places(segment)]
                assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
            assert len({name for name, _ in places(first)}) == 1
            (name, last), (other, next_one) = places(first)[-1], places(second)[0]
            if label == 0:
                is_whole = len(first) + len(second) < corpus.length - 3  # nothing was cut
                assert name == other
                assert next_one == last + 1 if is_whole else next_one > last
            else:
                assert name != other
    assert labels == {0: corpus.counters["pairs_following"], 1: corpus.counters["pairs_random"]}
    assert 0.35 < labels[1] / sum(labels.values()) < (0.75 if kind == "block" else 0.65)
    train, validation = (documents_of(corpus, split) for split in SPLITS)
    assert not train & validation
    assert len(train | validation) == (100 if kind == "block" else 12)


def test_following_pairs_give_the_text_back(files, small, tmp_path):
    """What is not cut, one pair after the other, is the document."""
    corpus = make(files, tmp_path / "corpus", document="file", validation=0.0, short_probability=0)
    firsts = {place for first, second, label in records(corpus, "train")
              for place in places(first) + (places(second) if label == 0 else [])}
    everything = {(f"d{number}", index) for number in range(12) for index in range(40)}
    assert len(firsts) > 0.85 * len(everything)
    assert firsts <= everything


def test_sentences_are_the_texts(blocks, small, tmp_path):
    corpus = make(blocks, tmp_path / "corpus", examples="sentences", length=6)
    found = sorted(" ".join(first) for split in SPLITS for first, second, label in
                   records(corpus, split) if label == -1 and not second)
    expected = [f"d{number} s{index} runs " + ("far far"[:4 * (index % 3)].strip() + " ."
                if index % 3 else ".") for number in range(100) for index in range(1 + number % 20)]
    assert found == sorted(" ".join(sentence.split()[:4]) for sentence in expected)
    counters = corpus.counters
    assert counters["sentences"] == len(expected) == corpus.count("train") + corpus.count(
        "validation")
    assert counters["tokens"] == sum(len(sentence.split()) for sentence in expected)
    assert counters["tokens_cut"] == sum(len(sentence.split()) - 4 for sentence in expected)
    assert counters["documents"] == 100
    assert not documents_of(corpus, "train") & documents_of(corpus, "validation")


def test_the_same_texts_and_seed_give_the_same_files(blocks, small, tmp_path):
    one = make(blocks, tmp_path / "one")
    two = make(blocks, tmp_path / "two", workers=2)
    assert len(one.shards["train"]) > 2
    assert bytes_of(one.directory) == bytes_of(two.directory)
    other = make(blocks, tmp_path / "other", seed=2)
    assert bytes_of(other.directory) != bytes_of(one.directory)
    # All was put into place, and nothing left beside it.
    assert {path.name for path in tmp_path.iterdir()} == {"one", "two", "other", "blocks.txt"}
    assert (one.directory / "vocab.txt").read_text().startswith("[PAD]\n")


def test_shards_mix_the_documents(blocks, small, tmp_path):
    corpus = make(blocks, tmp_path / "corpus", examples="sentences")
    for shard in corpus.shards["train"]:
        dataset = tf.data.TFRecordDataset(str(corpus.directory / shard.file))
        names = [VOCABULARY.pieces[tf.train.Example.FromString(record).features.feature[
            "ids"].int64_list.value[1]] for record in dataset.as_numpy_iterator()]
        assert max(map(int, (name[1:] for name in names))) > 60
        assert min(map(int, (name[1:] for name in names))) < 40
        # Neighbours in the text are not neighbours here.
        assert sum(a == b for a, b in itertools.pairwise(names)) < 0.2 * len(names)


def test_counters(tmp_path):
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "blank.txt").write_bytes(b" \n\n")
    (tmp_path / "good.txt").write_text(
        f"{document(1, 3)}\n{document(2, 1)}\n{document(3, 4)}\n\u200b\n")
    (tmp_path / "bad.txt").write_bytes(
        b"D4 s0 runs.\nD4 \xff s1 runs.\n" + b"y" * (1 << 20) + b"\nD4 s2 runs.\n")
    corpus = make(tmp_path, tmp_path / "corpus", validation=0.0)
    pairs = corpus.count("train")
    assert corpus.counters == {
        "files": 4, "bytes": sum(path.stat().st_size for path in tmp_path.glob("*.txt")),
        "documents": 5, "sentences": 11, "tokens": 46, "documents_of_one_sentence": 1,
        "pairs_following": corpus.counters["pairs_following"],
        "pairs_random": pairs - corpus.counters["pairs_following"], "tokens_cut": 0,
        "examples_train": pairs, "examples_validation": 0, "skipped_documents_without_a_pair": 0,
        "skipped_empty_files": 1, "skipped_files_without_text": 1, "skipped_lines_not_utf8": 1,
        "skipped_lines_too_long": 1, "skipped_sentences_without_tokens": 1}
    assert corpus.settings["validation"] == 0.0


@pytest.mark.parametrize(("content", "settings", "message"), [
    (b"", {}, "all of 1 files are empty"),
    (b"\n \n", {}, "no example; skipped: files without text: 1"),
    (b"\xff\xfe\nD1 s1 \xff\n", {}, "skipped: files without text: 1; lines not utf8: 2"),
    (b"D1 s1 runs.\nD1 s2 runs.\n", {}, "single document.*set document to .file"),
    (b"D1 s1 runs.\n\nD2 s2 runs.\n", {"document": "file"}, "single document.*document to .block")])
def test_texts_without_examples_are_an_error(content, settings, message, tmp_path):
    (tmp_path / "text.txt").write_bytes(content)
    with pytest.raises(InputError, match=message):
        make(tmp_path / "text.txt", tmp_path / "corpus", **settings)
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


def test_what_is_not_of_a_corpus_is_never_deleted(blocks, tmp_path, monkeypatch):
    output = tmp_path / "corpus"
    make(blocks, output)
    make(blocks, output, overwrite=True)
    (output / "notes.txt").write_text("mine")
    monkeypatch.setattr("mobilebert_tf.data.corpus.job.find_files", None)  # the work begins with it
    with pytest.raises(InputError, match=r"has notes\.txt in it, which is not of a corpus"):
        make(blocks, output, overwrite=True)
    (output / "corpus.json").unlink()
    with pytest.raises(InputError, match="which is not of a corpus"):
        make(blocks, output, overwrite=True)
    assert (output / "notes.txt").read_text() == "mine"
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(InputError, match="cannot be replaced as a whole"):
        make(blocks, ".")


def test_a_failing_disk_leaves_nothing(blocks, tmp_path, monkeypatch):
    def fail(path, records):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mobilebert_tf.data.corpus.item.write_records", fail)
    with pytest.raises(InputError, match="No space left"):
        make(blocks, tmp_path / "corpus")
    assert [path.name for path in tmp_path.iterdir()] == ["blocks.txt"]


def test_a_killed_job_leaves_nothing_that_looks_whole(blocks, tmp_path):
    (tmp_path / "text.txt").write_text("\n".join(document(n, 20) for n in range(100)))
    VOCABULARY.save(tmp_path / "vocab.txt")
    # The process kills itself when the first of several items is written.
    code = """
import os, signal
from mobilebert_tf.data.corpus import item, job
from mobilebert_tf.cli.main import main
job.ITEM_BYTES = 10_000
write = item.write_atomically
def killed(*arguments):
    write(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
item.write_atomically = killed
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "corpus", "--text", tmp_path / "text.txt", "--vocab",
         tmp_path / "vocab.txt", "--workers", "1", "--output", tmp_path / "corpus"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob(".corpus.*/new/item-*.json"))) == 1
    assert not (tmp_path / "corpus").exists()
    (staging,) = tmp_path.glob(".corpus.*/new")
    for directory in (tmp_path / "corpus", staging):
        with pytest.raises(InputError, match="is not a corpus"):
            CorpusDirectory.load(directory)
    assert not list(staging.glob("*-of-*"))
    make(blocks, tmp_path / "corpus")
    assert not list(tmp_path.glob(".corpus.*"))


def text_files(*sizes):
    return [TextFile(str(index), size, bytes([index])) for index, size in enumerate(sizes)]


def test_validation_files():
    def share(files, **settings):
        settings = CorpusSettings(document="file", **settings)
        kept = validation_keys(files, settings)
        return len(kept), sum(file.size for file in files if file.key in kept)

    count, size = share(text_files(*[100] * 200), validation=0.05)
    assert (count, size) == (10, 1000)
    assert share(text_files(*[100] * 200), validation=0.0) == (0, 0)
    # One large file never makes the split, and pairs need two.
    count, size = share(text_files(10_000, *[100] * 10), validation=0.01)
    assert (count, size) == (2, 200)
    assert share(text_files(50, 60, 70, 80), validation=0.01) == (2, 110)
    assert share(text_files(50, 60, 70, 80), validation=0.01, examples="sentences") == (1, 50)
    assert share(text_files(50, 60, 70), validation=0.01) == (0, 0)
    twins = [TextFile(f"{index}", 100, bytes([index // 2])) for index in range(100)]
    kept = validation_keys(twins, CorpusSettings(document="file", validation=0.1))
    assert len(kept) == 5  # ten files


def test_items_have_equal_shares(tmp_path, small):
    found = plan(text_files(*[9_000] * 10), (), CorpusSettings())
    assert len(found) == 23
    assert max(item.size for item in found) - min(item.size for item in found) <= 1000
    assert len({part.path for part in found[0].parts}) > 4
    assert sum(item.size for item in found) == 90_000


@pytest.fixture
def dataset(tmp_path):
    tfds = needed("tensorflow_datasets")
    texts = [document(number, 1 + number % 20) for number in range(60)]
    texts[7] = "_START_ARTICLE_\nD7 s0 runs\n_START_PARAGRAPH_\nD7 s1 runs._NEWLINE_D7 s2 runs."
    tfds.dataset_builders.store_as_tfds_dataset(
        "running", version="1.0.0", data_dir=tmp_path / "tfds", split_datasets={
            "train": tf.data.Dataset.from_tensor_slices({"text": texts, "place": range(60)})},
        features=tfds.features.FeaturesDict({
            "text": tfds.features.Text(), "place": tf.int32}))
    return str(tmp_path / "tfds")


def test_a_tfds_dataset(dataset, small, tmp_path):
    parts = find_dataset("running", dataset, "text", 4000)
    assert len(parts) > 3
    assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
    corpus = make_corpus((), TOKENIZER, tmp_path / "corpus",
                         CorpusSettings(examples="sentences", validation=0.2), dataset="running",
                         dataset_directory=dataset)
    assert len(corpus.shards["train"]) > 3
    found = {place for split in SPLITS for first, _, _ in records(corpus, split)
             for place in places(first)}
    assert found == {(f"d{number}", index) for number in range(60)
                     for index in range(3 if number == 7 else 1 + number % 20)}
    assert corpus.counters["documents"] == 60
    assert not documents_of(corpus, "train") & documents_of(corpus, "validation")


@pytest.mark.parametrize(("name", "feature", "message"), [
    ("walking", "text", "cannot get the dataset walking"),
    ("running", "place", "no text feature 'place'; its text features are text")])
def test_a_wrong_dataset_is_an_error(dataset, name, feature, message):
    with pytest.raises(InputError, match=message):
        find_dataset(name, dataset, feature, 4000)


@pytest.mark.parametrize(("settings", "message"), [
    ({"examples": "pair"}, "examples must be pairs or sentences. Received: 'pair'"),
    ({"document": "line"}, "document must be block or file"),
    ({"length": 4}, "length must be 5 or more. Received: 4")])
def test_settings_are_checked(settings, message):
    with pytest.raises(InputError, match=message):
        CorpusSettings(**settings)


def test_workers_that_do_not_see_the_directory_are_named(tmp_path):
    item = plan(text_files(10), (), CorpusSettings())[0]
    with pytest.raises(InputError, match="does not see .*gone"):
        process(item, CorpusSettings(), TOKENIZER, str(tmp_path / "gone"))
    assert not (tmp_path / "gone").exists()


@pytest.mark.slow
def test_memory_does_not_grow_with_the_texts(tmp_path):
    """A run four times as long may take a fifth more."""
    text = "\n".join(document(n % 200, 20) for n in range(25_000))
    peaks = []
    for copies in (1, 4):
        (tmp_path / f"{copies}.txt").write_text(text * copies)
        VOCABULARY.save(tmp_path / "vocab.txt")
        command = ["mobilebert", "corpus", "--text", tmp_path / f"{copies}.txt", "--vocab",
                   tmp_path / "vocab.txt", "--workers", 1, "--output", tmp_path / f"corpus{copies}"]
        # VmHWM begins anew with the program; ru_maxrss begins with the memory of the test process.
        code = (f"import sys; sys.argv = {list(map(str, command))}\n"
                "from mobilebert_tf.cli.main import app\n"
                "try: app()\n"
                "except SystemExit: pass\n"
                "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              check=True)
        peaks.append(int(done.stdout.split()[-1]))
    assert peaks[1] < 1.2 * peaks[0]
