"""PackageFacts: what a package's model.json says of the model and its files."""

from typing import Annotated, Any

import msgspec

from mobilebert_tf import records
from mobilebert_tf.export.recorded_gate import RecordedGate


class _File(msgspec.Struct):
    file: records.FileName
    recipe: records.Text
    bytes: records.Count
    sha256: str
    gate: RecordedGate | None = None


class PackageFacts(msgspec.Struct):
    """The fields of a package's model.json that programs read.

    What apps need besides is None in a package of another version; `model_folder.checked` asks for
    it.
    """

    name: records.Label
    kind: records.Text
    files: Annotated[list[_File], msgspec.Meta(min_length=1)]
    task: records.Text | None = None
    licence: str | None = None
    lengths: list[records.Size] | None = None
    signatures: dict[str, str] | None = None
    inputs: dict[str, dict] | None = None
    outputs: dict[str, dict] | None = None
    labels: list[records.Label] | None = None
    lower_case: bool | None = None
    pairs: bool | None = None
    samples: list[str] = []
    settings: Any = None
