"""Files on the GPU accelerator in software. Tests that download the driver are slow ones."""

import dataclasses
import json
import types

import numpy as np
import pytest
import tensorflow as tf
from typer.testing import CliRunner

import mobilebert_tf as mb
from mobilebert_tf.cli.main import app
from mobilebert_tf.export.benchmark import random_weights
from mobilebert_tf.export.verify import answers, gpu

from ..conftest import KINDS, LENGTH, build, randomize
from .debian_tools import needs_debian_tools

BERT_KINDS = ("classification", "question_answering")


def file_of(path, content):
    path.write_bytes(content)
    return path


def graph_file(path, serve):
    """A file of a graph of ids, mask and segment ids, as the converter leaves it."""
    signature = [tf.TensorSpec((1, LENGTH), tf.int32, name=name)
                 for name in ("ids", "mask", "segment_ids")]
    function = tf.function(serve, input_signature=signature, autograph=False)
    holder = tf.Module()
    holder.serve = function
    return file_of(path, tf.lite.TFLiteConverter.from_concrete_functions(
        [function.get_concrete_function()], holder).convert())


@pytest.mark.slow
@needs_debian_tools
def test_float_files_of_every_kind_run_wholly_and_rightly(models, exported, tmp_path):
    files = [file_of(tmp_path / f"{kind}.tflite", exported(kind, "float32").model)
             for kind in KINDS]
    files += [file_of(tmp_path / f"bert_{kind}.tflite", mb.export.to_tflite(
        build(kind, "micro_bert"), "float32", (LENGTH, 2 * LENGTH)).model) for kind in BERT_KINDS]
    files.append(file_of(tmp_path / "tiny.tflite", mb.export.to_tflite(
        build("classification", "micro_tiny"), "float32", (LENGTH,)).model))
    for check in gpu.check(files):
        assert check.passed, check
        assert check.rejected == ()
        assert "SwiftShader" in check.adapter


@pytest.mark.slow
@needs_debian_tools
@pytest.mark.parametrize("segments", [0, 1])
def test_a_bert_without_segments_runs_wholly_and_rightly(segments, tmp_path):
    """Words and the position table must not be added at rank 2: see the last slow test."""
    config = dataclasses.replace(mb.presets.get("micro_bert"), type_vocab_size=segments)
    model = randomize(mb.Classifier(mb.Encoder(config), 3))
    file = file_of(tmp_path / "model.tflite",
                   mb.export.to_tflite(model, "float32", (LENGTH,)).model)
    check, = gpu.check([file])
    assert check.passed, check


@pytest.mark.slow
@needs_debian_tools
def test_full_size_mobilebert_runs_wholly_and_rightly(tmp_path):
    file = file_of(tmp_path / "mobilebert.tflite", mb.export.to_tflite(
        random_weights.classifier("mobilebert"), "float32", (128,)).model)
    check, = gpu.check([file])
    assert check.passed, check


@pytest.mark.slow
@needs_debian_tools
def test_a_rejected_operation_is_named_and_fails_the_check(tmp_path):
    random = np.random.default_rng(0)
    table = tf.constant(random.normal(size=(100, 8)), tf.float32)

    def serve(ids, mask, segment_ids):
        words = tf.gather(table, ids) * tf.cast(mask + segment_ids, tf.float32)[..., tf.newaxis]
        return {"states": words}

    file = graph_file(tmp_path / "rejected.tflite", serve)
    check, = gpu.check([file])
    assert not check.fully_accelerated
    assert not check.passed
    assert check.rejected == ("GATHER: Only support 1D indices",)
    # With the CPU's help it runs and is right.
    assert check.agreement.max_relative_difference < 1e-5
    done = CliRunner().invoke(app, ["check-gpu", str(file), "--json", str(tmp_path / "out.json")])
    assert done.exit_code == 1, done.output
    assert "rejected GATHER: Only support 1D indices" in done.output
    assert json.loads((tmp_path / "out.json").read_text())["checks"][0]["passed"] is False


