"""FailedGate: the exception of a file that lost too much."""

from mobilebert_tf.export.gate_report import GateReport


class FailedGate(Exception):
    """A file that lost more than its recipe may.

    Attributes:
      report: the file's `GateReport`.
      exported: the `Exported` file; None if a package was made.
      is_written: whether the file is written all the same.
    """

    def __init__(self, report: GateReport, exported=None, is_written: bool = False):
        super().__init__(str(report))
        self.report, self.exported, self.is_written = report, exported, is_written
