"""Whole runs, from what a user names to a model directory."""

import dataclasses
import itertools
import os
from collections.abc import Callable
from pathlib import Path

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf import kinds, model_directory, presets
from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.masking import Masking
from mobilebert_tf.errors import InputError
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.pretrainer import Pretrainer
from mobilebert_tf.models.repooling import with_pooler
from mobilebert_tf.resuming.random_state import make_dropout_restorable
from mobilebert_tf.terminal.waiting import waiting
from mobilebert_tf.training.components import components
from mobilebert_tf.training.loop import Settings, is_chief, train
from mobilebert_tf.training.stages import Stage
from mobilebert_tf.training.starting import start_from_teacher

MODEL = "model"
# Of the training texts, for the start of a student's embedding.
_START_BATCHES, _START_BATCH_SIZE = 8, 128


@dataclasses.dataclass(frozen=True)
class Model:
    """What a run trains, or is taught by, before it is built.

    Args:
      source: a preset for random weights, or a model or Hugging Face directory.
      pooler: replaces the model's own; see `EncoderConfig.pooler`.
    """

    source: str
    pooler: str | None = None


def load(named: Model, corpus: CorpusDirectory, heads: tuple[str, ...] = ()):
    """The model that `named` means, for the corpus's vocabulary.

    Args:
      heads: of `mlm` and `nsp`, what a model of random weights, or one that comes without heads,
        gets.
    Returns:
      An `Encoder` or a `Pretrainer`.
    Raises:
      InputError: for an unknown preset or directory, a vocabulary that is not the corpus's, or
        texts longer than the model takes.
    """
    with waiting(f"Building {named.source}"):
        model = _loaded(named, corpus, heads)
    if corpus.length > model.config.max_positions:
        raise InputError(f"{corpus.directory} has examples of up to {corpus.length} tokens, "
                         f"{named.source} takes {model.config.max_positions}; make the corpus with "
                         "a smaller --length")
    return model


def _loaded(named, corpus, heads):
    vocabulary = corpus.vocabulary()
    if named.source in presets.names():
        config = dataclasses.replace(presets.get(named.source), vocab_size=len(vocabulary))
        return _with_heads(with_pooler(Encoder(config), named.pooler), heads)
    if not Path(named.source).is_dir():
        presets.get(named.source)  # says which names there are
    contents = model_directory.load(named.source)
    if contents.vocabulary is not None and contents.vocabulary.pieces != vocabulary.pieces:
        raise InputError(f"{named.source} has another vocabulary than {corpus.directory}; make "
                         "the corpus with the model's vocab.txt")
    model_directory.check_vocabulary(vocabulary, contents.model.config, named.source)
    if isinstance(contents.model, Pretrainer):
        return _repooled(contents.model, named.pooler, heads)
    return _with_heads(with_pooler(contents.model.encoder, named.pooler), heads)


def _repooled(model, pooler, heads):
    """The model; with another pooler a copy, whose next-sentence head, which reads it, is new."""
    encoder = with_pooler(model.encoder, pooler)
    if encoder is model.encoder:
        return model
    changed = Pretrainer(encoder, next_sentence="nsp" in heads)
    changed.mlm_head.set_weights(model.mlm_head.get_weights())
    return changed


def distill(*, teacher: Model, student: Model,
            make_stages: Callable[[tuple[str, ...], object, object], tuple[Stage, ...]],
            heads: tuple[str, ...], corpus: CorpusDirectory, directory: str | os.PathLike,
            settings: Settings, strategy: tf.distribute.Strategy | None = None,
            say: Callable[[str], None] = print) -> Path:
    """Trains a student of a teacher; writes a model directory.

    Args:
      teacher, student: see `Model`.
      make_stages: (the student's components, student, teacher) -> stages.
      heads: what the student has besides its encoder, of `mlm` and `nsp`.
      corpus: what is read.
      directory: see `loop.train`; the student goes to its `model/`.
      settings, strategy: see `loop.train`.
      say: takes a line about what is being done.
    Returns:
      The student's directory.
    Raises:
      InputError: see `load`, `start_from_teacher` and `loop.train`.
    """
    strategy = strategy or tf.distribute.get_strategy()
    if teacher.source in presets.names():
        raise InputError(f"{teacher.source} is a preset, and a teacher of random weights has "
                         "nothing to teach; give a model or Hugging Face directory")
    with strategy.scope():
        taught_by = load(teacher, corpus)
        learner = _seeded(lambda: load(student, corpus, heads), settings.seed)
        if student.source in presets.names():
            batches = itertools.islice(CorpusBatches(
                corpus, "train", min(_START_BATCH_SIZE, corpus.count("train")), Masking(0.0),
                settings.seed).dataset().as_numpy_iterator(), _START_BATCHES)
            for line in start_from_teacher(learner, taught_by, list(batches)):
                say(line)
    say(f"teacher: {taught_by.encoder.count_params():,} parameters, student: "
        f"{learner.encoder.count_params():,}, without heads")
    stages = make_stages(tuple(components(learner)), learner, taught_by)
    train(student=learner, teacher=taught_by, stages=stages, corpus=corpus, directory=directory,
          settings=settings, strategy=strategy)
    return _saved(learner, corpus, directory, strategy)


def pretrain(*, model: Model, make_stages: Callable[[tuple[str, ...]], tuple[Stage, ...]],
             heads: tuple[str, ...], corpus: CorpusDirectory, directory: str | os.PathLike,
             settings: Settings, strategy: tf.distribute.Strategy | None = None,
             say: Callable[[str], None] = print) -> Path:
    """Trains a model without a teacher; arguments and result as of `distill`.

    Raises:
      InputError: as `distill` does, and for a next-sentence head where no example has two parts.
    """
    if "nsp" in heads and corpus.examples == "sentences":
        raise InputError(f"{corpus.directory} has single sentences, which teach no next-sentence "
                         "head; leave it out with --no-next-sentence, or make the corpus with "
                         "--examples pairs")
    strategy = strategy or tf.distribute.get_strategy()
    with strategy.scope():
        learner = _seeded(lambda: load(model, corpus, heads), settings.seed)
    say(f"{learner.count_params():,} parameters, {learner.encoder.count_params():,} of them the "
        "encoder's")
    train(student=learner, teacher=None, stages=make_stages(tuple(components(learner))),
          corpus=corpus, directory=directory, settings=settings, strategy=strategy)
    return _saved(learner, corpus, directory, strategy)


def _seeded(build, seed):
    make_dropout_restorable()
    keras.utils.set_random_seed(seed)
    return build()


def _with_heads(encoder, heads):
    if "mlm" in heads:
        return Pretrainer(encoder, next_sentence="nsp" in heads)
    if heads:
        raise InputError("a next-sentence head comes with a masked-LM head only")
    return encoder


def _saved(model, corpus, directory, strategy):
    path = Path(directory) / MODEL
    if is_chief(strategy):
        model_directory.save(path, ModelDirectory(
            model, corpus.vocabulary(), kinds.of(model), corpus.lower_case))
    return path
