"""Measure what a setting of the training process is worth, in tokens per second.

The same distillation runs with and without it, in turn, each time in a process of its own. The
first updates, in which graphs are built, are left out. From the repository's root:

  python docs/experiments/process_settings.py --setting freed_memory \\
    --teacher bge-small-en-v1.5 --student models/mobilebert_mini --corpus sentences --rounds 3

`freed_memory`: that training keeps freed memory (`freed_memory.keep`). `onednn`: oneDNN's kernels,
which TensorFlow does not use by default on every processor.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

STEPS, LEFT_OUT, BATCH_SIZE = 30, 10, 64
_RUN = """
import os
from mobilebert_tf import freed_memory
from mobilebert_tf.cli import main
if "GIVE_BACK" in os.environ:
    freed_memory.keep = lambda: None
main.main()
"""
# Of each setting two ways, by name: what the environment says.
SETTINGS = {
    "freed_memory": {"kept": {}, "given back": {"GIVE_BACK": "1"}},
    "onednn": {"with": {"TF_ENABLE_ONEDNN_OPTS": "1"}, "without": {"TF_ENABLE_ONEDNN_OPTS": "0"}}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--setting", choices=SETTINGS, required=True)
    for name in ("teacher", "student", "corpus"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precision", default="float32")
    arguments = parser.parse_args()
    ways = SETTINGS[arguments.setting]
    rates = {name: [] for name in ways}
    for number in range(1, arguments.rounds + 1):
        for name, environment in ways.items():
            rate, memory = measured(arguments, environment)
            rates[name].append(rate)
            print(f"round {number}: {name}: {rate:.0f} tokens/s, {memory / 1e6:,.0f} MB at most",
                  flush=True)
    medians = {name: statistics.median(found) for name, found in rates.items()}
    first, second = medians.values()
    print(f"medians: {first:.0f} and {second:.0f} tokens/s, ratio {first / second:.2f}")


def measured(arguments, environment):
    """Return (tokens per second after the first updates, bytes of memory at most)."""
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        (place / "stages.json").write_text(json.dumps([{
            "name": "all_blocks", "steps": STEPS, "learning_rate": 1e-4, "batch_size": BATCH_SIZE,
            "losses": {"sentence_embedding": 1.0}, "rates": {"embedding": 1.0, "block_0": 1.0},
            "optimizer": "adamw", "masking_rate": 0.0}]))
        command = [sys.executable, "-c", _RUN, "distill", "--teacher", arguments.teacher,
                   "--teacher-pooler", "mean", "--student", arguments.student,
                   "--student-pooler", "mean", "--corpus", arguments.corpus,
                   "--stages", place / "stages.json", "--precision", arguments.precision,
                   "--log-every", str(LEFT_OUT), "--output", place / "run"]
        process = subprocess.Popen(command, env={**os.environ, **environment},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"the command failed: {status}")
        lines = [json.loads(line) for line in (place / "run" / "metrics.jsonl").open()]
        found = [line["tokens_per_second"] for line in lines
                 if line["split"] == "train" and line["step"] > LEFT_OUT]
        return statistics.fmean(found), usage.ru_maxrss * 1024


if __name__ == "__main__":
    main()
