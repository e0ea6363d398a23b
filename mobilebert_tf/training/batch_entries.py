"""Entries of a batch that belong together, by names with slashes, such as `targets/logits`."""

# Outputs of a teacher that were computed before, by the names that `partial_model` gives them.
TEACHER = "teacher"
TARGETS = "targets"


def nested(batch: dict) -> dict:
    """Return a batch with a dict for each name before a slash.

    What stands for a block is an index: `teacher/block_outputs/3` becomes
    `["teacher"]["block_outputs"][3]`.

    Example:
      >>> nested({"a": 1, "targets/logits": 2})
      {'a': 1, 'targets': {'logits': 2}}
    """
    found = {}
    for name, value in batch.items():
        *above, last = [int(part) if part.isdigit() else part for part in name.split("/")]
        place = found
        for part in above:
            place = place.setdefault(part, {})
        place[last] = value
    return found
