"""What settings and plans refuse."""

import pytest

import mobilebert_tf as mb


@pytest.mark.parametrize(("changes", "message"), [
    ({"seed": -1}, "seed is -1, below 0"), ({"accumulation": 0}, "accumulation is 0, below 1"),
    ({"log_every": 0}, "log_every is 0"), ({"checkpoint_every": 0}, "checkpoint_every is 0"),
    ({"keep": 0}, "keep is 0"), ({"devices": "two"}, "'two'; choose one of one, mirrored, workers"),
    ({"precision": "float16"}, "'float16'; choose one of float32, mixed_bfloat16")])
def test_wrong_settings_are_refused_by_name(changes, message):
    with pytest.raises(mb.InputError, match=message):
        mb.TrainingSettings(**changes)


def test_an_unknown_strategy_is_refused():
    with pytest.raises(mb.InputError, match="'both'; known are auxiliary, joint, progressive"):
        mb.DistillationPlan(strategy="both")
