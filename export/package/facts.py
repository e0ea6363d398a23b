"""What model.json says of exported files to the programs that run them."""

import hashlib

from mobilebert_tf.export.file import metadata
from mobilebert_tf.export.file.result import ExportResult
from mobilebert_tf.export.file.runner import INPUT_NAMES


def of_model(name: str, result: ExportResult) -> dict:
    """What is equal in all files that are made of one model with the same lengths.

    Args:
      name: of the model.
      result: of one of these exports.
    """
    description = metadata.read(result.model)
    return {
        "name": name,
        "kind": description.kind.name,
        "lengths": list(description.lengths),
        "signatures": {str(length): description.signature(length)
                       for length in description.lengths},
        "inputs": {name: {"type": "int32", "shape": [1, "length"]} for name in INPUT_NAMES},
        "outputs": {name: {"type": "float32", "shape": list(output.shape)}
                    for name, output in result.report.outputs.items()},
        "labels": description.labels and list(description.labels),
        "lower_case": description.lower_case,
    }


def of_file(name: str, result: ExportResult) -> dict:
    """What differs from file to file: one of the `files` in model.json.

    Args:
      name: of the file.
      result: whose `model` is its content.
    """
    return {"file": name, "recipe": result.report.recipe, "bytes": len(result.model),
            "sha256": hashlib.sha256(result.model).hexdigest(),
            "minimum_runtime": result.report.runtime}
