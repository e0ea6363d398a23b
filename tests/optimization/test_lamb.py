"""Lamb against a NumPy version of the paper's algorithm 2, against wrong versions and Keras 3's."""

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.optimization.build import lamb
from mobilebert_tf.optimization.lamb import Lamb
from mobilebert_tf.optimization.schedule import WarmupLinearDecay

from ..needed import needed

STEPS = 3
RATES = [0.05, 0.1, 0.1 * 8 / 9]  # WarmupLinearDecay(0.1, 10, 2)
TOLERANCE = 1e-6


def reference(weights, gradients, decayed, weight_decay=0.01, bias_correction=True, wrong=None):
    """float64 weights after the steps; `wrong` names a mistake to make.

    Args:
      weights: one array for every variable.
      gradients: for every step, one array for every variable.
      decayed: for every variable, whether decay and the ratio of norms apply.
    """
    weights = [np.float64(w) for w in weights]
    first, second = [0 * w for w in weights], [0 * w for w in weights]
    for step, (rate, given) in enumerate(zip(RATES, gradients, strict=True), 1):
        for i, gradient in enumerate(np.float64(g) for g in given):
            first[i] = 0.9 * first[i] + 0.1 * gradient
            second[i] = 0.999 * second[i] + 0.001 * gradient ** 2
            power = step - 1 if wrong == "steps_from_0" and step > 1 else step
            scales = (1 - 0.9 ** power, 1 - 0.999 ** power) if bias_correction else (1, 1)
            update = first[i] / scales[0] / (np.sqrt(second[i] / scales[1]) + 1e-6)
            decay = weight_decay * weights[i] * (decayed[i] or wrong == "decay_for_all")
            if wrong not in ("decay_after_ratio", "decay_without_ratio"):
                update = update + decay
            norms = np.linalg.norm(weights[i]), np.linalg.norm(update)
            if wrong == "norm_of_gradient":
                norms = norms[0], np.linalg.norm(gradient)
            has_ratio = (decayed[i] or wrong == "ratio_for_all") and wrong != "no_ratio"
            ratio = norms[0] / norms[1] if has_ratio and min(norms) > 0 else 1.0
            if wrong == "decay_after_ratio":
                update = update + decay
            weights[i] = weights[i] - rate * ratio * update
            if wrong == "decay_without_ratio":  # as the Keras base class decays
                weights[i] = weights[i] - rate * decay
    return weights


CASES = {  # name -> weights, scale of the gradients
    "kernel": (np.random.default_rng(0).normal(0, 0.5, (5, 4)), 1.0),
    "large/kernel": (np.random.default_rng(1).normal(0, 0.5, (300, 70)), 1e3),
    "word_table": (np.random.default_rng(2).normal(0, 2.0, (7, 3)), 1e-6),  # about epsilon
    "zero/kernel": (np.zeros((3, 3)), 1.0),  # ratio 1 at first
    "still/kernel": (np.full((2, 2), 0.3), 0.0),  # moved by its decay alone, or not at all
    "zero_and_still/kernel": (np.zeros((2, 2)), 0.0),
    "bias": (np.random.default_rng(3).normal(0, 0.5, (6,)), 1.0),
    "norm/gamma": (np.ones(4), 1e-2),
}
WEIGHTS = [np.float32(weights) for weights, _ in CASES.values()]
DECAYED = [weights.ndim > 1 for weights in WEIGHTS]


def gradients(seed=5):
    random = np.random.default_rng(seed)
    return [[np.float32(random.normal(0.3, 1, w.shape) * scale) for w, scale in CASES.values()]
            for _ in range(STEPS)]


def new_variables():
    return [tf.Variable(w, name=name) for name, w in zip(CASES, WEIGHTS, strict=True)]


def new_optimizer(variables, **arguments):
    return lamb(variables, WarmupLinearDecay(0.1, 10, 2), clip_norm=None, **arguments)


def run(variables, optimizer, all_gradients):
    @tf.function
    def step(given):
        optimizer.apply_gradients(zip(given, variables, strict=True))

    for given in all_gradients:
        step([tf.constant(g) if isinstance(g, np.ndarray) else g for g in given])
    return [v.numpy() for v in variables]


