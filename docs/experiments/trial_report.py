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
from trial_systems import SYSTEMS, TASKS, TEACHER

from mobilebert_tf.files import write_atomically

COLUMNS = ("similarity", *TASKS)
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


def latencies(files):
    """Student -> its facts: parameters, bytes and milliseconds; measured once, kept in files."""
    path = files / "latency.json"
    if path.exists():
        return json.loads(path.read_text())
    from mobilebert_tf import counting, presets
    from mobilebert_tf.export.benchmark import host

    files.mkdir(parents=True, exist_ok=True)
    students = {TEACHER.name: TEACHER,
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


def table(found, facts, names, above=()):
    """Return a Markdown table of some systems, one a line, below the lines `above`."""
    rows = [f"| system | parameters, M | ms, 1 thread | ms, 2 threads | {' | '.join(COLUMNS)} |",
            "|---|---:|---:|---:|" + "---|" * len(COLUMNS), *above]
    for name in names:
        one = facts[SYSTEMS[name].student.name]
        rows.append(f"| {name} | {one['parameters'] / 1e6:.1f} | {one['ms_1']:.1f} | "
                    f"{one['ms_2']:.1f} | "
                    + " | ".join(str(found[name, task]) for task in COLUMNS) + " |")
    return "\n".join(rows)


def references(static_table, teachers, facts):
    """Return the lines of the teacher and of the static table, each with one seed."""
    static = json.loads(static_table.read_text())
    taught = {task: json.loads((teachers / task / "run.json").read_text())["result"]
              for task in TASKS}
    teacher = facts[TEACHER.name]
    return [
        f"| *the teacher* | {teacher['parameters'] / 1e6:.1f} | "
        f"{teacher['ms_1']:.1f} | {teacher['ms_2']:.1f} | - | "
        + " | ".join(f"{taught[task]['scores'][taught[task]['metric']]:.3f}" for task in TASKS)
        + " |",
        "| *the static table* | - | - | - | "
        + " | ".join(_first(static.get(task)) for task in COLUMNS) + " |"]


def _first(score):
    """Return a score, or the first of several, as text."""
    if score is None:
        return "-"
    return f"{next(iter(score.values())) if isinstance(score, dict) else score:.3f}"


def not_told_from_the_best(found, names):
    """Return, for each task, the best mean and the systems whose ranges of seeds reach its."""
    sentences = []
    for task in COLUMNS:
        tried = [name for name in names if len(found[name, task].scores) > 1]
        if not tried:
            continue
        best = max(tried, key=lambda name: statistics.fmean(found[name, task].scores))
        near = [name for name in tried if name != best
                and max(found[name, task].scores) >= min(found[best, task].scores)]
        sentences.append(f"- {task}: {best}; not told from it: {', '.join(near) or 'none'}.")
    return "\n".join(sentences)


def draw(found, facts, path):
    """Draw similarity and SST-2 over the latency with one thread."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for axes, task in zip(panels, ("similarity", "sst2"), strict=True):
        for name, system in SYSTEMS.items():
            scores = found[name, task].scores
            if not scores:
                continue
            mean, x = statistics.fmean(scores), facts[system.student.name]["ms_1"]
            axes.errorbar(x, mean, [[mean - min(scores)], [max(scores) - mean]], fmt="o",
                          capsize=3, markersize=5)
            axes.annotate(name.replace(" (parameters)", ""), (x, mean), fontsize=7,
                          textcoords="offset points", xytext=(6, -3))
        axes.set(xlabel="milliseconds, 1 thread, dynamic_int8, 128 tokens", title=task)
        axes.margins(x=0.25)
        axes.grid(alpha=0.3)
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
    found, facts = cells(read(arguments.results)), latencies(arguments.files)
    above = references(arguments.static_table, arguments.teachers, facts)
    by_latency = [name for name in SYSTEMS if "(parameters)" not in name]
    by_parameters = [name for name in SYSTEMS
                     if "MobileBERT" in name or "(parameters)" in name]
    parts = [table(found, facts, by_latency, above), not_told_from_the_best(found, by_latency),
             table(found, facts, by_parameters), not_told_from_the_best(found, by_parameters)]
    write_atomically(arguments.output.with_suffix(".md"), "\n\n".join(parts).encode() + b"\n")
    draw(found, facts, arguments.output.with_suffix(".png"))
    print("\n\n".join(parts))


if __name__ == "__main__":
    main()
