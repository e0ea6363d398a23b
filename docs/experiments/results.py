"""Fine-tune a student, its teacher and the same student from random weights on the tasks.

Every run is one `mobilebert finetune`, which continues if it was stopped. The student's best
models are exported and scored as by `mobilebert export`. From the repository's root:

  python docs/experiments/results.py --data data --student models/mobilebert_mini \\
    --teacher all-MiniLM-L6-v2 --preset mobilebert_mini --runs runs/results --only sst2

A finished run adds a line to docs/experiments/results/runs.jsonl. It is not run again while the
weights that it starts from are the same. An exported file adds a line to files.jsonl.
docs/results.md is written from these lines; --only none writes it without running anything.
"""

import argparse
import dataclasses
import datetime
import functools
import hashlib
import json
import statistics
import subprocess
from importlib import metadata
from pathlib import Path

import tf_keras as keras

from mobilebert_tf import kinds, model_directory, presets
from mobilebert_tf import machine as this_machine
from mobilebert_tf.evaluation import metrics
from mobilebert_tf.export import RECIPES
from mobilebert_tf.export.file import calibration
from mobilebert_tf.export.gate import Gate
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.sentence_encoder import SentenceEncoder
from mobilebert_tf.running import run as running
from mobilebert_tf.running.keras_runner import KerasRunner
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.text.vocabulary import Vocabulary

# A new head on small data and an encoder with random weights need larger rates than a BERT.
RATES = {"student": 5e-4, "teacher": 5e-5, "random": 5e-4}
STARTS = tuple(RATES)
LINES = Path(__file__).parent / "results"


@dataclasses.dataclass(frozen=True)
class Experiment:
    """The files of a task and how all starts are trained on it.

    With no epochs nothing is trained: the encoder's sentence embeddings are scored as they are.

    `files`: options that name the files; {data} stands for the directory of all data.
    `rates`: start -> learning rate, if it differs from `RATES`.
    `ema_momentum`: momentum of the averages that are scored; 0 for none.
    `pooler`: what the classifier reads.
    """

    task: str
    files: tuple[str, ...]
    epochs: int
    batch_size: int = 32
    length: int = 128
    seeds: tuple[int, ...] = (1, 2, 3)
    rates: dict = dataclasses.field(default_factory=dict)
    ema_momentum: float = 0.0
    pooler: str = "mean"


GLUE = "{data}/glue"
SQUAD = "{data}/squad"
TAGGING = "{data}/tagging"
PAIRS = {"rates": {"student": 3e-4}, "ema_momentum": 0.99, "pooler": "segment_match"}
EXPERIMENTS = {
    "sst2": Experiment("sst2", ("--data", f"{GLUE}/SST-2"), 3, length=64, seeds=(1,),
                       rates={"student": 1.5e-4}, ema_momentum=0.999),
    "cola": Experiment("cola", ("--data", f"{GLUE}/CoLA"), 6, length=64),
    "mrpc": Experiment("mrpc", ("--data", f"{GLUE}/MRPC"), 5, **PAIRS),
    "rte": Experiment("rte", ("--data", f"{GLUE}/RTE"), 5, **PAIRS),
    "wnli": Experiment("wnli", ("--data", f"{GLUE}/WNLI"), 5, **PAIRS),
    "stsb": Experiment("stsb", ("--data", f"{GLUE}/STS-B"), 5, **PAIRS),
    "similarity": Experiment("similarity", ("--data", f"{GLUE}/STS-B"), 0, seeds=(1,)),
    "squad": Experiment(
        "squad", ("--train", f"{SQUAD}/adversarial_qa_train_squadformat.json",
                  "--train", f"{SQUAD}/squad_train_subset.json",
                  "--dev", f"{SQUAD}/adversarial_qa_valid_squadformat.json"),
        1, batch_size=16, length=384, seeds=(1,), ema_momentum=0.999),
    "restaurant": Experiment(
        "tagging", ("--train", f"{TAGGING}/restaurant/train.bio",
                    "--dev", f"{TAGGING}/restaurant/valid.bio"), 8),
    "wnut17": Experiment(
        "tagging", ("--train", f"{TAGGING}/wnut17/wnut17train.conll",
                    "--dev", f"{TAGGING}/wnut17/emerging.dev.conll"), 8),
}