def difference(left, right):
    """The largest of any variable, as a part of the variable's largest weight."""
    return max(np.abs(a - b).max() / max(np.abs(b).max(), 1e-12)
               for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize("weight_decay", [0.01, 0.0])
@pytest.mark.parametrize("bias_correction", [True, False])
def test_is_the_papers_algorithm(bias_correction, weight_decay):
    settings = {"bias_correction": bias_correction, "weight_decay": weight_decay}
    variables = new_variables()
    found = run(variables, new_optimizer(variables, **settings), gradients())
    expected = reference(WEIGHTS, gradients(), DECAYED, **settings)
    for name, left, right in zip(CASES, found, expected, strict=True):
        np.testing.assert_allclose(left, right, rtol=TOLERANCE,
                                   atol=TOLERANCE * np.abs(right).max(), err_msg=name)
    by_name = dict(zip(CASES, found, strict=True))
    np.testing.assert_array_equal(by_name["zero_and_still/kernel"], 0)
    # A weight that only decays shrinks by the rate itself, for the ratio undoes `weight_decay`.
    shrunk = 0.3 * np.prod([1 - rate for rate in RATES]) if weight_decay else np.float32(0.3)
    np.testing.assert_allclose(by_name["still/kernel"], np.full((2, 2), shrunk), rtol=TOLERANCE)


@pytest.mark.parametrize("wrong", [
    "decay_after_ratio", "decay_without_ratio", "decay_for_all", "ratio_for_all", "no_ratio",
    "norm_of_gradient", "steps_from_0"])
def test_a_wrong_algorithm_would_be_seen(wrong):
    right = reference(WEIGHTS, gradients(), DECAYED)
    assert difference(reference(WEIGHTS, gradients(), DECAYED, wrong=wrong), right) > (
        100 * TOLERANCE)


def test_the_two_variants_differ_by_the_size_of_the_first_update():
    """Where the ratio of norms does not hide it: in what is not decayed."""
    moved = []
    for bias_correction in (True, False):
        variable = tf.Variable([1.0], name="bias")
        optimizer = lamb([variable], 0.01, bias_correction=bias_correction)
        optimizer.apply_gradients([(tf.constant([0.7]), variable)])
        moved.append(1 - float(variable[0]))
    np.testing.assert_allclose(moved, [0.01, 0.01 * 0.1 / np.sqrt(0.001)], rtol=1e-4)


def test_without_decay_it_is_keras_3s():
    """Theirs decays before the update and knows no excluded variables: compared without either."""
    keras_3 = needed("keras", minversion="3")
    if keras_3.backend.backend() != "tensorflow":
        pytest.skip("Keras 3 is set to another backend")
    ours = new_variables()
    given = gradients()
    found = run(ours, Lamb(0.1, weight_decay=0.0), given)  # not from `lamb`: nothing is excluded
    theirs = [keras_3.Variable(w) for w in WEIGHTS]
    optimizer = keras_3.optimizers.Lamb(0.1, epsilon=1e-6)
    for step in given:
        optimizer.apply_gradients(zip(map(tf.constant, step), theirs, strict=True))
    # Their bias correction is computed in float32. The ratio of norms hides that, up to epsilon.
    assert difference(found, [v.value.numpy() for v in theirs]) < 1e-5


def test_sparse_gradients_are_as_dense_ones():
    """Rows given twice add up; rows not given move by their moments and decay."""
    table = np.random.default_rng(0).normal(size=(6, 2)).astype(np.float32)
    random = np.random.default_rng(1)
    dense, sparse = [], []
    for rows in ([1, 4, 1], [0, 4, 4], [1, 1, 5]):
        values = random.normal(size=(3, 2)).astype(np.float32)
        summed = np.zeros_like(table)
        np.add.at(summed, rows, values)
        dense.append([summed])
        sparse.append([tf.IndexedSlices(tf.constant(values), tf.constant(rows),
                                        tf.constant(table.shape))])
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in (dense, sparse):
            variables = [tf.Variable(table, name="word_table")]
            found.append(run(variables, new_optimizer(variables), given))
    assert difference(*found) < TOLERANCE
    assert difference(found[1], reference([table], dense, [True])) < TOLERANCE


def test_gradients_of_a_lookup_are_sparse_and_accepted():
    variables = [tf.Variable(np.ones((6, 2), np.float32), name="word_table")]
    optimizer = new_optimizer(variables)

    @tf.function
    def step(rows):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(variables[0], rows))
        given = tape.gradient(loss, variables)
        assert isinstance(given[0], tf.IndexedSlices)
        optimizer.apply_gradients(zip(given, variables, strict=True))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(STEPS):
            step(tf.constant([1, 1, 3]))
    given = [[np.float32([[0, 0], [2, 2], [0, 0], [1, 1], [0, 0], [0, 0]])]] * STEPS
    assert difference([variables[0].numpy()], reference([np.ones((6, 2))], given, [True])) < (
        TOLERANCE)


