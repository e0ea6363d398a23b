"""Engines of Apache Beam whose workers are processes of their own: Prism and a Dask cluster."""

import contextlib
import importlib.util
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys

import pytest

from .processes import free_ports, wait_for

BIN = pathlib.Path(sys.executable).parent
DASK = "apache_beam.runners.dask.dask_runner.DaskRunner"
# Seconds until a cluster that should be ready is given up.
ENOUGH = 120


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
        port, = free_ports(1)
        self._pool = start("-m", "apache_beam.runners.worker.worker_pool_main",
                           f"--service_port={port}")
        wait_for(lambda: listens(port), f"the pool at port {port}", self._pool, pause=0.2)
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
        port, = free_ports(1)
        address = f"tcp://127.0.0.1:{port}"
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


ENGINES = Prism, Dask


class Killer:
    """An `on_progress` that kills a worker of an engine when a part is done and others are not."""

    def __init__(self, engine):
        self._engine, self.killed_at = engine, None

    def __call__(self, done, parts, *_):
        if self.killed_at is None and 0 < done < parts:
            self.killed_at = done
            self._engine.kill_a_worker()


def files_of(directory):
    """All bytes but those of the lock and of times, by path."""
    return {str(path.relative_to(directory)): path.read_bytes()
            for path in directory.rglob("*") if path.is_file() and path.name != ".lock"}
