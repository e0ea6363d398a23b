import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.export.benchmark.file_names import names_of


@pytest.mark.parametrize(("files", "taken", "names"), [
    (["a/one.tflite", "b/two.onnx"], [], ["one", "two"]),
    (["old/model.tflite", "new/model.tflite", "new/other.tflite"], [],
     ["old/model.tflite", "new/model.tflite", "other"]),
    (["model.tflite", "model.onnx"], [], ["model.tflite", "model.onnx"]),
    (["made/mobilebert.tflite"], ["mobilebert"], ["made/mobilebert.tflite"]),
    # Only the suffix goes.
    (["v1.5.tflite", "v1.6.tflite"], [], ["v1.5", "v1.6"])])
def test_no_two_files_share_a_name(files, taken, names):
    assert names_of(files, taken) == names


@pytest.mark.parametrize("files", [["a.tflite", "a.tflite"], ["b/a.tflite", "./b/a.tflite"]])
def test_a_file_that_is_given_twice_is_refused(files):
    with pytest.raises(InputError, match=r"a\.tflite is given 2 times"):
        names_of(files)
