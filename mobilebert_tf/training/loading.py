"""The models of a run, from the names that a user gives."""

import dataclasses
from pathlib import Path

from mobilebert_tf import model_directory, presets
from mobilebert_tf.config import DENSE_POOLERS, EncoderConfig
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.errors import InputError
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.pretrainer import Pretrainer
from mobilebert_tf.models.repooling import with_pooler
from mobilebert_tf.terminal.waiting import waiting


def load(name: str, corpus: CorpusDirectory, heads: tuple[str, ...] = (),
         pooler: str | None = None) -> Encoder | Pretrainer:
    """Return a model for the vocabulary of a corpus.

    Args:
      name: a preset or a JSON file with an `EncoderConfig`, for random weights; or a model or
        Hugging Face directory.
      corpus: what the model will read.
      heads: of `mlm` and `nsp`; what a preset, or a model that comes without heads, gets.
      pooler: replaces the model's own; see `EncoderConfig.pooler`.
    Raises:
      InputError: for an unknown preset or directory, a vocabulary that is not the corpus's, or a
        corpus with longer examples than the model takes.
    """
    with waiting(f"Building {name}"):
        model = _loaded(name, corpus, heads, pooler)
    if corpus.length > model.config.max_positions:
        raise InputError(f"{corpus.directory} has examples of up to {corpus.length} tokens, "
                         f"{name} takes {model.config.max_positions}; make the corpus with "
                         "a smaller length")
    return model


def load_teacher(name: str, corpus: CorpusDirectory,
                 pooler: str | None = None) -> Encoder | Pretrainer:
    """Return a teacher for the vocabulary of a corpus.

    Args:
      name: a model or Hugging Face directory.
      corpus, pooler: as for `load`.
    Raises:
      InputError: for a preset, or a pooler of random weights; and see `load`.
    """
    check_teacher(name)
    model = load(name, corpus)
    check_teacher_pooler(name, model.config, pooler)
    return _repooled(model, pooler, ()) if isinstance(model, Pretrainer) else with_pooler(
        model, pooler)


def check_teacher(name: str) -> None:
    """Raise InputError if a teacher is a preset or a JSON file with an `EncoderConfig`."""
    if presets.is_config(name):
        raise InputError(f"{name} has random weights, which cannot teach; give a "
                         "model or Hugging Face directory")


def check_teacher_pooler(name: str, config: EncoderConfig, pooler: str | None) -> None:
    """Raise InputError if a pooler in place of a teacher's own would have random weights."""
    if pooler != config.pooler and pooler in DENSE_POOLERS:
        raise InputError(f"{name} has no pooler {pooler}, and a new one has random weights, which "
                         "cannot teach; leave out teacher_pooler, or choose mean or first_token")


def _loaded(name, corpus, heads, pooler):
    vocabulary = corpus.vocabulary()
    if presets.is_config(name):
        config = dataclasses.replace(presets.get(name), vocab_size=len(vocabulary))
        return _with_heads(with_pooler(Encoder(config), pooler), heads)
    if not Path(name).is_dir():
        presets.get(name)  # Raises an error that suggests names.
    contents = model_directory.load(name)
    if contents.vocabulary is not None and contents.vocabulary.pieces != vocabulary.pieces:
        raise InputError(f"{name} has another vocabulary than {corpus.directory}; make "
                         "the corpus with the model's vocab.txt")
    if contents.vocabulary is not None and contents.lower_case != corpus.lower_case:
        ours, its = ("lower-cased" if one.lower_case else "cased" for one in (contents, corpus))
        raise InputError(f"{name} reads {ours} text, and {corpus.directory} is {its}; make the "
                         f"corpus {'without' if contents.lower_case else 'with'} --cased")
    model_directory.check_vocabulary(vocabulary, contents.model.config, name)
    if isinstance(contents.model, Pretrainer):
        return _repooled(contents.model, pooler, heads)
    return _with_heads(with_pooler(contents.model.encoder, pooler), heads)


def _repooled(model, pooler, heads):
    """Return the model, or with another pooler a copy with a new next-sentence head."""
    encoder = with_pooler(model.encoder, pooler)
    if encoder is model.encoder:
        return model
    changed = Pretrainer(encoder, next_sentence="nsp" in heads)
    changed.mlm_head.set_weights(model.mlm_head.get_weights())
    return changed


def _with_heads(encoder, heads):
    if "mlm" in heads:
        return Pretrainer(encoder, next_sentence="nsp" in heads)
    if heads:
        raise InputError("a model with a next-sentence head needs a masked-LM head too")
    return encoder
