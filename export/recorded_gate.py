"""RecordedGate: the verdict on a file, as a report or a package records it."""

import msgspec

from mobilebert_tf import records


class RecordedGate(msgspec.Struct):
    """The fields of a recorded `GateReport` that programs read."""

    task: records.Text
    metric: records.Text
    file_score: float
    passed: bool
