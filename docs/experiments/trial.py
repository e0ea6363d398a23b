"""MobileBERT and its rivals: one teacher, one corpus, one budget of seconds of CPU, several seeds.

Each system gets the same time: some seconds of CPU for distillation on plain text, and some for
each of five tasks. The program measures once, on one thread, how many updates fit into them, and
keeps that in --costs: with the same file, another machine does the same updates. Every run is a
process of its own and adds lines to the results. A run that has its lines is not repeated. Two
processes of this program can share a directory if their --systems differ. From the repository's
root, on a core each:

  python docs/experiments/trial.py --teachers teachers --corpus sentences --glue glue \\
    --restaurant restaurant --questions questions --work trial \\
    --costs docs/experiments/trial_costs.jsonl --output docs/experiments/trial.jsonl

--teachers is a directory with a fine-tuned teacher for each task (sst2, cola, mrpc, restaurant,
squad) and a teacher of plain text with a masked-LM head (general), which trial_teachers.py makes.
"""

import argparse
import contextlib
import fcntl
import functools
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from trial_systems import RATES, SYSTEMS, TASKS, blocks_of, general_run, task_run

from mobilebert_tf.files import write_atomically

NAMES = {"restaurant": "tagging"}
LENGTHS = {"mrpc": 128, "squad": 192}
# Of these tasks' training sets the first rows alone: no system reads many more in its time. Two of
# the tables have a header.
ROWS = {"sst2": 4_001, "cola": 4_000, "mrpc": 1_501, "restaurant": 4_000}
# Every word of a passage that may change is masked once: all questions would take hours.
AUGMENTED_QUESTIONS = 200
# The task on which a task's learning rate is chosen.
CHOOSES = {"sst2": "sst2", "cola": "sst2", "mrpc": "sst2", "restaurant": "restaurant",
           "squad": "restaurant"}
