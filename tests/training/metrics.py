"""Lines of metrics.jsonl, which a training run writes."""

import json


def lines(directory):
    """All lines of a run that is over."""
    return [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]


def count_written(directory, text="\n"):
    """How often a text stands in the lines of a run at work, whose last line may be half."""
    path = directory / "metrics.jsonl"
    return path.read_text().count(text) if path.exists() else 0


def timeless_lines(directory):
    """All lines, without what depends on the clock."""
    return [{name: value for name, value in line.items() if name != "tokens_per_second"}
            for line in lines(directory)]
