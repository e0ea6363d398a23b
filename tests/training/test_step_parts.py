"""Parts of a batch, devices and half precision train as a whole batch in float32 does."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.training.accumulation import accumulated
from mobilebert_tf.training.stage_files import to_json

from .steps import make_stage, measure, still, take_step, values

MIXED = {"feature_map": 1.0, "attention": 1.0, "masked_lm": 1.0, "next_sentence": 1.0,
         "sentence_embedding": 1.0}
# With variables of the run, and with gradients of their own.
OTHERS = {"projected_feature_map": 1.0, "all_token_distillation": 1.0, "value_relation": 1.0}


def test_four_parts_in_a_graph_are_as_one_batch_without(build, make_batch):
    """Parts with different padding and predictions; their means would not be the mean."""
    batch = make_batch()
    stage = make_stage(MIXED, ("embedding", "block_0", "mlm", "nsp"), blocks=((0, 0),))
    teacher = build("micro_ib_bert", 2, (), num_blocks=1)
    student = build("micro", 1, num_blocks=1)
    before = student.get_weights()
    found, weights = [], []
    for accumulation in (4, 1):
        student.set_weights(before)
        tf.config.run_functions_eagerly(accumulation == 1)
        try:
            found.append(take_step(stage, student, teacher, batch, accumulation=accumulation))
        finally:
            tf.config.run_functions_eagerly(False)
        weights.append(student.get_weights())
    assert found[0] == pytest.approx(found[1], rel=1e-5)
    for left, right in zip(*weights, strict=True):
        np.testing.assert_allclose(left, right, atol=1e-5)
    tf.config.run_functions_eagerly(True)
    try:
        parts = [measure(stage, student, teacher, {name: value[rows:rows + 1]
                                                   for name, value in batch.items()})
                 for rows in range(4)]
        whole = measure(stage, student, teacher, batch)
    finally:
        tf.config.run_functions_eagerly(False)
    for name in ("feature_map", "attention", "masked_lm", "next_sentence"):
        found = [part.get(name, 0.0) for part in parts]  # one row is no pair
        assert np.mean(found) != pytest.approx(whole[name], rel=1e-2)


def test_parts_are_computed_one_after_another():
    """Parts at the same time would need the memory of a whole batch."""
    events = []

    def note(rows):
        events.append("begins")
        time.sleep(0.1)
        events.append("ends")
        return rows.sum()

    @tf.function
    def run(rows):
        return accumulated(lambda part: tf.ensure_shape(tf.numpy_function(
            note, [part["rows"]], tf.float32, stateful=False), []), {"rows": rows}, 4)

    assert run(tf.ones((8, 2))) == 16
    assert events == ["begins", "ends"] * 4


TWO_DEVICES = """
import json, sys
import numpy as np
import tensorflow as tf
from mobilebert_tf.training.projections import Projections
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.step import TrainingStep
import mobilebert_tf as mb
import dataclasses

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
given = np.load(sys.argv[1])
batch = {name: given[name] for name in given.files}
stage = Stage(**json.loads(sys.argv[2]))
small = {"num_blocks": 1, "num_feed_forwards": 1}


def model(preset, seed):
    model = mb.Pretrainer(mb.Encoder(dataclasses.replace(mb.presets.get(preset), **small)))
    random = np.random.default_rng(seed)
    for variable in model.weights:
        variable.assign(random.normal("gamma" in variable.name, 0.15, variable.shape))
    return model


results = {}
for devices in (1, 2):
    # One device without a graph, which would take longer to build.
    tf.config.run_functions_eagerly(devices == 1)
    strategy = (tf.distribute.get_strategy() if devices == 1
                else tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]))
    with strategy.scope():
        student, teacher = model("micro", 1), model("micro_ib_bert", 2)
        projections = Projections((stage,), student, teacher)
    step = TrainingStep(stage, student, teacher, strategy, projections=projections)
    rows = 4 // devices
    dataset = strategy.distribute_datasets_from_function(
        lambda context: tf.data.Dataset.from_tensor_slices(batch).batch(rows, True).repeat())
    function = step.function(dataset.element_spec)
    scalars = function(next(iter(dataset)))
    step.averages.update()
    results[devices] = ({name: float(value) for name, value in scalars.items()},
                        [variable.numpy() for variable in (*student.weights,
                                                           *step.averages.state)])

mirrored = [(copy, copy.numpy().copy()) for variable in student.weights
            for copy in strategy.experimental_local_results(variable)]
slots = [variable.numpy().copy() for one in step.optimizers for variable in one.variables]
batch["masked_weights"] = batch["masked_weights"] * np.float32([[1], [1], [1], [np.nan]])
raised = ""
try:
    function(next(iter(strategy.distribute_datasets_from_function(
        lambda context: tf.data.Dataset.from_tensor_slices(batch).batch(rows, True)))))
except tf.errors.InvalidArgumentError as error:
    raised = error.message
print(json.dumps({
    "one": results[1][0], "two": results[2][0], "copies": len(mirrored) / len(student.weights),
    "difference": max(float(abs(a - b).max()) for a, b in zip(
        results[1][1], results[2][1], strict=True)),
    "raised": raised,
    "kept": all(np.array_equal(copy.numpy(), was) for copy, was in mirrored) and all(
        np.array_equal(variable.numpy(), was) for variable, was in zip(
            [variable for one in step.optimizers for variable in one.variables], slots,
            strict=True)),
}))
"""


@pytest.mark.slow
def test_two_devices_are_as_one_and_keep_their_weights_when_a_loss_is_not_finite(
        tmp_path, make_batch):
    """The loss is not finite on the second device alone."""
    np.savez(tmp_path / "batch.npz", **{name: value.numpy()
                                        for name, value in make_batch().items()})
    stage = make_stage({**MIXED, **OTHERS}, {
        "embedding": 0.1, "block_0": 1.0, "mlm": 1.0, "nsp": 1.0}, blocks=((0, 0),),
        ema_momentum=0.9)
    done = subprocess.run(
        [sys.executable, "-c", TWO_DEVICES, tmp_path / "batch.npz",
         json.dumps(to_json((stage,))[0])],
        capture_output=True, text=True, timeout=900,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": ""})
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["copies"] == 2
    assert found["two"] == pytest.approx(found["one"], rel=1e-5)
    assert found["difference"] < 1e-5  # of weights and averages
    assert "the loss is not finite" in found["raised"]
    assert found["kept"]


@pytest.mark.usefixtures("eagerly")
def test_mixed_bfloat16_trains_float32_variables_near_the_float32_losses(build, make_batch):
    stage = make_stage({**MIXED, **OTHERS, "masked_lm_distillation": 1.0,
                        "normalized_feature_map": 1.0},
                       ("embedding", "block_0", "mlm", "nsp"), blocks=((0, 0),))
    found = []
    for policy in ("float32", "mixed_bfloat16"):
        keras.mixed_precision.set_global_policy(policy)
        try:
            student = build("micro", 1, num_blocks=1)
            teacher = build("micro_ib_bert", 2, num_blocks=1)
            before = values(student)
            found.append(take_step(stage, student, teacher, make_batch()))
        finally:
            keras.mixed_precision.set_global_policy("float32")
        assert {variable.dtype for variable in student.weights} == {tf.float32}
        assert not any(still(student, before).values())
    assert found[1] == pytest.approx(found[0], rel=0.05)
    assert found[1] != found[0]
