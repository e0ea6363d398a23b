import numpy as np
import pytest
import tf_keras as keras

from mobilebert_tf.optimization.schedule import WarmupLinearDecay


def rates(schedule, steps):
    return np.float32([schedule(step) for step in range(steps)])


def test_rate_rises_to_the_peak_and_falls_to_zero():
    np.testing.assert_allclose(
        rates(WarmupLinearDecay(2.0, steps=10, warmup_steps=4), 12),
        [0.5, 1.0, 1.5, 2.0, *(2 * left / 7 for left in (6, 5, 4, 3, 2, 1)), 0, 0], rtol=1e-6)


def test_without_warm_up_the_first_step_is_near_the_peak():
    np.testing.assert_allclose(
        rates(WarmupLinearDecay(1.0, steps=4, warmup_steps=0), 4), [0.8, 0.6, 0.4, 0.2])


def test_falls_to_the_end_and_stays_there():
    # The warm-up is untouched: it starts at 0 and not at the end's rate.
    np.testing.assert_allclose(
        rates(WarmupLinearDecay(2.0, steps=10, warmup_steps=4, end=0.25), 12),
        [0.5, 1.0, 1.5, 2.0, *(0.5 + 1.5 * left / 7 for left in (6, 5, 4, 3, 2, 1)), 0.5, 0.5],
        rtol=1e-6)


@pytest.mark.parametrize("warmup_steps", [0, 3])
def test_an_end_of_one_keeps_the_peak(warmup_steps):
    found = rates(WarmupLinearDecay(3e-3, 9, warmup_steps, end=1.0), 12)
    rising = np.arange(1, warmup_steps + 1) / max(warmup_steps, 1)
    np.testing.assert_array_equal(found[warmup_steps:], np.float32(3e-3))
    np.testing.assert_allclose(found[:warmup_steps], 3e-3 * rising, rtol=1e-6)


def test_schedule_survives_its_config():
    schedule = WarmupLinearDecay(1e-3, steps=10, warmup_steps=1, end=0.5)
    copy = keras.optimizers.schedules.deserialize(keras.optimizers.schedules.serialize(schedule))
    np.testing.assert_array_equal(rates(copy, 12), rates(schedule, 12))
    assert copy.get_config() == schedule.get_config()


def test_refuses_too_long_a_warm_up_and_what_is_no_fraction():
    with pytest.raises(ValueError, match="warmup_steps=10, steps=10"):
        WarmupLinearDecay(1e-3, steps=10, warmup_steps=10)
    for end in (-0.1, 1.5):
        with pytest.raises(ValueError, match=f"end={end}"):
            WarmupLinearDecay(1e-3, steps=10, warmup_steps=1, end=end)
