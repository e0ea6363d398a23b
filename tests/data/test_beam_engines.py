"""The Beam jobs on Prism and on a Dask cluster, with workers in processes of their own.

Each engine writes what the local runner writes, byte for byte. A worker that is killed never leaves
an output that looks whole.
"""

import contextlib
import importlib.util
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest

from mobilebert_tf.data.corpus import job as corpus_job
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.settings import Settings
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch.directory import BatchDirectory
from mobilebert_tf.inference.batch.job_settings import JobSettings
from mobilebert_tf.inference.batch.over_files import embed_files
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

pytestmark = pytest.mark.slow

BIN = pathlib.Path(sys.executable).parent
DASK = "apache_beam.runners.dask.dask_runner.DaskRunner"
TOKENIZER = Tokenizer(Vocabulary([*SPECIAL_PIECES, *(f"s{n}" for n in range(200)), "runs", "."]))
# Seconds until processes that should be ready are given up.
ENOUGH = 120


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextlib.contextmanager
def processes():
    """Yield a function that starts a process of Python; kill them and their children at the end."""
    started = []

    def start(*arguments):
        environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
        started.append(subprocess.Popen(
            [sys.executable, *map(str, arguments)], env=environment, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return started[-1]

    try:
        yield start
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for(ready):
    end = time.monotonic() + ENOUGH
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.2)


def listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


class Prism:
    """Beam's engine in Go. It asks a pool for a worker, which is a child process of the pool."""

    survives = False

    def __init__(self, start, directory):
        binary = BIN / "prism" if (BIN / "prism").exists() else shutil.which("prism")
        if binary is None:
            pytest.skip("no prism beside Python or in PATH; run `make beam-engines`")
        port = free_port()
        self._pool = start("-m", "apache_beam.runners.worker.worker_pool_main",
                           f"--service_port={port}")
        wait_for(lambda: listens(port))
        self.flags = ("--runner=PrismRunner", f"--prism_location={binary}",
                      "--environment_type=EXTERNAL", f"--environment_config=localhost:{port}")

    def kill_a_worker(self):
        # A thread of the pool started it.
        found = [int(child) for threads in pathlib.Path(f"/proc/{self._pool.pid}/task").iterdir()
                 for child in (threads / "children").read_text().split()]
        os.kill(found[-1], signal.SIGKILL)

    def close(self):
        """Do nothing: Beam stops Prism when this process ends."""


class Dask:
    """A scheduler and two workers. It does the work of a lost worker again."""

    survives = True

    def __init__(self, start, directory):
        if importlib.util.find_spec("distributed") is None:
            pytest.skip("Dask is not installed; run `make beam-engines`")
        address = f"tcp://127.0.0.1:{free_port()}"
        start("-m", "distributed.cli.dask_scheduler", "--host", address, "--no-dashboard")
        self._workers = [start("-m", "distributed.cli.dask_worker", address, "--no-nanny",
                               "--nthreads", 1, "--no-dashboard", "--local-directory",
                               directory / f"worker{number}") for number in range(2)]
        from distributed import Client

        with Client(address, timeout=ENOUGH) as client:
            client.wait_for_workers(2, timeout=ENOUGH)
        self.flags = (f"--runner={DASK}", f"--dask_client_address={address}",
                      "--dask_npartitions=20")

    def kill_a_worker(self):
        self._workers[0].kill()

    def close(self):
        # DaskRunner leaves its clients open; they would look for the scheduler.
        from distributed import default_client

        with contextlib.suppress(ValueError):
            while True:
                default_client().close()


@pytest.fixture(params=[Prism, Dask])
def engine(request, tmp_path):
    with processes() as start:
        engine = request.param(start, tmp_path)
        yield engine
        engine.close()


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


def files_of(directory):
    """All bytes but those of the lock and of times, by path."""
    return {str(path.relative_to(directory)): path.read_bytes()
            for path in directory.rglob("*") if path.is_file() and path.name != ".lock"}


def make_corpus(texts, directory, flags=(), on_progress=lambda *_: None):
    return corpus_job.make_corpus([texts], TOKENIZER, directory,
                                  Settings(length=40, validation=0.1), beam_flags=flags,
                                  on_progress=on_progress)


def embed(model, rows, directory, flags=(), on_progress=lambda *_: None):
    return embed_files(model, [rows], directory, JobSettings(
        workers=1, shard_rows=20, beam_flags=flags), on_progress=on_progress)


class Killer:
    """An `on_progress` that kills a worker of an engine when a part is done and others are not."""

    def __init__(self, engine):
        self._engine, self.killed_at = engine, None

    def __call__(self, done, parts, *_):
        if self.killed_at is None and 0 < done < parts:
            self.killed_at = done
            self._engine.kill_a_worker()


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