def fine_tune(arguments, name, start, seed):
    """Fine-tune; return the content of the run's run.json."""
    experiment = EXPERIMENTS[name]
    output = directory(arguments, name, start, seed)
    source = (("--checkpoint", checkpoint(arguments, start)) if checkpoint(arguments, start) else
              ("--preset", arguments.preset, "--vocab", f"{arguments.student}/vocab.txt"))
    rate = experiment.rates.get(start, RATES[start])
    subprocess.run(
        ["mobilebert", "finetune", "--task", experiment.task, *files(arguments, experiment),
         *map(str, source), "--pooler", experiment.pooler, "--learning-rate", str(rate),
         "--batch-size", str(experiment.batch_size), "--epochs", str(experiment.epochs),
         "--length", str(experiment.length), "--ema-momentum", str(experiment.ema_momentum),
         "--seed", str(seed), "--output", str(output)],
        check=True)
    return json.loads((output / "run.json").read_text("utf-8"))


def run(arguments, name, start, seed):
    """Fine-tune, or score an untrained encoder; add the line of the run."""
    if EXPERIMENTS[name].epochs:
        found = fine_tune(arguments, name, start, seed)
        result = found["result"]
        line = {"metric": result["metric"], "score": result["scores"][result["metric"]],
                "best_epoch": result["best_epoch"],
                "seconds": round(found["seconds"]), "peak_memory": found["peak_memory"],
                "pooler": EXPERIMENTS[name].pooler, "settings": found["settings"]}
    else:
        line = score_embeddings(arguments, name, start, seed)
    add("runs", {"task": name, "start": start, "seed": seed, "weights": weights(arguments, start),
                 **line, "machine": machine(), "date": today()})


def score_embeddings(arguments, name, start, seed):
    experiment = EXPERIMENTS[name]
    data = of_task(arguments, experiment, None)
    runner = KerasRunner(sentence_encoder(arguments, start, seed), experiment.length, start)
    examples = data.task.read(data.dev_file)
    kind, metric = data.task.kind, data.task.metrics.main
    found = running.run(kind, runner, examples, kind.rows(
        examples, runner.tokenizer, experiment.length))
    return {"metric": metric, "score": data.task.score(found.answers, examples)[metric]}


def sentence_encoder(arguments, start, seed):
    """Return the model directory of an untrained start that outputs sentence embeddings."""
    if checkpoint(arguments, start) is not None:
        contents = model_directory.load(checkpoint(arguments, start))
    else:
        keras.utils.set_random_seed(seed)
        vocabulary = Vocabulary.load(Path(arguments.student) / "vocab.txt")
        config = dataclasses.replace(presets.get(arguments.preset), vocab_size=len(vocabulary))
        encoder = Encoder(config)
        contents = ModelDirectory(encoder, vocabulary, kinds.of(encoder))
    model = SentenceEncoder(contents.model.encoder)
    return dataclasses.replace(contents, model=model, kind=kinds.of(model))


def export(arguments, name):
    """Export the student with the best seed; add a line for each recipe's file."""
    experiment = EXPERIMENTS[name]
    runs = of(lines("runs"), arguments, name, "student")
    done = {line["recipe"] for line in of(lines("files"), arguments, name, "student")}
    missing = [recipe for recipe in RECIPES if recipe not in done]
    if len(runs) < len(experiment.seeds) or not missing:
        return
    best = max(runs, key=lambda line: line["score"])
    source = directory(arguments, name, "student", best["seed"])
    if not experiment.epochs:
        contents = sentence_encoder(arguments, "student", best["seed"])
    else:
        if not (source / "run.json").exists():
            fine_tune(arguments, name, "student", best["seed"])
        contents = model_directory.load(source)
    data = of_task(arguments, experiment, contents.labels)
    gate = Gate(contents, data, source)  # runs the model once for all files
    for recipe in missing:
        result = calibration.calibrated(contents, recipe, (experiment.length,), data)
        # A file that loses more than it may is a result too.
        report = gate.evaluate(result.model)
        print(report, flush=True)
        add("files", {"task": name, "start": "student", "weights": best["weights"],
                      "seed": best["seed"], "recipe": recipe, "bytes": len(result.model),
                      "model_score": report.model_score, "score": report.file_score,
                      "drop": report.drop, "bound": report.bound,
                      "machine": machine(), "date": today()})


