"""The facts of `speed.measure` as tables, sentences and files."""

import json
from pathlib import Path

from mobilebert_tf.files import write_atomically
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.counted import counted
from mobilebert_tf.terminal.table import Table
from mobilebert_tf.training.speed.measure import FULL, OURS, THEIRS
from mobilebert_tf.training.speed.turns import A_TURN, WARM_UP

_EARLIER = {0.0: "frozen"}


def tables(facts: dict) -> list[Table]:
    """Return tables of the stages, if they were measured, of pre-training and the pipeline."""
    size = (f"batch {facts['settings']['batch_size']}, length {facts['settings']['length']}, "
            f"{counted(facts['settings']['threads'], 'thread')}")
    found = [_stages(facts, size)] if facts["full_step"] else []
    return [*found, _training(facts, size), _pipeline(facts, size)]


def notes(facts: dict) -> list[str]:
    """Return sentences about how it was measured, and what was not."""
    settings = facts["settings"]
    said = [f"{name}: not measured, {reason}." for name, reason in facts["not_measured"].items()]
    for average in facts["averages"]:
        if not average["of_all_stages"]:
            said.append("Only the stages of " + ", ".join(map(str, average["depths"])) + " blocks "
                        "were measured: their mean is not the strategy's.")
            break
    if facts["full_step"]:
        said.append("A step of all blocks is joint transfer's, with the same losses; every stage "
                    "of progressive transfer has the same number of steps, so the mean of the "
                    "ratios is what a step of the strategy costs.")
    if any(record["by"] == THEIRS for record in facts["training"]):
        said.append(
            "transformers' MobileBERT runs as its Trainer does: PyTorch, eager, fused AdamW; "
            "bfloat16 is autocast. It computes the logits of every token, ours those of the 15 % "
            "that are predicted; the encoder alone is without that difference. Both clip "
            "gradients at a norm of 1 and have the config's dropout.")
    said.append(
        "The input pipeline ran while no step did. Its first batch, which came after "
        f"{facts['pipeline']['seconds_to_first_batch']:.1f} s, is not counted, and neither is "
        f"padding. The corpus is {facts['pipeline']['corpus']}.")
    said.append(
        f"Medians of {A_TURN * settings['rounds']} steps, in "
        f"{counted(settings['rounds'], 'round')} of turns, after {WARM_UP} to warm up; the first "
        "step of a turn is not counted. Steps are of batches without padding.")
    versions = dict(facts["versions"])
    for record in facts["training"]:
        versions |= record["versions"]
    told = ", ".join(f"{name} {version}" for name, version in versions.items())
    said.append(f"Measured on {facts['machine']}, with {told}, on {facts['date'][:10]}.")
    return said


def write(facts: dict, directory: Path) -> None:
    """Write training_speed.json and training_speed.md into a directory."""
    text = "\n".join(["# Training speed", "", "The speed of training steps.", "",
                      "Made by:", "", "```", facts["command"], "```", "",
                      *(table.markdown() for table in tables(facts)),
                      *(f"- {note}" for note in notes(facts)), ""])
    write_atomically(directory / "training_speed.json",
                     json.dumps(facts, indent=2).encode() + b"\n")
    write_atomically(directory / "training_speed.md", text.encode())


def _stages(facts, size):
    settings = facts["settings"]
    full = facts["full_step"]
    rows = [(FULL, "-", *_speed(full), "1.00")]
    for record in facts["stages"]:
        rows.append((f"stage of {record['depth']} of {record['num_blocks']} blocks",
                     _rate(record["earlier_rate"]), *_speed(record), f"{record['ratio']:.2f}"))
    for average in facts["averages"]:
        of = "all stages" if average["of_all_stages"] else "the stages measured"
        rows.append((f"mean of {of}", _rate(average["earlier_rate"]), "-", "-",
                     f"{average['ratio']:.2f}"))
    return Table(f"Knowledge transfer from {settings['teacher']} to {settings['student']}: {size}; "
            "ratio: cost to that of all blocks",
            (Column("step", words=True), Column("earlier blocks", words=True), Column("ms"),
             Column("tokens/s", rank=1), Column("ratio")), rows)


def _training(facts, size):
    settings = facts["settings"]
    model = settings["pretrained"] or settings["student"]
    rows = []
    for record in facts["training"]:
        ratios = record["ratios"]
        rows.append((f"{record['by']}, {record['what']}", record["precision"], *_speed(record),
                     *(f"{ratios[name]:.2f}x" if name in ratios else "-"
                       for name in ("bfloat16", "float32"))))
    for name, _ in facts["not_measured"].items():
        by, _, rest = name.partition(", ")
        if by == THEIRS:
            what, _, precision = rest.partition(", ")
            rows.append((f"{by}, {what}", precision, *["not measured", *["-"] * 3]))
    return Table(f"Pre-training {model}: {size}; AdamW; to: times as fast as transformers' in that "
            "precision",
            (Column("step", words=True), Column("precision", words=True), Column("ms"),
             Column("tokens/s", rank=1), Column("to bfloat16"), Column("to float32")), rows)


def _pipeline(facts, size):
    pipeline = facts["pipeline"]
    steps = {record["name"]: record for record in (
        *([facts["full_step"]] if facts["full_step"] else []), *facts["stages"],
        *(record for record in facts["training"] if record["by"] == OURS))}
    rows = [("the pipeline alone", pipeline["corpus"],
             f"{pipeline['tokens_per_second']:,.0f}", "-")]
    rows += [(name, "-", f"{steps[name]['tokens_per_second']:,.0f}", f"{ratio:.1f}x")
             for name, ratio in sorted(pipeline["ratios"].items(), key=lambda item: item[1])]
    return Table(f"The input pipeline: {size}; ratio: of its tokens/s to those of the step",
            (Column("step", words=True), Column("corpus", words=True), Column("tokens/s"),
             Column("ratio")), rows)


def _speed(record):
    return f"{1e3 * record['median_seconds']:.1f}", f"{record['tokens_per_second']:,.0f}"


def _rate(rate):
    return _EARLIER.get(rate, f"at {rate:g}")
