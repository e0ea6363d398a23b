"""The programs that a check downloads once, into the user's cache directory."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from mobilebert_tf.errors import InputError
from mobilebert_tf.files import directory_written_atomically


def cached(name: str, prepare: Callable[[Path], None]) -> Path:
    """Return the cached folder of this name; call `prepare` to fill it if there is none.

    An interrupted preparation leaves nothing behind.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    path = cache / "mobilebert-tf" / name
    if not path.is_dir():
        with directory_written_atomically(path) as temporary:
            prepare(temporary)
    return path.resolve()


def unpack(packages, directory, architecture=None, with_dependencies=False) -> None:
    """Download Debian packages of the system's release and unpack them into a directory.

    Nothing is installed, and root is not needed. Package lists and caches are temporary, so the
    system's lists may be missing or old.

    Args:
      packages: names.
      directory: where to unpack.
      architecture: Debian's name of it; None for this machine's.
      with_dependencies: whether to unpack all that the packages depend on too.

    Raises:
      InputError: on a system without apt and dpkg, and if the packages cannot be downloaded
        or unpacked.
    """
    for program in ("apt-get", "dpkg-deb"):
        if shutil.which(program) is None:
            raise InputError(f"this check needs a Debian system, for its packages "
                             f"{', '.join(packages)}: there is no {program} here")
    with tempfile.TemporaryDirectory(prefix="mobilebert-apt-") as private:
        place = Path(private)
        for folder in ("lists/partial", "archives/partial"):
            (place / folder).mkdir(parents=True)
        (place / "status").touch()
        settings = {"Dir::State::lists": place / "lists", "Dir::State::status": place / "status",
                    "Dir::Cache": place, "Dir::Cache::archives": place / "archives",
                    "APT::Update::Error-Mode": "any", "APT::Sandbox::User": "",
                    "Debug::NoLocking": "true"}
        if architecture is not None:
            settings |= {"APT::Architecture": architecture, "APT::Architectures": architecture}

        def apt(*arguments):
            options = [f"-o{name}={value}" for name, value in settings.items()]
            done = subprocess.run(["apt-get", "-qq", *options, *arguments], text=True,
                                  cwd=place / "archives", env=os.environ | {"LC_ALL": "C"},
                                  capture_output=True)
            if done.returncode:
                said = [line for line in done.stderr.splitlines() if line.startswith("E:")]
                raise InputError(f"apt-get cannot download {', '.join(packages)}: "
                                 f"{said[0][3:] if said else done.stderr.strip()}")

        apt("update")
        if with_dependencies:
            apt("install", "--yes", "--download-only", "--no-install-recommends", *packages)
        else:
            apt("download", *packages)
        for package in sorted((place / "archives").glob("*.deb")):
            done = subprocess.run(["dpkg-deb", "--extract", package, directory], text=True,
                                  capture_output=True)
            if done.returncode:
                raise InputError(f"dpkg-deb cannot unpack {package.name} into {directory}: "
                                 f"{done.stderr.strip()}")
