"""MobileBERT as large as it is, with random weights: each recipe exported once."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf import kinds
from mobilebert_tf.export import RECIPES
from mobilebert_tf.export.benchmark import random_weights
from mobilebert_tf.export.lean import graph as lean_graph
from mobilebert_tf.export.lean import ranges, rewrites
from mobilebert_tf.export.lean.from_keras import from_keras
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

pytestmark = pytest.mark.slow
LENGTH = 128


@pytest.fixture(scope="module")
def model():
    return random_weights.classifier("mobilebert")


@pytest.fixture(scope="module")
def export(model):
    vocabulary = Vocabulary([*SPECIAL_PIECES, *(f"piece{i}" for i in range(30522 - 5))])
    done = {}

    def of(recipe):
        if recipe not in done:
            done[recipe] = mb.export.to_tflite(model, recipe, (LENGTH,), vocabulary=vocabulary,
                                               labels=("negative", "positive"))
        return done[recipe]

    return of


@pytest.mark.parametrize(("recipe", "most_bytes"), [
    ("float32", 100_000_000), ("dynamic_int8", 26_500_000)])
def test_is_small_and_one_piece_of_few_nodes(recipe, most_bytes, export):
    report = export(recipe).report
    assert report.bytes <= most_bytes
    assert report.xnnpack_partitions == 1
    assert report.nodes <= 800


def test_float32_is_the_keras_model(export):
    assert export("float32").report.max_relative_difference < 1e-5


def test_runs_in_the_official_benchmark(export, tmp_path):
    file, said = tmp_path / "mobilebert.tflite", tmp_path / "said.json"
    file.write_bytes(export("dynamic_int8").model)
    tool = Path(sys.executable).parent / "litert-benchmark"
    ran = subprocess.run([tool, "--model", file, "--num_threads", "4", "--num_runs", "5",
                          "--result_json", said], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(said.read_text())["latency"]["num_runs"] == 5


@pytest.mark.parametrize("learned", ["estimated", "measured"])
def test_rewrites_are_exact_over_all_blocks(learned, model):
    """Of every token's state, which a classifier's outputs would not show."""
    inputs = random_weights.calibration("mobilebert", LENGTH)
    lean = from_keras(model.encoder, kinds.of(model.encoder))
    found = (ranges.estimated(lean) if learned == "estimated"
             else ranges.measured(lean, {name: values[:4] for name, values in inputs.items()}))
    rewritten = rewrites.rewritten(lean, RECIPES["float32"].rewrites, found)
    rows = {name: tf.constant(values[:2]) for name, values in inputs.items()}
    expected = model.encoder(rows)["sequence_output"].numpy()
    actual = lean_graph.outputs(rewritten, *rows.values())["sequence_output"].numpy()
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-5 * np.max(np.abs(expected)))