def of_task(arguments, experiment, labels):
    """Return the task with the model's labels and its files, as the library takes them."""
    options = files(arguments, experiment)
    given = {option: [Path(value) for name, value in zip(options[::2], options[1::2], strict=True)
                      if name == option] for option in ("--data", "--train", "--dev")}
    (directory,), (dev,) = given["--data"] or [None], given["--dev"] or [None]
    return catalogue.data(catalogue.of(experiment.task, labels=labels), directory,
                          given["--train"], dev)


def files(arguments, experiment):
    return [part.format(data=arguments.data) for part in experiment.files]


def directory(arguments, name, start, seed):
    """Return the run's directory; its name has the weights too, to tell students apart."""
    return arguments.runs / f"{name}-{start}-{weights(arguments, start) or 'none'}-{seed}"


def checkpoint(arguments, start):
    return {"student": arguments.student, "teacher": arguments.teacher, "random": None}[start]


def weights(arguments, start):
    """Return a digest of the weights of a start; None for random weights."""
    source = checkpoint(arguments, start)
    return source and _digest(Path(source) / "model.safetensors")


@functools.cache
def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def lines(kind):
    path = LINES / f"{kind}.jsonl"
    return ([json.loads(line) for line in path.read_text("utf-8").splitlines()]
            if path.exists() else [])


