"""Devices that this machine does not have."""

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.devices import strategy_for


def test_workers_without_their_variable_are_refused_in_one_sentence(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    with pytest.raises(InputError, match="^devices='workers' needs the environment variable"):
        strategy_for("workers")


def test_devices_that_are_not_here_are_refused(monkeypatch):
    monkeypatch.delenv("TPU_NAME", raising=False)
    with pytest.raises(InputError, match="^devices='tpu' cannot be used here: "):
        strategy_for("tpu")
