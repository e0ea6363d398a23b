import numpy as np
import pytest

from mobilebert_tf.data.datasets import glue
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import submission


@pytest.mark.parametrize(("name", "predictions", "file", "expected"), [
    ("cola", [0, 1], "CoLA.tsv", ("0", "1")),
    ("sst2", np.int64([1, 0]), "SST-2.tsv", ("1", "0")),
    ("mrpc", [0, 1], "MRPC.tsv", ("0", "1")),
    ("qqp", [1, 1], "QQP.tsv", ("1", "1")),
    ("mnli", [0, 1, 2], "MNLI-m.tsv", ("contradiction", "entailment", "neutral")),
    ("mnli_mismatched", [2], "MNLI-mm.tsv", ("neutral",)),
    ("qnli", [0, 1], "QNLI.tsv", ("entailment", "not_entailment")),
    ("rte", (1, 0), "RTE.tsv", ("not_entailment", "entailment")),
    # Its files have numbers, and 1 is entailment here.
    ("wnli", [0, 1], "WNLI.tsv", ("0", "1")),
    ("stsb", np.float32([-0.2, 0.0004, 2.34567, 5.0, 5.3, -0.0]), "STS-B.tsv",
     ("0.000", "0.000", "2.346", "5.000", "5.000", "0.000")),
])
def test_files_are_as_the_benchmark_takes_them(tmp_path, name, predictions, file, expected):
    path = submission.write(tmp_path / "new", name, predictions)
    assert path == tmp_path / "new" / file
    assert path.read_bytes().decode() == "index\tprediction\n" + "".join(
        f"{index}\t{text}\n" for index, text in enumerate(expected))


def test_every_task_has_a_file_of_its_own():
    names = [task.submission_file for task in glue.TASKS.values()]
    assert len(set(names)) == len(names) == 10


@pytest.mark.parametrize(("name", "predictions", "message"), [
    ("rte", [0, -1], "prediction 1 is -1; RTE.tsv needs a class from 0 to 1"),
    ("rte", [0, 2], "prediction 1 is 2; RTE.tsv needs a class from 0 to 1"),
    ("rte", [0.5], "prediction 0 is 0.5; RTE.tsv needs a class"),
    ("stsb", [1.0, float("nan")], "prediction 1 is nan; STS-B.tsv needs a number"),
    ("cola", [], "no predictions for cola; the benchmark takes one for each example of test.tsv"),
    ("news", [0], "unknown task 'news'"),
])
def test_what_is_no_prediction_leaves_an_old_file_alone(tmp_path, name, predictions, message):
    old = submission.write(tmp_path, "rte", [1]).read_bytes()
    with pytest.raises(InputError, match=message):
        submission.write(tmp_path, name, predictions)
    assert [path.name for path in tmp_path.iterdir()] == ["RTE.tsv"]
    assert (tmp_path / "RTE.tsv").read_bytes() == old
