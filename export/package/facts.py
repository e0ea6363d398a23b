"""Facts about exported files in model.json, for the programs that run them."""

import hashlib
from collections.abc import Mapping, Sequence

from mobilebert_tf.export.file import metadata
from mobilebert_tf.export.file.export_result import ExportResult
from mobilebert_tf.export.file.runner import INPUT_NAMES


def of_model(name: str, result: ExportResult) -> dict:
    """Return the facts that all files of one model with the same lengths share.

    Args:
      name: of the model.
      result: of one of the exports.
    """
    return described(name, metadata.read(result.model), {
        name: output.shape for name, output in result.report.outputs.items()})


def described(name: str, description: metadata.Metadata,
              shapes: Mapping[str, Sequence[int]]) -> dict:
    """Return what `of_model` does, for a file that was exported before.

    Args:
      name: of the model.
      description: the file's metadata.
      shapes: of the outputs for one row, by name.
    """
    return {
        "name": name,
        "kind": description.kind.name,
        "lengths": list(description.lengths),
        "signatures": {str(length): description.signature(length)
                       for length in description.lengths},
        "inputs": {name: {"type": "int32", "shape": [1, "length"]} for name in INPUT_NAMES},
        "outputs": {name: {"type": "float32", "shape": list(shape)}
                    for name, shape in shapes.items()},
        "labels": description.labels and list(description.labels),
        "lower_case": description.lower_case,
    }


def of_file(name: str, result: ExportResult) -> dict:
    """Return the facts of one file: an entry of `files` in model.json.

    Args:
      name: of the file.
      result: of its export.
    """
    return {"file": name, "recipe": result.report.recipe, "bytes": len(result.model),
            "sha256": hashlib.sha256(result.model).hexdigest(),
            "minimum_runtime": result.report.runtime}