MEASURED_STEPS, LOG_EVERY = 24, 8


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("teachers", "corpus", "glue", "restaurant", "questions", "work", "costs",
                 "output"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="names, separated by commas")
    parser.add_argument("--tasks", default=",".join(TASKS), help="names, separated by commas")
    parser.add_argument("--precision", default="mixed_bfloat16",
                        help="float32 is faster on processors without bfloat16")
    parser.add_argument("--one", nargs=2, metavar=("SYSTEM", "SEED"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        Trial(arguments, arguments.one[0], int(arguments.one[1])).run()
        return
    arguments.work.mkdir(parents=True, exist_ok=True)
    for given, known in ((arguments.systems, SYSTEMS), (arguments.tasks, TASKS)):
        if unknown := set(given.split(",")) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; known are {', '.join(known)}")
    for seed, system in itertools.product(arguments.seeds.split(","), arguments.systems.split(",")):
        print(f"{system}, seed {seed}", flush=True)
        subprocess.run([sys.executable, __file__, *sys.argv[1:], "--one", system, seed], check=True,
                       env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3",
                            "TF_USE_LEGACY_KERAS": "1",  # else TensorFlow imports Keras 3, too
                            "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"})


class Trial:
    """One system with one seed."""

    def __init__(self, arguments, system, seed):
        self._paths, self._name, self._seed = arguments, system, seed
        self._system = SYSTEMS[system]
        self._student = str(self._system.student.written(arguments.work))

    def run(self):
        start = self._general()
        for task in self._paths.tasks.split(","):
            rates = (RATES if task == CHOOSES[task] and self._seed == 1
                     else (self._rate(CHOOSES[task]),))
            for rate in rates:
                if not self._found(task=task, rate=rate):
                    self._task(task, start, rate)

    @property
    def _masked_lm(self):
        return self._paths.teachers / "general" / "model"

    def _general(self):
        """Distil on plain text, once for all systems that share it; return the student."""
        system = self._system
        if system.general is None:
            return self._student
        directory = self._paths.work / f"{system.general}-{system.student.name}-{self._seed}"
        model = directory / "model"
        with first_alone(directory.with_suffix(".made")):
            if not model.exists():
                steps = self._steps(f"{system.student.name}, {system.general}",
                                    system.general_seconds, self._distil)
                self._distil(steps, 200, directory)
        if not self._found(task="similarity"):
            import mobilebert_tf as mb

            scores = mb.evaluate(model, "similarity", data=self._paths.glue / "STS-B",
                                 length=64).scores
            self._write(task="similarity", score=scores["spearman"])
        return str(model)

    def _distil(self, steps, log_every, directory):
        import mobilebert_tf as mb

        teacher = self._masked_lm
        mb.distill(self._student, directory, teacher=str(teacher),
                   teacher_pooler="mean", student_pooler="mean", corpus=self._paths.corpus,
                   settings=self._settings(log_every),
                   **general_run(self._system, steps, blocks_of(teacher)))

    def _task(self, task, start, rate):
        system = self._system
        distil = functools.partial(self._distil_task, task, start, rate)
        steps = self._steps(f"{system.student.name}, {system.task}, {task}",
                            system.task_seconds(task), distil)
        began = time.process_time()
        directory = self._paths.work / f"{self._name}-{task}-{self._seed}-{rate}"
        result = distil(steps, 200, directory)
        self._write(task=task, rate=rate, steps=steps, metric=result.metric, score=result.score,
                    cpu_seconds_in_all=round(time.process_time() - began))

    def _distil_task(self, task, start, rate, steps, log_every, directory):
        import mobilebert_tf as mb

        # Only BERT-PKD needs the teacher's states, too.
        outputs = "states" if self._system.task == "bert_pkd" else "logits"
        augment = 0 if task == "squad" else self._system.augment
        cache = self._paths.work / "cache" / f"{task}-{outputs}-{self._system.augment}"
        cache.parent.mkdir(exist_ok=True)
        with first_alone(cache.with_suffix(".made")):
            return mb.distill_task(
                start, directory, teacher=str(self._paths.teachers / task),
                task=NAMES.get(task, task), student_pooler="mean", augment=augment,
                augmenter=self._masked_lm if augment else None,
                length=LENGTHS.get(task, 64), cache=cache, settings=self._settings(log_every),
                **self._files(task), **task_run(self._system, steps, rate))

    def _settings(self, log_every):
        import mobilebert_tf as mb

        return mb.TrainingSettings(
            seed=self._seed, precision=self._paths.precision, log_every=log_every,
            validation_steps=0, checkpoint_every=10**9, keep=1)

    def _files(self, task):
        """Return the files of a task as arguments of `distill_task`."""
        paths = self._paths
        if task == "squad":
            questions = paths.questions / "two_thousand.json"
            return {"train": (self._partly_augmented(questions) if self._system.augment
                              else [questions]),
                    "dev": paths.questions / "five_hundred.json"}
        if task == "restaurant":
            return {"train": [self._first_rows(task, paths.restaurant / "train.bio", "\n\n")],
                    "dev": paths.restaurant / "valid.bio"}
        folder = paths.glue / {"sst2": "SST-2", "cola": "CoLA", "mrpc": "MRPC"}[task]
        return {"train": [self._first_rows(task, folder / "train.tsv", "\n")],
                "dev": folder / "dev.tsv"}

    def _first_rows(self, task, path, end):
        """Return a file with the first rows of a training set."""
        short = self._paths.work / f"{task}_train{path.suffix}"
        if not short.exists():
            rows = path.read_text("utf-8").split(end)[:ROWS[task]]
            write_atomically(short, (end.join(rows) + end).encode())
        return short

    def _partly_augmented(self, path):
        """Return a file with the first questions and their new ones, and one with the others."""
        import mobilebert_tf as mb

        augmented = self._paths.work / "squad_augmented.json"
        first, others = (self._paths.work / f"squad_{part}.json" for part in ("first", "others"))
        with first_alone(augmented.with_suffix(".made")):
            if not augmented.exists():
                (article,) = json.loads(path.read_text("utf-8"))["data"]
                for part, chosen in ((first, slice(AUGMENTED_QUESTIONS)),
                                     (others, slice(AUGMENTED_QUESTIONS, None))):
                    write_atomically(part, json.dumps({"version": part.stem, "data": [{
                        **article, "paragraphs": article["paragraphs"][chosen]}]}).encode())
                mb.augment(first, augmented, task="squad", model=self._masked_lm,
                           settings=mb.AugmentationSettings(draws=self._system.augment))
        return [augmented, others]

    def _rate(self, task):
        """Return the learning rate that was better on a task with the first seed."""
        tried = [line for line in read(self._paths.output) if line["system"] == self._name
                 and line["task"] == task and line["seed"] == 1]
        return max(tried, key=lambda line: line["score"])["rate"]

    def _steps(self, name, seconds, train):
        """Return how many updates each stage has in its seconds, after measuring them once."""
        directory = self._paths.work / f"measuring {name}"
        with first_alone(directory.with_suffix(".made")):
            if self._measured(name) is None:
                with CpuSeconds(directory) as watched:
                    train((MEASURED_STEPS,) * len(seconds), LOG_EVERY, directory)
                append(self._paths.costs, {"run": name,
                                           "seconds_per_step": watched.per_step(len(seconds))})
        costs = self._measured(name)
        return tuple(max(1, round(part / cost)) for part, cost in zip(seconds, costs, strict=True))

    def _measured(self, name):
        """Return the seconds of a step; of two measurements the first one counts."""
        return next((line["seconds_per_step"] for line in read(self._paths.costs)
                     if line["run"] == name), None)

    def _found(self, **values):
        return any({**values, "system": self._name, "seed": self._seed}.items() <= line.items()
                   for line in read(self._paths.output))

    def _write(self, **values):
        line = {"system": self._name, "seed": self._seed, **values}
        print(line, flush=True)
        append(self._paths.output, line)


class CpuSeconds:
    """Watches a run's metrics.jsonl and notes the process's seconds of CPU at each line."""

    def __init__(self, directory):
        self._file = directory / "metrics.jsonl"
        self._notes, self._ended = [], threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def _watch(self):
        while not self._ended.wait(0.05):
            lines = read(self._file)
            for line in lines[len(self._notes):]:
                self._notes.append((line, time.process_time()))

    def per_step(self, parts):
        """Return the seconds of a step, for the stages before the last, and for the last one."""
        of_stages = {}
        for line, seconds in self._notes:
            if line["split"] == "train":
                of_stages.setdefault(line["stage_index"], []).append((line["step"], seconds))
        costs = [(notes[-1][1] - notes[0][1]) / (notes[-1][0] - notes[0][0])
                 for _, notes in sorted(of_stages.items())]
        if parts == 1:
            return costs
        return [sum(costs[:-1]) / len(costs[:-1]), costs[-1]]


@contextlib.contextmanager
def first_alone(made):
    """Run the block alone until one process has finished it; afterwards, run it at once.

    Args:
      made: a file that exists once a process has finished the block.
    """
    with open(made.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made.exists():
            fcntl.flock(lock, fcntl.LOCK_UN)
        yield
    made.touch()


def read(path):
    """Return the lines of a JSON Lines file, without half a line at its end."""
    text = path.read_text("utf-8") if path.exists() else ""
    return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]


def append(path, line):
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
