"""Small students and teachers with weights of which none is an identity, and batches for them."""

import dataclasses
import functools

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf.resuming.random_state import dropout_generators, make_dropout_restorable
from mobilebert_tf.training import loop
from mobilebert_tf.training.corpus_source import CorpusSource
from mobilebert_tf.training.distillation_plan import DistillationPlan
from mobilebert_tf.training.reporting import Reporting
from mobilebert_tf.training.settings import TrainingSettings

from ..processes import Killed
from .metrics import timeless_lines
from .worker_runs import make_place

ROWS, LENGTH = 4, 10


@pytest.fixture(scope="session")
def build(randomize):
    """preset, seed, `heads` of "mlm" and "nsp", changes of the config -> a model.

    With one feed-forward a block, which is enough here and faster.
    """

    def make(preset, seed, heads=("mlm", "nsp"), **changes):
        encoder = mb.Encoder(dataclasses.replace(
            mb.presets.get(preset), **{"num_feed_forwards": 1, **changes}))
        model = mb.Pretrainer(encoder, next_sentence="nsp" in heads) if heads else encoder
        return randomize(model, seed)

    return make


@pytest.fixture(scope="session")
def make_batch():
    """seed -> a batch as `CorpusBatches` gives it, of rows with none to much padding."""

    def make(seed=0):
        random = np.random.default_rng(seed)
        mask = (np.arange(LENGTH) < [[10], [8], [5], [3]]).astype(np.int32)
        types = (np.arange(LENGTH) >= [[5], [4], [5], [2]]).astype(np.int32) * mask
        original = random.integers(5, 120, mask.shape, np.int32) * mask
        counted = (np.arange(3) < [[3], [2], [1], [1]])
        positions = np.int32([[1, 4, 9], [2, 6, 0], [3, 0, 0], [1, 0, 0]])
        masked = original.copy()
        np.put_along_axis(masked, np.where(counted, positions, positions[:, :1]), 4, axis=1)
        labels = np.take_along_axis(original, positions, 1) * counted
        arrays = {"input_word_ids": masked, "original_word_ids": original, "input_mask": mask,
                  "input_type_ids": types, "masked_positions": positions * counted,
                  "masked_ids": labels, "masked_weights": counted.astype(np.float32),
                  "next_sentence_labels": np.int32([0, 1, -1, 1])}
        return {name: tf.constant(array, tf.float32 if array.dtype == np.float32 else tf.int32)
                for name, array in arrays.items()}

    return make


@pytest.fixture(scope="session")
def models(build):
    return build("micro", 1), build("micro_ib_bert", 2)


@pytest.fixture
def student_and_teacher(models):
    """MobileBERT and its IB-BERT teacher; what a test does to their weights is undone."""
    before = [model.get_weights() for model in models]
    yield models
    for model, weights in zip(models, before, strict=True):
        model.set_weights(weights)


@pytest.fixture
def eagerly():
    """Without graphs, which take longer to build than one step takes to run."""
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.fixture(scope="session")
def corpus(make_corpus, tmp_path_factory):
    return make_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def place(make_corpus, tmp_path_factory):
    """A directory with a corpus, and a teacher and a student of one block."""
    directory = tmp_path_factory.mktemp("place")
    return make_place(make_corpus(directory / "corpus"), directory)


@functools.lru_cache
def _built(strategy):
    """A student with dropout and its teacher, each of one block, and what both are at first."""
    make_dropout_restorable()
    with strategy.scope():
        models = []
        for seed, preset in enumerate(("micro", "micro_ib_bert")):
            keras.utils.set_random_seed(seed)
            models.append(mb.Pretrainer(mb.Encoder(dataclasses.replace(
                mb.presets.get(preset), num_blocks=1, num_feed_forwards=1))))
    return *models, [model.get_weights() for model in models]


def _models(strategy):
    """Models as a process that starts has them; built once, for that takes seconds."""
    student, teacher, weights = _built(strategy)
    for model, values in zip((student, teacher), weights, strict=True):
        model.set_weights(values)
    for index, generator in enumerate(dropout_generators(student)):
        generator.reset_from_seed(index)
    return student, teacher


class Run:
    """A run of two stages; each call is a start of the same command."""

    def __init__(self, corpus, directory, stages=None, **settings):
        self.corpus, self.directory = corpus, directory
        self.settings = TrainingSettings(
            **{"log_every": 3, "checkpoint_every": 2, "validation_steps": 0, **settings})
        self._stages = stages

    @property
    def stages(self):
        """Transfer, then distillation with dropout: what is random matters there."""
        if self._stages is None:
            plan = DistillationPlan(strategy="joint", transfer_steps=5, distillation_steps=7,
                                    batch_size=8, transfer_rate=1e-3, distillation_rate=1e-3)
            transfer, last = plan.stages(("embedding", "block_0", "mlm", "nsp"), ((0, 0),))
            losses = {"masked_lm": 0.5, "masked_lm_distillation": 0.5}
            self._stages = (transfer, dataclasses.replace(last, losses=losses, dropout=True))
        return self._stages

    def __call__(self, strategy=None):
        """Trains from weights of a seed, or from a checkpoint; returns the final weights."""
        student, teacher = _models(strategy or tf.distribute.get_strategy())
        loop.Run(student=student, teacher=teacher, stages=self.stages,
                 source=CorpusSource(self.corpus), directory=self.directory,
                 settings=self.settings, strategy=strategy).train()
        return student.get_weights()

    @property
    def checkpoints(self):
        return sorted(path.name for path in (self.directory / "checkpoints").glob("stage-*"))

    def lines(self):
        """metrics.jsonl without what depends on the clock."""
        return timeless_lines(self.directory)


@pytest.fixture(scope="session")
def make_run(corpus):
    """directory, stages, **settings -> a `Run` on the tiny corpus."""
    return lambda directory, stages=None, **settings: Run(corpus, directory, stages, **settings)


class Recorded(Exception):
    """Instead of a run: the `arguments` that it would be made with."""

    def __init__(self, arguments):
        super().__init__()
        self.arguments = arguments


class SetUp:
    """What is set up for a run."""

    Recorded = Recorded

    def __init__(self):
        self.deterministic = []

    def recorder(self, **arguments):
        raise Recorded(arguments)


@pytest.fixture
def set_up(monkeypatch):
    """`recorder` takes the place of `Run`; `deterministic` has a True for each time it is asked."""
    found = SetUp()
    monkeypatch.setattr(tf.config.experimental, "enable_op_determinism",
                        lambda: found.deterministic.append(True))
    return found


@pytest.fixture(scope="session")
def killed_at():
    """run, stage, step -> runs until that step is computed, of which nothing is written."""

    def run_until(run, stage, step):
        real = Reporting.stepped

        def stepped(self, position, scalars):
            if (position.stage, position.step) == (stage, step):
                raise Killed
            real(self, position, scalars)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Reporting, "stepped", stepped)
            with pytest.raises(Killed):
                run()

    return run_until
