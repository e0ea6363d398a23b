"""Files from Maven Central: pinned in artifacts.txt, downloaded once and kept."""

import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import tools

_CENTRAL = "https://repo1.maven.org/maven2"
_PINS = Path(__file__).with_name("artifacts.txt")


def files(section):
    """Return the paths of a section's files in order."""
    return [_fetched(checksum, place) for checksum, place in _pins()[section]]


def jars(section):
    """Return the paths of a section's jars in order; for an Android library, the jar inside it."""
    return [_jar_of(path) for path in files(section)]


def jar(section):
    """Return the path of the jar of a section with a single one."""
    (only,) = jars(section)
    return only


def _pins():
    sections, current = {}, None
    for line in _PINS.read_text().splitlines():
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            current.append(tuple(line.split()))
    return sections


def _fetched(checksum, place):
    # The whole path, because two of Robolectric's jars have the names of other jars.
    path = tools.CACHE / "maven" / place
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        try:
            with (urllib.request.urlopen(f"{_CENTRAL}/{place}", timeout=60) as answer,
                  partial.open("wb") as file):
                while part := answer.read(1 << 20):
                    file.write(part)
        except (urllib.error.URLError, TimeoutError) as error:
            raise tools.Missing(f"{path.name} could not be downloaded from Maven Central: "
                                f"{error}") from error
        partial.replace(path)
    tools.check_sum(path, checksum)
    return path


def _jar_of(path):
    if path.suffix != ".aar":
        return path
    inner = path.with_suffix(".classes.jar")
    if inner.exists() and inner.stat().st_mtime >= path.stat().st_mtime:
        return inner
    with zipfile.ZipFile(path) as library:
        inner.write_bytes(library.read("classes.jar"))
    return inner
