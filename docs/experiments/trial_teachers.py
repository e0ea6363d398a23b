"""Make the teachers of trial.py: one of plain text with a masked-LM head, and one for each task.

All come from one checkpoint without such a head: bge-small-en-v1.5, or all-MiniLM-L6-v2. The
teacher of plain text gets the head in two stages: the head alone, then all weights, held to the
sentence embeddings that the checkpoint had. A teacher that is there is not made again, and a run
that was stopped continues. Two processes can share the work, on a core each, from the repository's
root:

  python docs/experiments/trial_teachers.py --checkpoint bge-small-en-v1.5 --corpus sentences \\
    --glue glue --restaurant restaurant --questions questions --output teachers --only squad,cola
  python docs/experiments/trial_teachers.py ... --only general,sst2,mrpc,restaurant
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from trial_systems import blocks_of

STAGES = Path(__file__).parent
HEAD = "general_head"
# For the choice of the checkpoint alone: no student of the trial learns from it.
CHOICE = "squad_ten_thousand"


def commands(paths, precision):
    """Name -> the arguments of each command that makes the teacher, the last into its directory."""
    def tuned(task, data, *options):
        return [["finetune", "--task", task, *data, "--checkpoint", paths.checkpoint, *options,
                 "--precision", precision, "--seed", "1"]]

    def distilled(student, stages, *options):
        return ["distill", "--teacher", paths.checkpoint, "--student", student, "--corpus",
                paths.corpus, "--stages", _stages(paths, stages), *options, "--precision",
                precision, "--seed", "1"]

    def glue(folder):
        return ["--data", paths.glue / folder]

    def questions(name):
        return tuned("squad", ["--train", paths.questions / f"{name}.json", "--dev",
                               paths.questions / "five_hundred.json"],
                     "--learning-rate", "1e-4", "--epochs", "1", "--length", "192")

    first_token = ["--pooler", "first_token", "--length"]
    means = ["--teacher-pooler", "mean", "--student-pooler", "mean"]
    return {
        "general": [
            [*distilled(paths.checkpoint, "trial_teacher_head.json"),
             "--output", paths.output / HEAD],
            distilled(paths.output / HEAD / "model", "trial_teacher_words.json", *means)],
        "squad": questions("five_thousand"),
        CHOICE: questions("ten_thousand"),
        "sst2": tuned("sst2", ["--train", paths.output / "sst2_train.tsv", "--dev",
                               paths.glue / "SST-2" / "dev.tsv"],
                      *first_token, "64", "--learning-rate", "1e-4", "--epochs", "1"),
        # At 1e-4 it learned nothing.
        "cola": tuned("cola", glue("CoLA"), *first_token, "64", "--learning-rate", "5e-5",
                      "--epochs", "2"),
        "mrpc": tuned("mrpc", glue("MRPC"), *first_token, "128", "--learning-rate", "1e-4",
                      "--epochs", "2"),
        "restaurant": tuned("tagging", ["--train", paths.restaurant / "train.bio", "--dev",
                                        paths.restaurant / "valid.bio"],
                            "--learning-rate", "2e-4", "--length", "64", "--epochs", "2"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("checkpoint", "corpus", "glue", "restaurant", "questions", "output"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--only",
                        help=f"names, separated by commas; by default all but {CHOICE}")
    parser.add_argument("--precision", default="mixed_bfloat16",
                        help="float32 is faster on processors without bfloat16")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    short = arguments.output / "sst2_train.tsv"
    if not short.exists():
        _first_lines(arguments.glue / "SST-2" / "train.tsv", short)
    made = commands(arguments, arguments.precision)
    names = arguments.only.split(",") if arguments.only else [n for n in made if n != CHOICE]
    for name in names:
        *before, last = made[name]
        for command in before:
            _run(command)
        _run([*last, "--output", arguments.output / name])


def _stages(paths, name):
    """Write stages for the checkpoint's blocks, of which it may have fewer; return the file."""
    blocks = {f"block_{block}" for block in range(blocks_of(paths.checkpoint))}
    stages = json.loads((STAGES / name).read_text("utf-8"))
    for stage in stages:
        stage["rates"] = {part: rate for part, rate in stage["rates"].items()
                          if part in blocks or not part.startswith("block_")}
    path = paths.output / name
    path.write_text(json.dumps(stages), "utf-8")
    return path


def _first_lines(source, path, count=10_001):
    """Write the first lines of SST-2's training set, which are those that trial.py reads."""
    with open(source, encoding="utf-8") as lines:
        path.write_text("".join(line for _, line in zip(range(count), lines, strict=False)),
                        "utf-8")


def _run(arguments):
    print(*arguments, flush=True)
    subprocess.run(
        [sys.executable, "-c", "from mobilebert_tf.cli.main import main; main()",
         *map(str, arguments)], check=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_NUM_INTRAOP_THREADS": "1",
             "TF_NUM_INTEROP_THREADS": "1"})


if __name__ == "__main__":
    main()
