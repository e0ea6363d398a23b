"""ExportResult: the file that an export makes, and its report."""

import dataclasses

from mobilebert_tf.export.file.export_report import ExportReport


@dataclasses.dataclass(frozen=True)
class ExportResult:
    """The file's content, `model`, and its `report`."""

    model: bytes
    report: ExportReport
