import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf.finetuning.optimizer import adamw
from mobilebert_tf.finetuning.schedule import WarmupLinearDecay


def test_rate_rises_to_the_peak_and_falls_to_zero():
    schedule = WarmupLinearDecay(2.0, steps=10, warmup_steps=4)
    rates = [float(schedule(step)) for step in range(11)]
    np.testing.assert_allclose(
        rates, [0.5, 1.0, 1.5, 2.0, *(2 * left / 7 for left in (6, 5, 4, 3, 2, 1)), 0], rtol=1e-6)


def test_without_warm_up_the_first_step_is_near_the_peak():
    schedule = WarmupLinearDecay(1.0, steps=4, warmup_steps=0)
    np.testing.assert_allclose([float(schedule(step)) for step in range(4)], [0.8, 0.6, 0.4, 0.2])


def test_schedule_survives_its_config_and_refuses_too_long_a_warm_up():
    schedule = WarmupLinearDecay(1e-3, steps=10, warmup_steps=1)
    copy = keras.optimizers.schedules.deserialize(keras.optimizers.schedules.serialize(schedule))
    assert copy.get_config() == schedule.get_config()
    with pytest.raises(ValueError, match="warmup_steps=10, steps=10"):
        WarmupLinearDecay(1e-3, steps=10, warmup_steps=10)



@pytest.mark.parametrize("preset", ["micro", "micro_ib_bert"])
def test_decay_is_for_kernels_and_tables_only(preset):
    model = mb.Pretrainer(mb.Encoder(mb.presets.get(preset)))
    optimizer = adamw(model, 0.5, steps=10, warmup_fraction=0.0, weight_decay=0.1)
    optimizer.build(model.trainable_variables)
    for variable in model.trainable_variables:
        variable.assign(tf.ones_like(variable))
    before = {v.name: v.numpy() for v in model.trainable_variables}
    optimizer.apply_gradients([(tf.zeros_like(v), v) for v in model.trainable_variables])
    # Without a gradient only decay moves a weight: by rate * decay of itself.
    rate = 0.5 * 10 / 11
    for variable in model.trainable_variables:
        decayed = len(variable.shape) > 1
        expected = before[variable.name] * (1 - rate * 0.1 * decayed)
        np.testing.assert_allclose(variable, expected, rtol=1e-6, err_msg=variable.name)


def test_gradients_are_clipped_by_their_global_norm():
    model = mb.Classifier(mb.Encoder(mb.presets.get("micro")), 2)
    optimizer = adamw(model, 1e-3, steps=10)
    optimizer.build(model.trainable_variables)
    gradients = [tf.fill(v.shape, 1e6) for v in model.trainable_variables]
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    # After one step the first moment is a tenth of the gradient as it was applied.
    moments = [v for v in optimizer.variables if v.name.startswith("m/")]
    assert len(moments) == len(gradients)
    norm = tf.linalg.global_norm(moments).numpy() / 0.1
    assert norm == pytest.approx(1.0, rel=1e-3)
