"""Lines of metrics.jsonl, which a training run writes."""

import json


def lines(directory):
    """All lines of a run; none before it has written any."""
    path = directory / "metrics.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def timeless_lines(directory):
    """All lines, without what depends on the clock."""
    return [{name: value for name, value in line.items() if name != "tokens_per_second"}
            for line in lines(directory)]
