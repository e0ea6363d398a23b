"""A numbered corpus, of which an epoch has three groups."""

import numpy as np
import pytest

from .numbered_corpus import SHARDS, assert_same, batches, make, make_small, take, unmasked


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return make(tmp_path_factory.mktemp("corpus"), SHARDS, np.random.default_rng(0))


@pytest.fixture
def small_groups(monkeypatch):
    """Three groups an epoch, of few small pools."""
    make_small(monkeypatch)


@pytest.fixture(scope="module")
def epochs(corpus):
    """The batches of three epochs, by epoch."""
    with pytest.MonkeyPatch.context() as patch:
        make_small(patch)
        made = batches(corpus)
        found, first = (take(made.dataset(epochs=count), -1) for count in (3, 1))
        ends = [len(unmasked(made, epochs=count)) for count in (1, 2, 3)]
    assert (len(first), len(found)) == (ends[0], ends[2])
    assert_same(found[: ends[0]], first)
    return [found[: ends[0]], found[ends[0]: ends[1]], found[ends[1]:]]
