"""Few labels: contrastive pairs and a regression, beside plain fine-tuning of the same rows.

Every run is a process of its own and adds a line to the results; what has a line already is not run
again. The score is the accuracy after the last epoch: no labels are left to choose an epoch by.
SST-2 is scored on its dev set. Of banking77, which has a training file alone, every row whose
text's SHA-256 begins with 0 or 1 (an eighth, whatever the order of the file) is for scoring and
never drawn. From the repository's root:

  python docs/experiments/few_labels.py --checkpoint models/mobilebert_mini --sst2 glue/SST-2 \\
    --banking77 banking77/train.jsonl.gz --output docs/experiments/few_labels.jsonl
"""

import argparse
import gzip
import hashlib
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# SetFit's, but for the rate: a model of 7 million parameters takes larger ones. For both ways.
RATE = 1.5e-4
PLAIN_EPOCHS, BATCH_SIZE, LENGTH = 20, 16, 64
# Of pairs, by default. SetFit's 20 read each row 80 times; with 77 classes that takes hours on one
# core, and 5 read it as often as plain fine-tuning does.
ITERATIONS = {"sst2": 20, "banking77": 5}
WAYS = ("few-shot", "plain")


def read(arguments, task):
    """The rows for training and those for scoring, (text, label) each."""
    if task == "sst2":
        return tuple(_table(Path(arguments.sst2) / f"{split}.tsv") for split in ("train", "dev"))
    with gzip.open(arguments.banking77, "rt", encoding="utf-8") as lines:
        rows = [(row["text"], row["label"]) for row in map(json.loads, lines)]
    held = [hashlib.sha256(text.encode()).hexdigest()[0] in "01" for text, _ in rows]
    return ([row for row, out in zip(rows, held, strict=True) if not out],
            [row for row, out in zip(rows, held, strict=True) if out])


def _table(path):
    return [tuple(line.split("\t")) for line in path.read_text("utf-8").split("\n")[1:] if line]


def write(path, rows):
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n"
                            for text, label in rows), "utf-8")
    return path


def iterations(arguments, way, task):
    """Of pairs; plain fine-tuning has none."""
    return (arguments.iterations or ITERATIONS[task]) if way == "few-shot" else None


def run(arguments, way, task, rows, seed):
    """Fine-tune; return the line of the results."""
    import mobilebert_tf as mb
    from mobilebert_tf import freed_memory
    from mobilebert_tf.finetuning import pairs

    freed_memory.keep()  # as the command does

    train, dev = read(arguments, task)
    names = sorted({label for _, label in train})
    drawn = pairs.draw([names.index(label) for _, label in train], names, rows, seed)
    with tempfile.TemporaryDirectory(prefix="few-labels-") as place:
        place = Path(place)
        # Both ways read the same rows: a class has no more than are drawn.
        files = {"train": [write(place / "train.jsonl", [train[row] for row in drawn])],
                 "dev": write(place / "dev.jsonl", dev)}
        shared = {"learning_rate": RATE, "batch_size": BATCH_SIZE, "length": LENGTH, "seed": seed,
                  "precision": arguments.precision}
        of_pairs = iterations(arguments, way, task)
        settings = (mb.FewShotSettings(rows=rows, iterations=of_pairs, **shared) if of_pairs
                    else mb.FineTuningSettings(epochs=PLAIN_EPOCHS, **shared))
        tuned = mb.fine_tune("classification", place / "run", text="text", label="label",
                             checkpoint=arguments.checkpoint, pooler="mean", settings=settings,
                             **files)
        seconds = json.loads((place / "run" / "run.json").read_text())["seconds"]
    return {"way": way, "task": task, "rows": rows, "seed": seed, "iterations": of_pairs,
            "examples": len(dev), "accuracy": tuned.result.history["val_accuracy"][-1],
            "seconds": seconds}


def done(path):
    return ([json.loads(line) for line in path.read_text("utf-8").splitlines()]
            if path.exists() else [])


def key(line):
    return line["task"], line["rows"], line["way"], line["iterations"], line["seed"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("checkpoint", "sst2", "banking77"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--output", required=True, type=Path)
    parser.add_argument("--tasks", default="sst2,banking77")
    parser.add_argument("--rows", default="8,16,64")
    parser.add_argument("--seeds", default="1,2,3,4,5")
    parser.add_argument("--iterations", type=int, help="of pairs, instead of the task's")
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        way, task, rows, seed = arguments.one
        line = run(arguments, way, task, int(rows), int(seed))
        with open(arguments.output, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return
    for seed, task, rows, way in itertools.product(
            map(int, arguments.seeds.split(",")), arguments.tasks.split(","),
            map(int, arguments.rows.split(",")), WAYS):
        wanted = task, rows, way, iterations(arguments, way, task), seed
        if wanted not in set(map(key, done(arguments.output))):
            print(f"{way}, {task}, {rows} rows a class, seed {seed}", flush=True)
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--one", way, task, str(rows),
                            str(seed)], check=True, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
    print(table(done(arguments.output)))


def table(lines):
    """Mean and standard deviation over seeds, in Markdown."""
    shown = ["| task | rows a class | way | iterations | accuracy | seeds | seconds |",
             "|---" * 7 + "|"]
    for group in sorted({key(line)[:-1] for line in lines}):
        found = [line for line in lines if key(line)[:-1] == group]
        scores = [line["accuracy"] for line in found]
        spread = f" ± {statistics.stdev(scores):.4f}" if len(scores) > 1 else ""
        seconds = statistics.fmean(line["seconds"] for line in found)
        shown.append("| {} | {} | {} | {} | ".format(*group) +
                     f"{statistics.fmean(scores):.4f}{spread} | {len(scores)} | {seconds:.0f} |")
    return "\n".join(shown)


if __name__ == "__main__":
    main()
