"""Peers: MobileBERT of other exporters, to be measured in the same run.

`python -m mobilebert_tf.export.benchmark.peers NAME KIND LENGTH FILE` writes one with random
weights. The peers from PyTorch need the packages of the extra `peers`; they do not import
TensorFlow. The others are the TensorFlow converter alone on our model.
"""

import dataclasses
import importlib.metadata
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from mobilebert_tf.errors import InputError

_OPSET = 17  # the newest that torch.onnx's tracing exporter writes
_INPUTS = ("ids", "mask", "segment_ids")
_PRESET = "mobilebert"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Peer:
    """Another exporter of MobileBERT.

    Args:
      name: in tables and in the name of its file.
      recipe: its own name for the quantization.
      suffix: of its file.
      packages: the import names of the packages that it needs.
      write: (kind, length, path) -> None.
    """

    name: str
    recipe: str
    suffix: str
    packages: tuple[str, ...]
    write: Callable

    def missing(self) -> str | None:
        """Return why it cannot run here; None if it can."""
        absent = [name for name in self.packages if importlib.util.find_spec(name) is None]
        return (f"not installed: {', '.join(absent)}; install the extra `peers`"
                if absent else None)

    def versions(self) -> dict[str, str]:
        """Return the versions of its packages."""
        made_by = importlib.metadata.packages_distributions()  # onnxruntime may be onnxruntime-gpu
        return {package: importlib.metadata.version(made_by[package][0])
                for package in self.packages}


def export(peer: Peer, kind: str, length: int, path) -> None:
    """Write the peer's full-size MobileBERT to `path`, in its own process.

    PyTorch 2.14, or the triton that it loads, crashes in a process that holds TensorFlow 2.21.

    Raises:
      InputError: if it fails, with the last line of its output.
    """
    done = subprocess.run([sys.executable, "-m", __spec__.name, peer.name, kind, str(length), path],
                          capture_output=True, text=True)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"its process ended with {done.returncode}"]
        raise InputError(f"the export failed: {said[-1]}")


def transformers_model(kind: str, **sizes):
    """Return transformers' MobileBERT as a torch module of ids, mask and segment ids.

    Its weights are random, including norms and biases, so that nothing folds away; see
    `random_weights`.

    Args:
      kind: encoding or classification.
      sizes: arguments of a `MobileBertConfig` that differ from the published model's.
    """
    import torch
    import transformers

    config = transformers.MobileBertConfig(num_labels=2, **sizes)
    model_class, output = {
        "encoding": (transformers.MobileBertModel, "last_hidden_state"),
        "classification": (transformers.MobileBertForSequenceClassification, "logits")}[kind]

    class Positional(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model_class(config)

        def forward(self, ids, mask, segment_ids):
            return getattr(self.model(input_ids=ids, attention_mask=mask,
                                      token_type_ids=segment_ids), output)

    torch.manual_seed(0)
    module = Positional().eval()
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.ndim == 1:
                is_scale = name.endswith("LayerNorm.weight")
                parameter.normal_(1.0 if is_scale else 0.0, 0.1)
    return module


def _samples(length, dtype):
    import torch

    return tuple(torch.ones((1, length), dtype=dtype) for _ in _INPUTS)


def _write_litert_torch(kind, length, path):
    import litert_torch
    import torch
    from ai_edge_quantizer import quantizer, recipe

    with tempfile.TemporaryDirectory() as directory:
        in_float = Path(directory) / "float.tflite"
        converted = litert_torch.convert(transformers_model(kind), _samples(length, torch.int32))
        converted.export(str(in_float))
        quantized = quantizer.Quantizer(str(in_float), recipe.dynamic_wi8_afp32()).quantize()
    quantized.export_model(str(path), overwrite=True)


def _write_onnx(kind, length, path):
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as directory:
        in_float = Path(directory) / "float.onnx"
        torch.onnx.export(transformers_model(kind), _samples(length, torch.int64), str(in_float),
                          dynamo=False, opset_version=_OPSET, input_names=list(_INPUTS),
                          output_names=["output"])
        quantize_dynamic(in_float, path, per_channel=True, weight_type=QuantType.QInt8)


def _write_converter(kind, length, path, calibrated=False):
    import tensorflow as tf

    from mobilebert_tf import kinds
    from mobilebert_tf.export.benchmark import random_weights
    from mobilebert_tf.export.file.runner import INPUT_NAMES

    model = random_weights.MODELS[kind](_PRESET)
    made_for = kinds.of(model)
    signature = [tf.TensorSpec((1, length), tf.int32, name) for name in _INPUTS]

    @tf.function(input_signature=signature, autograph=False)
    def serve(ids, mask, segment_ids):
        return made_for.keras_outputs(model, dict(zip(
            INPUT_NAMES.values(), (ids, mask, segment_ids), strict=True)))

    holder = tf.Module()
    holder.held = model.variables
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [serve.get_concrete_function()], holder)
    if calibrated:
        inputs = random_weights.calibration(_PRESET, length)
        rows = [[inputs[name][row:row + 1] for name in INPUT_NAMES.values()]
                for row in range(len(inputs["input_mask"]))]
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: iter(rows)
    Path(path).write_bytes(converter.convert())


PEERS = (
    Peer(name="converter_mobilebert_float32", recipe="plain float32", suffix=".tflite",
         packages=("tensorflow",), write=_write_converter),
    Peer(name="converter_mobilebert_full_int8", recipe="plain full int8", suffix=".tflite",
         packages=("tensorflow",),
         write=lambda *where: _write_converter(*where, calibrated=True)),
    Peer(name="litert_torch_mobilebert", recipe="dynamic_wi8_afp32", suffix=".tflite",
         packages=("torch", "transformers", "litert_torch", "ai_edge_quantizer"),
         write=_write_litert_torch),
    Peer(name="onnxruntime_mobilebert", recipe="quantize_dynamic", suffix=".onnx",
         packages=("torch", "transformers", "onnx", "onnxruntime"), write=_write_onnx),
)


def main(name: str, kind: str, length: str, file: str) -> None:
    """Write the peer of that name to a file."""
    peer = next(peer for peer in PEERS if peer.name == name)
    peer.write(kind, int(length), Path(file))


if __name__ == "__main__":
    main(*sys.argv[1:])
