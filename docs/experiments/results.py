"""Fine-tunes a student, its teacher and the same student from random weights on the tasks.

Every run is a `mobilebert finetune` of its own, which continues where it was stopped; the
student's best models are exported and scored as by `mobilebert export`. From the repository's root:

  python docs/experiments/results.py --data data --student models/mobilebert_mini \\
    --teacher all-MiniLM-L6-v2 --preset mobilebert_mini --runs runs/results --only sst2

A run that is finished adds a line to docs/experiments/results/runs.jsonl, and is not run again
while the weights that it starts from are the same; an exported file adds one to files.jsonl. Of
these lines docs/results.md is written; --only none writes it without running anything.
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
from mobilebert_tf.evaluation import metrics
from mobilebert_tf.export import RECIPES
from mobilebert_tf.export.benchmark import compare
from mobilebert_tf.export.file import calibration
from mobilebert_tf.export.gate import Gate
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.sentence_encoder import SentenceEncoder
from mobilebert_tf.running import run as running
from mobilebert_tf.running.keras_runner import KerasRunner
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.text.vocabulary import Vocabulary

# A new head on small data, or an encoder that never saw text, wants other rates than a BERT.
RATES = {"student": 5e-4, "teacher": 5e-5, "random": 5e-4}
STARTS = tuple(RATES)
LINES = Path(__file__).parent / "results"


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A task's files, the training that all starts have, and the part that gets seeds.

    No epochs is no training: the encoder's sentence embeddings are scored as they are.

    `files`: options of the commands that name them, {data} for the directory of all data.
    `rates`: start -> learning rate where it is another than `RATES`.
    `ema_momentum`: of the averages that are scored.
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
    """Returns what the run's run.json says."""
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
    """Fine-tunes, or scores what needs no training, and adds the line of the run."""
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
    """The model directory of a start as it is, with sentence embeddings for its outputs."""
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
    """Exports the student that is best of all its seeds, and adds a line for each recipe's file."""
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
    gate = Gate(contents, data, source)  # which runs the model once, for all files
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
    """The task of the model's labels with its files, as the library takes them."""
    options = files(arguments, experiment)
    given = {option: [Path(value) for name, value in zip(options[::2], options[1::2], strict=True)
                      if name == option] for option in ("--data", "--train", "--dev")}
    (directory,), (dev,) = given["--data"] or [None], given["--dev"] or [None]
    return catalogue.data(catalogue.of(experiment.task, labels=labels), directory,
                          given["--train"], dev)


def files(arguments, experiment):
    return [part.format(data=arguments.data) for part in experiment.files]


def directory(arguments, name, start, seed):
    """Of a run: named after its weights too, for another student's runs are others."""
    return arguments.runs / f"{name}-{start}-{weights(arguments, start) or 'none'}-{seed}"


def checkpoint(arguments, start):
    return {"student": arguments.student, "teacher": arguments.teacher, "random": None}[start]


def weights(arguments, start):
    """What tells the weights that a start has from others; None for random ones."""
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
    """The lines of a task and a start, with the weights that are asked for."""
    return [line for line in found if (line["task"], line["start"], line["weights"])
            == (name, start, weights(arguments, start))]


def majority(arguments, experiment):
    """The score of the dev set's most frequent class for all rows; None for tasks without labels.

    Tags are none of these: most frequent there is "no entity", which finds nothing.
    """
    task = catalogue.of(experiment.task)
    if task.kind.name != "classification":
        return None
    rows = task.read(Path(experiment.files[1].format(data=arguments.data)) / task.dev_file)
    label = statistics.mode(rows.labels)
    return metrics.of(task.name).scores([label] * len(rows), rows.labels)[task.metrics.main]


def collect(arguments):
    """[(task's name, {start: lines of its runs}, lines of its files, majority's score)]."""
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
    arguments.output.write_text(INTRODUCTION + table(collect(arguments)), "utf-8")


INTRODUCTION = """# Results

`mobilebert_mini` fine-tuned, beside its teacher all-MiniLM-L6-v2 and the same student from random
weights, by the same command with the same epochs and batches, each at a rate of its own: the score
on the dev set after the epoch that is best on it, mean and deviation where there are several seeds.
Then the student that is best of its seeds: its score in Keras, and that of the files that
`mobilebert export` makes of it, with the points of 100 that they lose and may lose; a file that
loses more is refused.
Majority is what the class most frequent in the dev set gets, where a task has classes.
Similarity is the sentence embeddings of what the trainings start from, as they are.

Trainings ran two at a time, each pinned to a core, beside other work: seconds are what they were
and no benchmark. Made by `docs/experiments/results.py`, whose docstring has the command; machine,
versions and date of every run are in `docs/experiments/results/runs.jsonl`. A cell is empty, and a
file has no row, where nothing was run yet.

"""


def machine():
    versions = " ".join(f"{name} {metadata.version(name)}" for name in ("tensorflow", "tf-keras"))
    return f"{compare.machine()}; {versions}"


def today():
    return datetime.date.today().isoformat()


def table(rows):
    """Markdown: scores of every start, those of the student's files, and what the runs took."""
    scores = ["| task | metric | student | teacher | random weights | majority |",
              "|---|---|---:|---:|---:|---:|"]
    exported = ["| task | recipe | MB | Keras | file | loses | may lose | |",
                "|---|---|---:|---:|---:|---:|---:|---|"]
    costs = ["| task | start | pooler | seeds | epochs | batch | rate | averages | seconds "
             "| peak MB |",
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
    return "\n\n".join("\n".join(part) for part in (scores, exported, costs)) + "\n"


def _cell(runs):
    found = [line["score"] for line in runs]
    if not found:
        return ""
    spread = f" ± {statistics.stdev(found):.4f}" if len(found) > 1 else ""
    return f"{statistics.fmean(found):.4f}{spread}"


if __name__ == "__main__":
    main()
