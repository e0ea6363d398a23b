r"""Measure `mobilebert corpus`: its speed and the memory of all its processes.

python tests/data/corpus/measure_corpus.py --text novels --vocab vocab.txt --copies 1 10 -- \
  --document file

Copies of the texts are made in a temporary directory. Flags after -- go to the command.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--text", type=Path, required=True, help="directory of .txt files")
    parser.add_argument("--vocab", type=Path, required=True)
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 10])
    parser.add_argument("flags", nargs="*", help="of mobilebert corpus")
    arguments = parser.parse_args()
    print(f"{'MB':>7} {'seconds':>8} {'MB/s':>6} {'tokens/s':>10} {'peak RSS, MB':>13} processes")
    for copies in arguments.copies:
        with tempfile.TemporaryDirectory(prefix="corpus_") as directory:
            measure(Path(directory), arguments, copies)


def measure(directory, arguments, copies):
    texts = directory / "texts"
    for copy in range(copies):
        shutil.copytree(arguments.text, texts / str(copy))
    result, seen = directory / "result.json", []
    command = [str(Path(sys.executable).with_name("mobilebert")), "corpus", "--text", str(texts),
               "--vocab", str(arguments.vocab), "--output", str(directory / "corpus"),
               "--json", str(result), *arguments.flags]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        seen.append(resident(process.pid))
        time.sleep(0.2)
    if process.returncode:
        sys.exit(process.returncode)
    done = json.loads(result.read_text())
    size, tokens, seconds = (done["counters"]["bytes"] / 1e6, done["counters"]["tokens"],
                             done["seconds"])
    peak, processes = max(seen)
    print(f"{size:7.1f} {seconds:8.1f} {size / seconds:6.2f} {tokens / seconds:10,.0f} "
          f"{peak / 1e6:13.0f} {processes}", flush=True)


def resident(root):
    """Bytes that a process and its descendants hold, and their number."""
    parents, pages = {}, {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            pages[int(path.name)] = int((path / "statm").read_text().split()[1])
        except (OSError, IndexError):
            continue  # it ended meanwhile
    family = {root}
    while found := {child for child, parent in parents.items() if parent in family} - family:
        family |= found
    return (sum(pages.get(member, 0) for member in family) * os.sysconf("SC_PAGE_SIZE"),
            len(family))


if __name__ == "__main__":
    main()
