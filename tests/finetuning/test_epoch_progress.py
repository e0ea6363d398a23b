"""What an epoch shows of itself."""

import numpy as np
import pytest
import tf_keras as keras

from mobilebert_tf.finetuning import epoch_progress
from mobilebert_tf.finetuning.epoch_progress import EpochProgress


@pytest.fixture
def said(monkeypatch):
    """The lines that would be said, as the epoch goes."""
    lines = []

    class Progress(epoch_progress.Progress):
        def __enter__(self):
            lines.append(self.line(31))
            return self

        def update(self, done, description=None):
            super().update(done, description)
            lines.append(self.line(31))

        def __exit__(self, *error):
            lines.append("end")

    monkeypatch.setattr(epoch_progress, "Progress", Progress)
    return lines


def fit(shown, *more):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with shown:
        model.fit(np.ones((4, 2)), np.ones((4, 1)), 2, verbose=0, callbacks=[shown, *more])


def test_says_that_the_graph_is_built_and_then_the_steps(said):
    fit(EpochProgress(3, 2, builds=True))
    assert said == ["epoch 3, building the graph of the first step (once): 0 of 2 steps, 31 s",
                    "epoch 3: 1 of 2 steps, 31 s", "epoch 3: 2 of 2 steps, 31 s", "end"]


def test_a_later_epoch_builds_nothing(said):
    fit(EpochProgress(4, 2, builds=False))
    assert said[0] == "epoch 4: 0 of 2 steps, 31 s"


def test_is_over_before_what_comes_after_the_steps_and_after_an_error(said):
    seen = []
    fit(EpochProgress(1, 2, True), keras.callbacks.LambdaCallback(
        on_epoch_end=lambda *_: seen.append(said[-1])))
    assert seen == ["end"]
    said.clear()

    def fail(*_):
        raise OSError

    with pytest.raises(OSError, match="^$"):
        fit(EpochProgress(1, 2, True), keras.callbacks.LambdaCallback(on_train_batch_end=fail))
    assert said.count("end") == 1
