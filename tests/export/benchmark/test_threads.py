"""The number of threads reaches what runs the file."""

import pytest

from mobilebert_tf.export.benchmark import litert_model
from mobilebert_tf.export.file import runner

from ...needed import needed


@pytest.mark.parametrize("module", [litert_model, runner])
def test_litert(module, repository, monkeypatch):
    seen, interpreter = [], module.Interpreter

    def recorded(**arguments):
        seen.append(arguments["num_threads"])
        return interpreter(**arguments)

    monkeypatch.setattr(module, "Interpreter", recorded)
    opened = litert_model.LiteRtModel if module is litert_model else runner.Runner
    opened(repository / "models/mobilebert_mini_sst2/mobilebert_mini_sst2_int8.tflite", 3)
    assert seen == [3]


def test_onnx_runtime(tmp_path, monkeypatch):
    needed("onnxruntime")
    from mobilebert_tf.export.benchmark import onnx_model

    seen = []

    def recorded(file, options, providers):
        seen.append(options.intra_op_num_threads)
        raise RuntimeError("no model")

    monkeypatch.setattr(onnx_model.onnxruntime, "InferenceSession", recorded)
    with pytest.raises(ValueError, match="no model"):
        onnx_model.OnnxModel(tmp_path / "x.onnx", 3)
    assert seen == [3]
