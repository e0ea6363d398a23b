"""The one table of model classes: how each of them is saved, in every layout.

A model class from outside joins it through `register`.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping

import tf_keras as keras

from mobilebert_tf import records
from mobilebert_tf.checkpoints import places
from mobilebert_tf.checkpoints.places import VariablePlace
from mobilebert_tf.checkpoints.transformers_class import TransformersClass
from mobilebert_tf.config import EmbeddingPooler, EncoderConfig
from mobilebert_tf.errors import InputError
from mobilebert_tf.models.classifier import Classifier
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.encoder_model import EncoderModel
from mobilebert_tf.models.pretrainer import Pretrainer
from mobilebert_tf.models.question_answerer import QuestionAnswerer
from mobilebert_tf.models.sentence_encoder import SentenceEncoder
from mobilebert_tf.models.token_classifier import TokenClassifier


@dataclasses.dataclass(frozen=True)
class _NoSettings:
    """The settings of a model that is made of its encoder alone."""


@dataclasses.dataclass(frozen=True, eq=False)
class Architecture:
    """A model class as checkpoints see it.

    Args:
      model: an `EncoderModel` subclass, or `Encoder`.
      settings: a frozen dataclass of the model's arguments besides its encoder, with types that
        `records` checks. A setting without a default is required in a .keras file.
      head: (config, settings) -> the places of the head's variables.
      transformers: transformers' classes that compute the same. A model is written as the first
        one whose settings it has.
      google_head: the name in Google's checkpoints, of a variable or of a scope, that shows that
        they hold this head; "" for an encoder, which has no head; None where Google's code has no
        such model.
    """

    model: type[keras.Model]
    settings: type = _NoSettings
    head: Callable[[EncoderConfig, object], Iterable[VariablePlace]] = lambda config, settings: ()
    transformers: tuple[TransformersClass, ...] = ()
    google_head: str | None = None

    @property
    def has_classes(self) -> bool:
        return "num_classes" in self._names()

    def choose(self, values: Mapping):
        """Return the settings record of those `values` that are settings of this model."""
        return self.settings(**{name: values[name] for name in self._names() if name in values})

    def build(self, config: EncoderConfig, settings, name: str | None = None) -> keras.Model:
        """Build the model with new weights."""
        if not issubclass(self.model, EncoderModel):
            return self.model(config, name=name)
        return self.model(Encoder(config), name=name, **dataclasses.asdict(settings))

    def _names(self):
        return [field.name for field in dataclasses.fields(self.settings)]


def register(architecture: Architecture) -> None:
    """Add a model class to the table; one that is there already is replaced."""
    _TABLE[architecture.model] = architecture


def every() -> Iterator[Architecture]:
    """Yield all architectures, the project's own first."""
    yield from _TABLE.values()


def of(model: keras.Model) -> Architecture:
    """Return the architecture of a model.

    Raises:
      InputError: for a model of a class that is not in the table.
    """
    if type(model) not in _TABLE:
        raise InputError(f"a {type(model).__name__} cannot be saved or loaded as a checkpoint; "
                         "add its class with checkpoints.architectures.register")
    return _TABLE[type(model)]


@dataclasses.dataclass(frozen=True)
class _SentenceEncoderSettings:
    pooler: EmbeddingPooler = "mean"


@dataclasses.dataclass(frozen=True)
class _PretrainerSettings:
    next_sentence: bool


@dataclasses.dataclass(frozen=True)
class _ClassifierSettings:
    num_classes: records.Size
    dropout: records.Rate
    multi_label: bool = False


@dataclasses.dataclass(frozen=True)
class _TokenClassifierSettings:
    num_classes: records.Size
    dropout: records.Rate


@dataclasses.dataclass(frozen=True)
class _QuestionAnswererSettings:
    dropout: records.Rate = 0.0


def _pretrainer_head(config, settings):
    predictions, hidden = "cls/predictions", config.hidden_size
    yield from places.dense(f"{predictions}/transform/dense", "mlm_head.dense", hidden, hidden)
    yield from places.norm(f"{predictions}/transform/LayerNorm", "mlm_head.norm", hidden)
    yield VariablePlace(f"{predictions}/output_bias", "mlm_head.output_bias", (config.vocab_size,))
    if config.extra_output_size:
        yield VariablePlace(f"{predictions}/extra_output_weights", "mlm_head.extra_kernel",
                    (config.vocab_size, config.extra_output_size))
    if settings.next_sentence:
        yield from places.output("cls/seq_relationship/", "nsp_head", config.pooled_size, 2)


_TABLE = {architecture.model: architecture for architecture in (
    Architecture(Encoder, transformers=(TransformersClass("Model"),), google_head=""),
    Architecture(SentenceEncoder, _SentenceEncoderSettings),
    Architecture(
        Pretrainer, _PretrainerSettings, _pretrainer_head,
        (TransformersClass("ForPreTraining", reads="pooled",
                           settings={"next_sentence": True}),
         TransformersClass("ForMaskedLM")),
        google_head="cls/predictions"),
    Architecture(
        Classifier, _ClassifierSettings,
        lambda config, settings: places.output(
            "", "head", config.pooled_size, settings.num_classes),
        (TransformersClass("ForSequenceClassification", reads="pooled"),),
        google_head="output_weights"),
    # Google's code has no token classifier; the names of its variables are ours.
    Architecture(
        TokenClassifier, _TokenClassifierSettings,
        lambda config, settings: places.output(
            "", "head", config.hidden_size, settings.num_classes),
        (TransformersClass("ForTokenClassification"),)),
    Architecture(
        QuestionAnswerer, _QuestionAnswererSettings,
        lambda config, settings: places.output("cls/squad/", "head", config.hidden_size, 2),
        (TransformersClass("ForQuestionAnswering", reads="spans"),), google_head="cls/squad"),
)}
