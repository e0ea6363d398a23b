"""Runtimes: which one a file runs in, by the end of its name."""

from pathlib import Path

from mobilebert_tf.errors import InputError


def of(file) -> type:
    """Return the class that opens a file in its runtime: `OnnxModel` for .onnx, else `LiteRtModel`.

    Only that runtime is imported.

    Raises:
      InputError: if ONNX Runtime is needed and not installed.
    """
    if Path(file).suffix != ".onnx":
        from mobilebert_tf.export.benchmark.litert_model import LiteRtModel

        return LiteRtModel
    try:
        from mobilebert_tf.export.benchmark.onnx_model import OnnxModel
    except ImportError as error:
        raise InputError(f"cannot benchmark {file}: ONNX Runtime is not installed; "
                         "install the extra `peers`") from error
    return OnnxModel
