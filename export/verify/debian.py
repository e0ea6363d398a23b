"""Debian packages unpacked into a folder: nothing is installed, and root is not needed."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from mobilebert_tf.errors import InputError


def unpack(packages, directory, architecture=None, with_dependencies=False) -> None:
    """Downloads packages of the system's release and unpacks them into a directory.

    With lists and caches of its own, so that the system's package lists may be absent or old.

    Args:
      packages: names.
      directory: where to unpack.
      architecture: Debian's name of it; None for this machine's.
      with_dependencies: whether all that the packages depend on comes too.

    Raises:
      InputError: on a system without apt and dpkg; where the packages cannot be downloaded.
    """
    for program in ("apt-get", "dpkg-deb"):
        if shutil.which(program) is None:
            raise InputError(f"this check needs a Debian system: it takes {', '.join(packages)} "
                             f"from Debian's packages, and there is no {program} here")
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
            options = [part for name, value in settings.items() for part in ("-o",
                                                                             f"{name}={value}")]
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
            subprocess.run(["dpkg-deb", "--extract", package, directory], check=True)
