"""An encoder for the heads of all kinds."""

import dataclasses

import pytest

import mobilebert_tf as mb


@pytest.fixture(scope="session")
def encoder():
    return mb.Encoder(dataclasses.replace(mb.presets.get("micro"), num_blocks=1,
                                          num_feed_forwards=1))