@pytest.mark.slow
@needs_debian_tools
def test_a_file_that_runs_wholly_and_wrongly_fails_the_check(tmp_path):
    """LiteRT 2.3.0 adds row 0 of a constant table to every row of a tensor of rank 2.

    Where a later LiteRT is right, this test wants another wrong graph.
    """
    random = np.random.default_rng(0)
    table = tf.constant(random.normal(size=(100, 8)), tf.float32)
    positions = tf.constant(random.normal(size=(LENGTH, 8)), tf.float32)

    def serve(ids, mask, segment_ids):
        states = tf.gather(table, tf.reshape(ids, (-1,))) + positions
        kept = tf.cast(mask + segment_ids, tf.float32)[..., tf.newaxis]
        return {"states": states[tf.newaxis] * kept}

    check, = gpu.check([graph_file(tmp_path / "wrong.tflite", serve)])
    assert check.fully_accelerated
    assert check.agreement.max_relative_difference > 0.1
    assert not check.passed


def fake_worker(monkeypatch, alone, with_cpu=(None, "")):
    """Run `gpu.check` on a file that does not exist, with these answers of the workers."""
    outputs = {"serving_default/0/probabilities": np.float32([[0.25, 0.75]])}
    monkeypatch.setenv("VK_ICD_FILENAMES", "own.json")
    monkeypatch.setattr(answers, "sample_inputs", lambda file: {})
    monkeypatch.setattr(answers, "on_this_cpu", lambda file, inputs: outputs)
    monkeypatch.setattr(answers, "recipe_of", lambda file: "float32")
    seen = []

    def run(command, file, inputs, environment):
        seen.append(types.SimpleNamespace(accelerators=command[-1], environment=environment))
        return (alone if command[-1] == "GPU" else with_cpu)

    monkeypatch.setattr(answers, "run", run)
    check, = gpu.check(["x.tflite"])
    return check, seen


LOG = """I0000 environment.cc:532] Selected adapter: Some Device, arch=x, vendor=y
ERROR: Following operations are not supported by GPU delegate:
GATHER: Only support 1D indices
STRIDED_SLICE: Slice does not support shrink_axis_mask parameter.
127 operations will run on the GPU, and the remaining 13 operations will run on the CPU.
RuntimeError: Some ops are not accelerated.
its process ended with 1
"""


def test_the_accelerators_log_is_read(monkeypatch):
    answer = {"serving_default/0/probabilities": np.float32([[0.25, 0.75]])}
    check, seen = fake_worker(monkeypatch, (None, LOG), (answer, LOG))
    assert check.rejected == ("GATHER: Only support 1D indices", "STRIDED_SLICE: Slice does not "
                              "support shrink_axis_mask parameter.")
    assert (check.adapter, check.fully_accelerated, check.passed) == ("Some Device", False, False)
    assert check.sentence().startswith(
        "failed x.tflite on Some Device: not fully accelerated; rejected GATHER: Only support 1D "
        "indices; rejected STRIDED_SLICE: Slice does not support shrink_axis_mask parameter.; "
        "largest relative difference 0.0e+00 (allowed 1e-05), the best value the same in 100.0 %")
    assert [one.accelerators for one in seen] == ["GPU", "GPU|CPU"]
    # A driver that the environment names is not replaced.
    assert all(one.environment["VK_ICD_FILENAMES"] == "own.json" for one in seen)


def test_a_crash_is_a_failed_check(monkeypatch):
    check, _ = fake_worker(monkeypatch, (None, "its process ended with -11\n"),
                           (None, "its process ended with -11\n"))
    assert check.problem == "its process ended with -11"
    assert (check.agreement, check.adapter, check.passed) == (None, None, False)


@pytest.mark.parametrize(("values", "passed"), [
    ([[0.25, 0.75]], True), ([[0.250001, 0.75]], True), ([[0.2502, 0.7498]], False),
    ([[0.0, 0.0]], False), ([[np.nan, 0.75]], False)])
def test_wrong_numbers_fail_however_well_they_ran(monkeypatch, values, passed):
    answer = {"serving_default/0/probabilities": np.float32(values)}
    check, _ = fake_worker(monkeypatch, (answer, ""))
    assert check.fully_accelerated
    assert check.passed is passed
