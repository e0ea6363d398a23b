"""The tables and the picture of trial.py's results, with the students' latency.

The students are exported with random weights, which are as fast as trained ones, by dynamic_int8,
and measured in turn at 128 tokens. From the repository's root:

  python docs/experiments/trial_report.py --results docs/experiments/trial.jsonl \\
    --static-table table.json --teachers teachers --files trial/files --output trial
"""

import argparse
import dataclasses
import json
import statistics
from pathlib import Path

from trial import read
from trial_systems import SYSTEMS, TASKS, teacher_student

from mobilebert_tf.files import write_atomically

# Task -> its name in the tables.
COLUMNS = {"similarity": "STS-B", "sst2": "SST-2", "cola": "CoLA", "mrpc": "MRPC",
           "restaurant": "MIT Restaurant", "squad": "questions"}
DRAWN = ("similarity", "sst2", "restaurant")
LENGTH, RUNS, THREADS = 128, 100, (1, 2)


@dataclasses.dataclass(frozen=True)
class Cell:
    """The scores of a system on a task, one for each seed."""

    scores: tuple[float, ...]

    def __str__(self):
        if not self.scores:
            return "-"
        mean = f"{statistics.fmean(self.scores):.3f}"
        if len(self.scores) == 1:
            return mean
        return f"{mean} ({min(self.scores):.3f} to {max(self.scores):.3f})"


def cells(lines):
    """(system, task) -> Cell. Of several learning rates the better one counts."""
    best = {}
    for line in lines:
        key = line["system"], line["task"], line["seed"]
        best[key] = max(best.get(key, -1), line["score"])
    return {(system, task): Cell(tuple(
        score for key, score in sorted(best.items()) if key[:2] == (system, task)))
        for system in SYSTEMS for task in COLUMNS}


def latencies(files, teacher):
    """Student -> its facts: parameters, bytes and milliseconds; measured once, kept in files."""
    path = files / "latency.json"
    if path.exists():
        return json.loads(path.read_text())
    from mobilebert_tf import counting, presets
    from mobilebert_tf.export.benchmark import host

    files.mkdir(parents=True, exist_ok=True)
    students = {teacher.name: teacher,
                **{system.student.name: system.student for system in SYSTEMS.values()}}
    found = {}
    for name, student in students.items():
        config = presets.get(str(student.written(files)))
        file = exported(config, files / f"{name}.tflite")
        found[name] = {"parameters": counting.parameters(config).total,
                       "bytes": file.stat().st_size}
    for threads in THREADS:
        measured = host.measure([(files / f"{name}.tflite", LENGTH) for name in students],
                                threads, RUNS)
        for name, one in zip(students, measured, strict=True):
            found[name][f"ms_{threads}"] = one.latency.median_ms
    write_atomically(path, json.dumps(found, indent=2).encode() + b"\n")
    return found


def exported(config, path):
    import mobilebert_tf as mb

    if not path.exists():
        result = mb.export.to_tflite(mb.Encoder(config), "dynamic_int8", (LENGTH,))
        write_atomically(path, result.model)
    return path


def columns(found):
    """Return the tasks that some system was tried on."""
    return [task for task in COLUMNS if any(found[name, task].scores for name in SYSTEMS)]


def table(found, facts, names, above=()):
    """Return a Markdown table of some systems, one a line, below the lines `above`."""
    tasks = columns(found)
    rows = ["| system | parameters, M | ms, 1 thread | ms, 2 threads | "
            f"{' | '.join(COLUMNS[task] for task in tasks)} |",
            "|---|---:|---:|---:|" + "---|" * len(tasks), *above]
    for name in names:
        one = facts[SYSTEMS[name].student.name]
        rows.append(f"| {name} | {one['parameters'] / 1e6:.1f} | {one['ms_1']:.1f} | "
                    f"{one['ms_2']:.1f} | "
                    + " | ".join(str(found[name, task]) for task in tasks) + " |")
    return "\n".join(rows)


