"""Fine-tunes a student, its teacher and the same student from random weights on the tasks.

Every run is a `mobilebert finetune` of its own, which continues where it was stopped and is not
run again when it is finished; student's best models are exported and scored by `mobilebert
package`. From the repository's root:

  python docs/experiments/results.py --data data --student models/mobilebert_mini \\
    --teacher all-MiniLM-L6-v2 --preset mobilebert_mini --runs runs/results --only sst2

writes docs/results.json and docs/results.md of all runs that are finished. --only none writes them
without running anything.
"""

import argparse
import dataclasses
import datetime
import json
import statistics
import subprocess
from importlib import metadata
from pathlib import Path

from mobilebert_tf.evaluation import metrics
from mobilebert_tf.export.benchmark import compare
from mobilebert_tf.tasks import catalogue

# A new head on small data, or an encoder that never saw text, wants other rates than a BERT.
RATES = {"student": 5e-4, "teacher": 5e-5, "random": 5e-4}
STARTS = tuple(RATES)
RECIPES = "float32,dynamic_int8,int8"


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A task's files, the training that all starts have, and the part that gets seeds.

    `files`: options of the commands that name them, {data} for the directory of all data.
    `rates`: start -> learning rate where it is another than `RATES`.
    """

    task: str
    files: tuple[str, ...]
    epochs: int
    batch_size: int = 32
    length: int = 128
    seeds: tuple[int, ...] = (1, 2, 3)
    rates: dict = dataclasses.field(default_factory=dict)


GLUE = "{data}/glue"
SQUAD = "{data}/squad"
RESTAURANT = "{data}/tagging/restaurant"
EXPERIMENTS = {
    "sst2": Experiment("sst2", ("--data", f"{GLUE}/SST-2"), 2, length=64, seeds=(1,)),
    "cola": Experiment("cola", ("--data", f"{GLUE}/CoLA"), 6, length=64),
    "mrpc": Experiment("mrpc", ("--data", f"{GLUE}/MRPC"), 5),
    "rte": Experiment("rte", ("--data", f"{GLUE}/RTE"), 5),
    "stsb": Experiment("stsb", ("--data", f"{GLUE}/STS-B"), 5),
    "squad": Experiment(
        "squad", ("--train", f"{SQUAD}/adversarial_qa_train_squadformat.json",
                  "--train", f"{SQUAD}/squad_train_subset.json",
                  "--dev", f"{SQUAD}/adversarial_qa_valid_squadformat.json"),
        1, batch_size=16, length=384, seeds=(1,)),
    "restaurant": Experiment(
        "tagging", ("--train", f"{RESTAURANT}/train.bio", "--dev", f"{RESTAURANT}/valid.bio"), 8),
}


def directory(arguments, name, start, seed):
    return arguments.runs / f"{name}-{start}-{seed}"


def fine_tune(arguments, name, start, seed):
    experiment = EXPERIMENTS[name]
    source = {"student": ("--checkpoint", arguments.student),
              "teacher": ("--checkpoint", arguments.teacher),
              "random": ("--preset", arguments.preset, "--vocab",
                         f"{arguments.student}/vocab.txt")}[start]
    rate = experiment.rates.get(start, RATES[start])
    subprocess.run(
        ["mobilebert", "finetune", "--task", experiment.task, *files(arguments, experiment),
         *map(str, source), "--pooler", "mean", "--learning-rate", str(rate),
         "--batch-size", str(experiment.batch_size), "--epochs", str(experiment.epochs),
         "--length", str(experiment.length), "--seed", str(seed),
         "--output", str(directory(arguments, name, start, seed))], check=True)


def files(arguments, experiment):
    return [part.format(data=arguments.data) for part in experiment.files]


def package(arguments, name):
    """Exports the student that is best of its seeds with all recipes, and scores the files."""
    best = max(read(arguments, name, "student"), key=lambda run: score(run))
    experiment = EXPERIMENTS[name]
    output = arguments.runs / f"{name}-package"
    if not (output / "model.json").exists():
        subprocess.run(
            ["mobilebert", "package", best["directory"], *files(arguments, experiment),
             "--recipes", RECIPES, "--lengths", str(experiment.length), "--output", str(output)],
            check=True)


def read(arguments, name, start):
    """The finished runs, one a seed."""
    found = []
    for seed in EXPERIMENTS[name].seeds:
        path = directory(arguments, name, start, seed)
        if (path / "run.json").exists():
            found.append({**json.loads((path / "run.json").read_text()), "directory": str(path)})
    return found


def majority(arguments, experiment):
    """The score of the dev set's most frequent class for all rows; None for tasks without labels.

    Tags are none of these: most frequent there is "no entity", which finds nothing.
    """
    task = catalogue.of(experiment.task)
    if task.kind != "classification":
        return None
    rows = task.read(Path(experiment.files[1].format(data=arguments.data)) / task.dev_file)
    label = statistics.mode(rows.labels)
    return metrics.of(task.name).scores([label] * len(rows), rows.labels)[task.metric]


def score(run):
    return run["result"]["scores"][run["result"]["metric"]]


def collect(arguments):
    rows = []
    for name in EXPERIMENTS:
        row = {"task": name}
        for start in STARTS:
            runs = read(arguments, name, start)
            if runs:
                scores = [score(run) for run in runs]
                row |= {"metric": runs[0]["result"]["metric"], start: {
                    "scores": scores, "mean": statistics.fmean(scores),
                    "deviation": statistics.stdev(scores) if len(scores) > 1 else None,
                    "epochs": [run["result"]["best_epoch"] for run in runs],
                    "seconds": statistics.fmean(run["seconds"] for run in runs),
                    "peak_memory": max(run["peak_memory"] for run in runs),
                    "settings": runs[0]["settings"]}}
        facts = arguments.runs / f"{name}-package" / "model.json"
        if facts.exists():
            row["files"] = {file["recipe"]: {
                "bytes": file["bytes"], "model": file["gate"]["model_score"],
                "file": file["gate"]["file_score"]}
                for file in json.loads(facts.read_text())["files"]}
        if len(row) > 1:
            rows.append({**row, "majority": majority(arguments, EXPERIMENTS[name])})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--data", "--student", "--teacher", "--preset"):
        parser.add_argument(option, required=True)
    parser.add_argument("--runs", required=True, type=Path)
    parser.add_argument("--only", default=",".join(EXPERIMENTS), help="tasks, comma-separated")
    parser.add_argument("--starts", default=",".join(STARTS), help="starts, comma-separated")
    parser.add_argument("--seeds", type=int, default=3, help="how many of a task's, at most")
    parser.add_argument("--output", type=Path, default=Path("docs/results"))
    arguments = parser.parse_args()
    for name in () if arguments.only == "none" else arguments.only.split(","):
        for start in arguments.starts.split(","):
            for seed in EXPERIMENTS[name].seeds[: arguments.seeds]:
                fine_tune(arguments, name, start, seed)
        if "student" in arguments.starts.split(","):
            package(arguments, name)
    rows = collect(arguments)
    facts = {"machine": machine(), "date": datetime.date.today().isoformat(), "tasks": rows}
    arguments.output.with_suffix(".json").write_text(json.dumps(facts, indent=2) + "\n")
    arguments.output.with_suffix(".md").write_text(INTRODUCTION.format(**facts) + table(rows))


INTRODUCTION = """# Results

