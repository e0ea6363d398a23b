"""What settings and plans refuse."""

import pytest

import mobilebert_tf as mb


@pytest.mark.parametrize(("changes", "message"), [
    ({"seed": -1}, "seed is -1, below 0"),
    ({"seed": 2**32}, "seed is 4294967296, above 4294967295"),
    ({"clip_norm": 0.0}, "clip_norm is 0.0; give a finite number above 0"),
    ({"clip_norm": -1.0}, "clip_norm is -1.0"), ({"clip_norm": float("nan")}, "clip_norm is nan"),
    ({"clip_norm": float("inf")}, "clip_norm is inf"),
    ({"validation_steps": -1}, "validation_steps is -1, below 0"),
    ({"accumulation": 0}, "accumulation is 0, below 1"),
    ({"log_every": 0}, "log_every is 0"), ({"checkpoint_every": 0}, "checkpoint_every is 0"),
    ({"keep": 0}, "keep is 0"), ({"devices": "two"}, "'two'; choose one of one, mirrored, workers"),
    ({"precision": "float16"}, "'float16'; choose one of float32, mixed_bfloat16")])
def test_wrong_settings_are_refused_by_name(changes, message):
    with pytest.raises(mb.InputError, match=message):
        mb.TrainingSettings(**changes)


def test_what_is_next_to_wrong_is_accepted():
    assert mb.TrainingSettings(seed=2**32 - 1, clip_norm=1e-9, validation_steps=0).seed == 2**32 - 1


def test_an_unknown_strategy_is_refused():
    with pytest.raises(mb.InputError, match="'both'; known are auxiliary, joint, progressive"):
        mb.DistillationPlan(strategy="both")


@pytest.mark.parametrize("plan", [mb.PretrainingPlan, mb.DistillationPlan, mb.TaskPlan])
def test_an_option_that_no_stage_has_is_refused(plan):
    plan(options={"masking_rate": 0.2})
    with pytest.raises(mb.InputError, match="^options has no rate; known are name, "):
        plan(options={"rate": 0.2})
