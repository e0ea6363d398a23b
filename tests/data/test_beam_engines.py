"""The Beam jobs on Prism and on a Dask cluster, with workers in processes of their own.

Each engine writes what the local runner writes, byte for byte. A worker that is killed never leaves
an output that looks whole.
"""

import pytest

from mobilebert_tf.data.corpus import job as corpus_job
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.settings import CorpusSettings
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch.directory import BatchDirectory
from mobilebert_tf.inference.batch.job_settings import JobSettings
from mobilebert_tf.inference.batch.over_files import embed_files
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

from ..beam_engines import Killer, files_of

pytestmark = pytest.mark.slow

TOKENIZER = Tokenizer(Vocabulary([*SPECIAL_PIECES, *(f"s{n}" for n in range(200)), "runs", "."]))


@pytest.fixture
def texts(tmp_path, monkeypatch):
    """A text of three megabytes, which are about thirty parts of a job."""
    monkeypatch.setattr(corpus_job, "ITEM_BYTES", 100_000)
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(
        "".join(f"s{number % 200} runs s{line}.\n" for line in range(20))
        for number in range(10_000)))
    return path


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"row {number} has {'many ' * (number % 30)}words\n"
                            for number in range(600)))
    return path


@pytest.fixture
def embedding(repository):
    return (repository / "models" / "mobilebert_mini_embedding"
            / "mobilebert_mini_embedding_int8.tflite")


def make_corpus(texts, directory, flags=(), on_progress=lambda *_: None):
    return corpus_job.make_corpus([texts], TOKENIZER, directory,
                                  CorpusSettings(length=40, validation=0.1), beam_flags=flags,
                                  on_progress=on_progress)


def embed(model, rows, directory, flags=(), on_progress=lambda *_: None):
    return embed_files(model, [rows], directory, JobSettings(
        workers=1, shard_rows=20, beam_flags=flags), on_progress=on_progress)


def test_a_corpus_is_that_of_the_local_runner(engine, texts, tmp_path):
    corpus = make_corpus(texts, tmp_path / "engine", engine.flags)
    make_corpus(texts, tmp_path / "local")
    assert len(corpus.shards["train"]) > 20
    assert files_of(tmp_path / "engine") == files_of(tmp_path / "local")


def test_a_corpus_whose_worker_is_killed(engine, texts, tmp_path):
    killer = Killer(engine)
    if engine.survives:
        make_corpus(texts, tmp_path / "engine", engine.flags, killer)
        make_corpus(texts, tmp_path / "local")
        assert files_of(tmp_path / "engine") == files_of(tmp_path / "local")
    else:
        with pytest.raises(InputError, match="ended on PrismRunner.*SDK worker disconnected"):
            make_corpus(texts, tmp_path / "engine", engine.flags, killer)
        with pytest.raises(InputError, match="is not a corpus"):
            CorpusDirectory.load(tmp_path / "engine")
        assert not list(tmp_path.glob(".engine*"))
    assert killer.killed_at is not None


def test_embeddings_are_those_of_the_local_runner(engine, embedding, rows, tmp_path):
    result = embed(embedding, rows, tmp_path / "engine", engine.flags)
    embed(embedding, rows, tmp_path / "local")
    assert result.rows == [20] * 30
    assert files_of(tmp_path / "engine") == files_of(tmp_path / "local")


def test_embeddings_whose_worker_is_killed(engine, embedding, rows, tmp_path):
    killer = Killer(engine)
    if not engine.survives:
        with pytest.raises(InputError, match="ended on PrismRunner.*SDK worker disconnected"):
            embed(embedding, rows, tmp_path / "engine", engine.flags, killer)
        with pytest.raises(InputError, match="is not finished; start it again"):
            BatchDirectory(tmp_path / "engine").result()
    embed(embedding, rows, tmp_path / "engine", engine.flags, killer)
    embed(embedding, rows, tmp_path / "local")
    assert killer.killed_at is not None
    assert files_of(tmp_path / "engine") == files_of(tmp_path / "local")