`mobilebert_mini` fine-tuned, beside its teacher all-MiniLM-L6-v2 and the same student from random
weights, by the same command with the same epochs and batches: the score on the dev set after the
epoch that is best on it, mean and deviation where there are several seeds. Then the student
that is best of its seeds: its score in Keras, and that of the files that `mobilebert package` makes
of it. Majority is what the class most frequent in the dev set gets, where a task has classes.

{machine}; {date}.
Trainings ran two at a time, each pinned to a core, beside other work: seconds are
what they were and no benchmark. Made by `docs/experiments/results.py`, whose docstring has the
command. A cell is empty where nothing was run yet.

"""


def machine():
    versions = " ".join(f"{name} {metadata.version(name)}" for name in ("tensorflow", "tf-keras"))
    return f"{compare.machine()}; {versions}"


def table(rows):
    """Markdown: scores of every start, and of the student's files."""
    lines = ["| task | metric | student | teacher | random weights | majority |",
             "|---|---|---:|---:|---:|---:|"]
    for row in rows:
        lines.append(f"| {row['task']} | {row['metric']} | "
                     + " | ".join(_cell(row.get(start)) for start in STARTS)
                     + (" | |" if row["majority"] is None else f" | {row['majority']:.4f} |"))
    lines += ["", "| task | recipe | MB | Keras | file |", "|---|---|---:|---:|---:|"]
    for row in rows:
        for recipe, file in row.get("files", {}).items():
            lines.append(f"| {row['task']} | {recipe} | {file['bytes'] / 1e6:.2f} | "
                         f"{file['model']:.4f} | {file['file']:.4f} |")
    lines += ["", "| task | start | epochs | batch | rate | seconds | peak MB |",
              "|---|---|---:|---:|---:|---:|---:|"]
    for row in rows:
        for start in STARTS:
            if start in row:
                run = row[start]
                settings = run["settings"]
                lines.append(f"| {row['task']} | {start} | {settings['epochs']} | "
                             f"{settings['batch_size']} | {settings['learning_rate']:g} | "
                             f"{run['seconds']:.0f} | {run['peak_memory']:,} |")
    return "\n".join(lines) + "\n"


def _cell(start):
    if start is None:
        return ""
    spread = "" if start["deviation"] is None else f" ± {start['deviation']:.4f}"
    return f"{start['mean']:.4f}{spread}"


if __name__ == "__main__":
    main()