def test_with_mixed_precision_everything_of_the_optimizer_is_float32():
    layer = keras.layers.Dense(3, dtype="mixed_bfloat16", bias_initializer="ones")
    layer.build((None, 4))
    start = [v.numpy() for v in layer.trainable_variables]
    optimizer = new_optimizer(layer.trainable_variables)
    assert {v.dtype for v in optimizer.variables} == {tf.float32, tf.int64}
    seen = []
    for step in range(STEPS):
        with tf.GradientTape() as tape:
            outputs = layer(tf.fill((2, 4), 0.5 + step))
            assert outputs.dtype == tf.bfloat16
            loss = tf.reduce_sum(tf.square(tf.cast(outputs, tf.float32)))
        given = tape.gradient(loss, layer.trainable_variables)
        seen.append([g.numpy() for g in given])
        optimizer.apply_gradients(zip(given, layer.trainable_variables, strict=True))
    expected = reference(start, seen, [True, False])
    assert difference([v.numpy() for v in layer.trainable_variables], expected) < TOLERANCE


def test_runs_compiled_by_xla():
    variables = new_variables()
    optimizer = new_optimizer(variables)
    step = tf.function(
        lambda given: optimizer.apply_gradients(zip(given, variables, strict=True)),
        jit_compile=True)
    for given in gradients():
        step([tf.constant(g) for g in given])
    expected = reference(WEIGHTS, gradients(), DECAYED)
    assert difference([v.numpy() for v in variables], expected) < TOLERANCE


def test_survives_its_config():
    optimizer = Lamb(WarmupLinearDecay(0.1, 10, 2), weight_decay=0.02, beta_1=0.8, beta_2=0.99,
                     epsilon=1e-5, bias_correction=False, global_clipnorm=2.0, name="other")
    copy = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    assert type(copy) is Lamb
    assert copy.get_config() == optimizer.get_config()
    given = {"weight_decay": 0.02, "beta_1": 0.8, "beta_2": 0.99, "epsilon": 1e-5,
             "bias_correction": False, "global_clipnorm": 2.0, "name": "other"}
    assert {name: copy.get_config()[name] for name in given} == given
    rate = copy.get_config()["learning_rate"]["config"]
    assert rate == WarmupLinearDecay(0.1, 10, 2).get_config()


def test_defaults_are_berts():
    config = Lamb().get_config()
    assert {name: config[name] for name in ("beta_1", "beta_2", "epsilon", "weight_decay",
                                            "bias_correction")} == {
        "beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-6, "weight_decay": 0.01,
        "bias_correction": True}


# Devices have to be set up before TensorFlow starts.
ON_TWO_DEVICES = """
import json
import numpy as np
import tensorflow as tf
from mobilebert_tf.optimization.build import lamb
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
random = np.random.default_rng(0)
start = {"kernel": random.normal(size=(4, 3)), "bias": random.normal(size=3),
         "word_table": random.normal(size=(5, 2))}
start = {name: np.float32(value) for name, value in start.items()}
given = [{name: np.float32(random.normal(size=(2, *value.shape)))
          for name, value in start.items()} for _ in range(3)]

def new():
    variables = [tf.Variable(value, name=name) for name, value in start.items()]
    return variables, lamb(variables, 0.1, clip_norm=None)

alone, optimizer = new()
for step in given:
    optimizer.apply_gradients([(step[name].sum(0), v) for name, v in zip(start, alone)])
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    mirrored, optimizer = new()

@tf.function
def replica_step(of_replicas):
    replica = tf.distribute.get_replica_context().replica_id_in_sync_group
    gradients = [of_replicas[name][replica] for name in start]
    # The last as a lookup's, with every row.
    gradients[-1] = tf.IndexedSlices(gradients[-1], tf.range(5), tf.constant([5, 2]))
    optimizer.apply_gradients(zip(gradients, mirrored))

@tf.function
def step(of_replicas):
    strategy.run(replica_step, args=(of_replicas,))

for values in given:
    step({name: tf.constant(value) for name, value in values.items()})
copies = [[copy.numpy() for copy in v.values] for v in mirrored]
print(json.dumps({
    "copies": [len(c) for c in copies],
    "apart": max(float(np.abs(c[0] - c[1]).max()) for c in copies),
    "from_alone": max(float(np.abs(c[0] - v.numpy()).max()) for c, v in zip(copies, alone)),
    "moved": min(float(np.abs(v.numpy() - start[n]).max()) for n, v in zip(start, alone))}))
"""


def test_two_mirrored_devices_take_the_step_of_one_with_the_summed_gradient():
    done = subprocess.run([sys.executable, "-c", ON_TWO_DEVICES], capture_output=True, text=True,
                          check=False, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.strip().splitlines()[-1])
    assert found["copies"] == [2, 2, 2]
    assert found["apart"] == 0
    assert found["from_alone"] < TOLERANCE
    assert found["moved"] > 0.01
