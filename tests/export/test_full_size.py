import json
import subprocess
import sys
from pathlib import Path

import pytest

import mobilebert_tf as mb
from mobilebert_tf.export.benchmark import random_weights
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary


@pytest.mark.slow
def test_full_size_mobilebert_is_small_and_runs_in_the_official_benchmark(tmp_path):
    vocabulary = Vocabulary([*SPECIAL_PIECES, *(f"piece{i}" for i in range(30522 - 5))])
    result = mb.export.to_tflite(random_weights.classifier("mobilebert"), "dynamic_int8", (128,),
                                 vocabulary=vocabulary, labels=("negative", "positive"))
    assert result.report.bytes <= 26_500_000
    assert result.report.xnnpack_partitions == 1
    file, said = tmp_path / "mobilebert.tflite", tmp_path / "said.json"
    file.write_bytes(result.model)
    tool = Path(sys.executable).parent / "litert-benchmark"
    ran = subprocess.run([tool, "--model", file, "--num_threads", "4", "--num_runs", "5",
                          "--result_json", said], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(said.read_text())["latency"]["num_runs"] == 5