def references(static_table, teachers, facts, tasks):
    """Return the lines of the teacher and of the static table, each with one seed."""
    static = json.loads(static_table.read_text())
    taught = {task: json.loads((teachers / task / "run.json").read_text())["result"]
              for task in tasks if task in TASKS}
    teacher = facts[teacher_student(teachers).name]
    return [
        f"| *the teacher* | {teacher['parameters'] / 1e6:.1f} | "
        f"{teacher['ms_1']:.1f} | {teacher['ms_2']:.1f} | "
        + " | ".join(_of_teacher(taught.get(task)) for task in tasks) + " |",
        "| *the static table* | - | - | - | "
        + " | ".join(_first(static.get(task)) for task in tasks) + " |"]


def _of_teacher(result):
    return "-" if result is None else f"{result['scores'][result['metric']]:.3f}"


def _first(score):
    """Return a score, or the first of several, as text."""
    if score is None:
        return "-"
    return f"{next(iter(score.values())) if isinstance(score, dict) else score:.3f}"


def overlapping_the_best(found, names):
    """Return, for each task, the system with the best mean and those whose ranges overlap its.

    A task is left out on which at most one system was run with several seeds.
    """
    sentences = []
    for task in COLUMNS:
        tried = [name for name in names if len(found[name, task].scores) > 1]
        if len(tried) < 2:
            continue
        best = max(tried, key=lambda name: statistics.fmean(found[name, task].scores))
        near = [name for name in tried if name != best
                and max(found[name, task].scores) >= min(found[best, task].scores)]
        sentences.append(f"- {COLUMNS[task]}: {best}; overlapping: {', '.join(near) or 'none'}.")
    return "\n".join(sentences)


def draw(found, names, path):
    """Draw the means and ranges of some systems on some tasks, a system in each row."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(DRAWN), figsize=(11, 4.5), sharey=True,
                                     layout="constrained")
    for axes, task in zip(panels, DRAWN, strict=True):
        for place, name in enumerate(names):
            scores = found[name, task].scores
            if scores:
                mean = statistics.fmean(scores)
                axes.errorbar(mean, place, xerr=[[mean - min(scores)], [max(scores) - mean]],
                              fmt="o", capsize=3, markersize=5,
                              color="tab:red" if "MobileBERT" in name else "tab:blue")
        axes.set_title(COLUMNS[task])
        axes.grid(alpha=0.3)
    panels[0].set_yticks(range(len(names)), names)
    panels[0].invert_yaxis()
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", required=True, type=Path)
    parser.add_argument("--static-table", required=True, type=Path,
                        help="what static_table.py wrote")
    parser.add_argument("--teachers", required=True, type=Path,
                        help="what trial_teachers.py wrote")
    parser.add_argument("--files", required=True, type=Path, help="directory of exported students")
    parser.add_argument("--output", required=True, type=Path,
                        help="path without an ending, for .md and .png")
    arguments = parser.parse_args()
    found = cells(read(arguments.results))
    facts = latencies(arguments.files, teacher_student(arguments.teachers))
    above = references(arguments.static_table, arguments.teachers, facts, columns(found))
    tried = [name for name in SYSTEMS if any(found[name, task].scores for task in COLUMNS)]
    by_latency = [name for name in tried if "(parameters)" not in name]
    by_parameters = [name for name in tried if "MobileBERT" in name or "(parameters)" in name]
    parts = [table(found, facts, by_latency, above), overlapping_the_best(found, by_latency),
             table(found, facts, by_parameters), overlapping_the_best(found, by_parameters)]
    write_atomically(arguments.output.with_suffix(".md"), "\n\n".join(parts).encode() + b"\n")
    draw(found, tried, arguments.output.with_suffix(".png"))
    print("\n\n".join(parts))


if __name__ == "__main__":
    main()
