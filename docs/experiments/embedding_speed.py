"""Measure how many texts a second `mobilebert embed` and sentence-transformers embed, in one run.

  python docs/experiments/embedding_speed.py --model models/mobilebert_mini_embedding/mobilebert_mini_embedding_int8.tflite --peer all-MiniLM-L6-v2 --texts lines.txt --rows 20000 --rounds 5

Both get the same texts, of which no two are the same, and the same processors. They take turns, a
round each, in processes of their own. Before each round they embed a single text: that is the time
to start, which is subtracted. `mobilebert embed` has a process with one thread for each processor,
sentence-transformers one process with as many threads and batches of 64 texts. Without --peer our
command is measured alone. sentence-transformers may be in another environment: --peer-python names
its Python.
"""  # noqa: E501

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from batch_inference import write_rows

_PEER = """
import sys
import numpy as np
import torch
from sentence_transformers import SentenceTransformer
model, texts, output, threads = sys.argv[1:]
torch.set_num_threads(int(threads))
with open(texts, encoding="utf-8") as file:
    lines = file.read().splitlines()
np.save(output, SentenceTransformer(model, device="cpu").encode(
    lines, batch_size=64, normalize_embeddings=True, show_progress_bar=False))
"""


def main():
    arguments = _arguments()
    processors = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="speed_") as directory:
        place = Path(directory)
        write_rows(arguments.texts, arguments.rows, place / "texts.txt")
        write_rows(arguments.texts, 1, place / "one.txt")
        commands = {"mobilebert embed": lambda texts, output: [
            sys.executable, "-c", "from mobilebert_tf.cli.main import main; main()", "embed",
            arguments.model, "--texts", texts, "--output", output, "--workers", str(processors),
            "--shard-rows", "1024"]}
        if arguments.peer:
            commands["sentence-transformers"] = lambda texts, output: [
                arguments.peer_python, "-c", _PEER, arguments.peer, texts, output,
                str(processors)]
        _compare(commands, arguments, place, processors)


def _compare(commands, arguments, place, processors):
    starts, rates = ({name: [] for name in commands} for _ in range(2))
    for number in range(1, arguments.rounds + 1):
        for name, command in commands.items():
            start = _seconds(command(place / "one.txt", place / f"{name} start {number}"))
            whole = _seconds(command(place / "texts.txt", place / f"{name} {number}"))
            print(f"round {number}: {name}: {start:.1f} s to start, {whole:.1f} s", file=sys.stderr,
                  flush=True)
            if whole <= start:
                sys.exit(f"{arguments.rows} texts take no longer than to start; give more --rows")
            starts[name].append(start)
            rates[name].append(arguments.rows / (whole - start))
    print(f"{arguments.rounds} rounds of {arguments.rows:,} texts, {processors} processors")
    print(f"{'medians':24} {'start, s':>9} {'texts/s':>9} {'least':>9} {'most':>9}")
    for name, found in rates.items():
        print(f"{name:24} {statistics.median(starts[name]):9.1f} {statistics.median(found):9.0f} "
              f"{min(found):9.0f} {max(found):9.0f}")


def _seconds(command):
    started = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - started


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--peer", help="a model that sentence-transformers opens")
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
