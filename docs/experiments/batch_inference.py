"""Measure `mobilebert embed` over files: its speed, its memory, and a restart after a kill.

  python docs/experiments/batch_inference.py --model models/mobilebert_mini_embedding/mobilebert_mini_embedding_int8.tflite --texts lines.txt --rows 8000 80000

The lines of a text file are repeated up to each number of rows; a number goes before each, so that
no two are the same. For each number of rows one line: seconds, rows per second, and the greatest
memory of the command, which runs in one process. At the end the last job is done once more, is
killed with SIGKILL when half of its parts are done, and is started again. Print how many parts each
start did, and whether the shards are the same bytes.
"""  # noqa: E501

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main():
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="batch_") as directory:
        place = Path(directory)
        print(f"{'rows':>9} {'parts':>6} {'seconds':>8} {'rows/s':>7} {'peak RSS, MB':>13}")
        for rows in arguments.rows:
            texts = place / "texts.txt"
            write_rows(arguments.texts, rows, texts)
            _measure(arguments, texts, place / str(rows), rows)
        _kill_and_restart(arguments, texts, place / "killed", place / str(rows))


def _measure(arguments, texts, output, rows):
    started = time.monotonic()
    process = _start(arguments, texts, output)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    if status:
        sys.exit(f"the command failed: {status}")
    result = json.loads((output / "result.json").read_text())
    if result["counters"]["rows"] != rows:
        sys.exit(f"there are {result['counters']['rows']} rows")
    print(f"{rows:9,} {result['parts']:6} {seconds:8.1f} {rows / seconds:7.0f} "
          f"{usage.ru_maxrss * 1024 / 1e6:13.0f}", flush=True)


def _kill_and_restart(arguments, texts, output, whole):
    parts = json.loads((whole / "result.json").read_text())["parts"]
    process = _start(arguments, texts, output)
    while len(done := _reports(output)) < parts / 2:
        if process.poll() is not None:
            sys.exit("the command ended before it was killed")
        time.sleep(0.05)
    process.kill()
    process.wait()
    done = _reports(output)
    if _start(arguments, texts, output).wait():
        sys.exit("the command failed")
    again = {path for path, time_done in _reports(output).items() if done.get(path) != time_done}
    same = all((whole / path.name).read_bytes() == path.read_bytes()
               for path in output.glob("part-*"))
    print(f"killed after {len(done)} of {parts} parts; the second start did {len(again)}, "
          f"{len(again & done.keys())} of them again; the same bytes: {same}")


def _reports(output):
    return {path: path.stat().st_mtime_ns for path in output.glob("parts/*.json")}


def _start(arguments, texts, output):
    return subprocess.Popen(
        [sys.executable, "-c", "from mobilebert_tf.cli.main import main; main()", "embed",
         arguments.model, "--texts", texts, "--output", output, "--workers", "1",
         "--shard-rows", str(arguments.shard_rows)], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)


def write_rows(source, rows, path):
    lines = itertools.cycle(source.read_text(encoding="utf-8").splitlines())
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{number} {line}\n" for number, line in zip(range(rows), lines,
                                                                     strict=False))


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--rows", type=int, nargs="+", default=[8000, 80_000])
    parser.add_argument("--shard-rows", type=int, default=1024)
    return parser.parse_args()


if __name__ == "__main__":
    main()