def add(kind, line):
    LINES.mkdir(exist_ok=True)
    with open(LINES / f"{kind}.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def of(found, arguments, name, start):
    """Return the lines of a task and a start with the given weights."""
    return [line for line in found if (line["task"], line["start"], line["weights"])
            == (name, start, weights(arguments, start))]


def majority(arguments, experiment):
    """Return the score of the most frequent class for all rows; None for tasks without classes.

    Tagging has None too: its most frequent tag is "no entity", which finds nothing.
    """
    task = catalogue.of(experiment.task)
    if task.kind.name != "classification":
        return None
    rows = task.read(Path(experiment.files[1].format(data=arguments.data)) / task.dev_file)
    label = statistics.mode(rows.labels)
    return metrics.of(task.name).scores([label] * len(rows), rows.labels)[task.metrics.main]


def collect(arguments):
    """Return (task, {start: lines of its runs}, lines of its files, majority's score) per task."""
    found = []
    for name, experiment in EXPERIMENTS.items():
        starts = {start: of(lines("runs"), arguments, name, start) for start in STARTS}
        if any(starts.values()):
            found.append((name, starts, of(lines("files"), arguments, name, "student"),
                          majority(arguments, experiment)))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--data", "--student", "--teacher", "--preset"):
        parser.add_argument(option, required=True)
    parser.add_argument("--runs", required=True, type=Path)
    parser.add_argument("--only", default=",".join(EXPERIMENTS), help="tasks, comma-separated")
    parser.add_argument("--starts", default=",".join(STARTS), help="starts, comma-separated")
    parser.add_argument("--seeds", type=int, default=3, help="how many of a task's, at most")
    parser.add_argument("--output", type=Path, default=Path("docs/results.md"))
    arguments = parser.parse_args()
    for name in () if arguments.only == "none" else arguments.only.split(","):
        for start in arguments.starts.split(","):
            done = {line["seed"] for line in of(lines("runs"), arguments, name, start)}
            for seed in EXPERIMENTS[name].seeds[: arguments.seeds]:
                if seed not in done:
                    run(arguments, name, start, seed)
        export(arguments, name)
    arguments.output.write_text(INTRODUCTION + tables(collect(arguments)), "utf-8")


INTRODUCTION = """# Results

Scores of the former `mobilebert_mini` after fine-tuning, beside those of its teacher
all-MiniLM-L6-v2 and of the same student from random weights. All three were trained by the same
command with the same epochs and batch sizes, each at its own learning rate. The present
`mobilebert_mini` has the same shape and another teacher; its scores are on
[Experiments](experiments.md).

`docs/experiments/results.py` wrote this page; its docstring has the command, in which
`models/mobilebert_mini` is that of commit e93cbff. Machine, versions and date of every run are in
`docs/experiments/results/runs.jsonl`. An empty cell, or a file
without a row, means that nothing was run yet.
"""
SCORES = """
## Scores

The score on the dev set after the epoch that is best on it; mean and standard deviation if there
are several seeds. "Majority" is the score of the dev set's most frequent class, if a task has
classes. The row "similarity" scores the sentence embeddings of the encoders without training.
"""
EXPORTED = """
## Exported files

The student with the best seed: its score in Keras, and the scores of the files that `mobilebert
export` makes of it, with the points of 100 that they lose and may lose. A file that loses more
is refused.
"""
COSTS = """
## What the trainings took

Two trainings ran at a time, each pinned to a core, beside other work. Seconds are what they were
and no benchmark.
"""


def machine():
    versions = " ".join(f"{name} {metadata.version(name)}" for name in ("tensorflow", "tf-keras"))
    return f"{this_machine.describe()}; {versions}"


def today():
    return datetime.date.today().isoformat()


def tables(rows):
    """Return Markdown: scores of every start, those of the student's files, costs of the runs."""
    scores = [SCORES, "| task | metric | student | teacher | random weights | majority |",
              "|---|---|---:|---:|---:|---:|"]
    exported = [EXPORTED, "| task | recipe | MB | Keras | file | loses | may lose | |",
                "|---|---|---:|---:|---:|---:|---:|---|"]
    costs = [COSTS, "| task | start | pooler | seeds | epochs | batch | rate | averages "
             "| seconds | peak MB |",
             "|---|---|---|---:|---:|---:|---:|---:|---:|---:|"]
    for name, starts, files, most_frequent in rows:
        metric = next(line["metric"] for runs in starts.values() for line in runs)
        last = "" if most_frequent is None else f"{most_frequent:.4f}"
        scores.append(f"| {name} | {metric} | " + " | ".join(map(_cell, starts.values()))
                      + f" | {last} |")
        exported += [f"| {name} | {file['recipe']} | {file['bytes'] / 1e6:.2f} | "
                     f"{file['model_score']:.4f} | {file['score']:.4f} | "
                     f"{round(file['drop'], 2) + 0:.2f} | {file['bound']:g} | "
                     f"{'refused' if file['drop'] > file['bound'] else ''} |"
                     for file in files]
        for start, runs in starts.items():
            if runs and EXPERIMENTS[name].epochs:
                settings = runs[0]["settings"]
                costs.append(
                    f"| {name} | {start} | {runs[0]['pooler']} | {len(runs)} "
                    f"| {settings['epochs']} | "
                    f"{settings['batch_size']} | {settings['learning_rate']:g} | "
                    f"{settings['ema_momentum'] or ''} | "
                    f"{statistics.fmean(line['seconds'] for line in runs):.0f} | "
                    f"{max(line['peak_memory'] for line in runs):,} |")
    return "".join("\n".join(part) + "\n" for part in (scores, exported, costs))


def _cell(runs):
    found = [line["score"] for line in runs]
    if not found:
        return ""
    spread = f" ± {statistics.stdev(found):.4f}" if len(found) > 1 else ""
    return f"{statistics.fmean(found):.4f}{spread}"


if __name__ == "__main__":
    main()
