"""Kind: what a model is for, and everything that follows from it."""

import abc
import dataclasses
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from mobilebert_tf.data.features.features import Features
from mobilebert_tf.data.features.settings import KindSettings
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation.confusion import Confusion
from mobilebert_tf.evaluation.metrics import Metrics
from mobilebert_tf.kinds.card import Card
from mobilebert_tf.kinds.exported_head import ExportedHead
from mobilebert_tf.kinds.head_rule import HeadRule
from mobilebert_tf.kinds.kind_confidence import KindConfidence
from mobilebert_tf.kinds.kind_losses import KindLosses
from mobilebert_tf.kinds.output import Output
from mobilebert_tf.kinds.table import TableFormat
from mobilebert_tf.text.tokenizer import Tokenizer


@dataclasses.dataclass(frozen=True, kw_only=True)
class Kind(KindLosses, KindConfidence, abc.ABC):
    """A kind of model, with the labels and the settings of one model.

    Examples become rows of token ids (`rows`); a model's outputs for these rows become one answer
    per example (`answers`); answers are scored, printed and written. Outputs are NumPy arrays under
    the names that an exported file gives them, whether Keras or a file computed them. An answer of
    None is missing and counts as wrong.

    TensorFlow is imported only inside the functions that build graphs.

    Args:
      labels: the names of the classes in the order of their ids; None if the kind has none, or they
        are not known yet.
      settings: how answers are made from outputs, a `settings_type`; None for the defaults.
    """

    labels: tuple[str, ...] | None = None
    settings: KindSettings | None = None

    # The name, in every JSON file and on the command line.
    name: ClassVar[str]
    # The number of tokens of a row, unless a model or the user says otherwise.
    length: ClassVar[int] = 128
    # Whether the answers are among labels.
    has_labels: ClassVar[bool] = False
    # Whether each text has exactly one class; then classes can be weighted and confused.
    has_one_class: ClassVar[bool] = False
    # Whether a model of this kind comes from fine-tuning on a task.
    is_fine_tuned: ClassVar[bool] = True
    # Whether some task scores a model of this kind.
    has_task: ClassVar[bool] = True
    # The dataclass of `settings`; None if the kind has no settings.
    settings_type: ClassVar[type[KindSettings] | None] = None
    # How the user's own tables are read; None if the kind reads none. A kind with a table is a task
    # of its name.
    table: ClassVar[TableFormat | None] = None
    # The columns of tables of texts without labels, unless a task names its own.
    text_columns: ClassVar[tuple[str, str]] = ("text", "second_text")
    # A text that every model of the kind can answer.
    shortest_text: ClassVar[str] = "a"
    # What an answer is called in sentences.
    noun: ClassVar[str] = "answer"

    # What the exporter, the card and the clients need.
    outputs: ClassVar[Mapping[str, Output]]
    output_scope: ClassVar[str] = "head"
    rules: ClassVar[tuple[HeadRule, ...]] = ()
    card: ClassVar[Card | None] = None
    # The folder of an Android app for such a model; None if the Android core cannot run it.
    app_folder: ClassVar[str | None] = None
    app_reads_pairs: ClassVar[bool] = False
    # Whether the web page has a tab for such a model; it reads pairs where the app does.
    in_page: ClassVar[bool] = False

    # The model.

    @classmethod
    @abc.abstractmethod
    def matches(cls, model) -> bool:
        """Return whether a Keras model is of this kind."""

    def build(self, encoder):
        """Build the Keras model on an encoder, which it shares."""
        raise InputError(f"nothing is fine-tuned for {self.name}")

    @classmethod
    def adapted(cls, model, embedding_pooler):
        """Return a model of this kind that reuses the encoder of `model`; by default, `model`.

        Args:
          model: of any kind.
          embedding_pooler: how sentence embeddings are made of its tokens' states; None if that is
            not known.
        """
        return model

    def embedded_by(self, embedding_pooler) -> "Kind":
        """Return the kind that makes sentence embeddings with this pooler.

        By default, return the kind as it is, because its outputs are no states of tokens.

        Args:
          embedding_pooler: see `adapted`.
        """
        return self

    def losses(self) -> dict:
        """Return `loss` and `loss_weights` as Keras's `compile` takes them."""
        raise InputError(f"nothing is fine-tuned for {self.name}")

    def are_pairs(self, examples: Sequence) -> bool:
        """Return whether examples are pairs of texts."""
        return False

    def keras_outputs(self, model, inputs) -> dict:
        """Compute the outputs of a Keras model under the names that a file gives them, float32.

        Args:
          model: of this kind.
          inputs: the encoder's, int32 `(batch, width)` each.
        """
        return self.graph_outputs(model(inputs, training=False))

    @abc.abstractmethod
    def graph_outputs(self, values) -> dict:
        """Name what the head computes: the logits, or the states if it has no output layer.

        Args:
          values: `(batch, ...)`, the last tensor of `exported_head`.
        """

    @classmethod
    @abc.abstractmethod
    def exported_head(cls, model) -> ExportedHead:
        """Return the layers of a model that an exported file computes after the last block."""

    # From texts to answers.

    def examples(self, texts: Sequence[str], second_texts: Sequence[str | None]) -> Sequence:
        """Make examples of texts without gold answers.

        Args:
          texts: one per example.
          second_texts: one per example; None if it has no second text.
        Raises:
          InputError: if the kind predicts nothing for a text, or takes no (or needs a) second text.
        """
        raise InputError(f"a model for {self.name} has no predictions of a text alone")

    @abc.abstractmethod
    def rows(self, examples: Sequence, tokenizer: Tokenizer, length: int) -> Features:
        """Make the rows of at most `length` tokens that a model reads of the examples."""

    @abc.abstractmethod
    def answers(self, outputs: Mapping[str, np.ndarray], examples: Sequence,
                features: Features) -> list[Any]:
        """Make one answer per example of the outputs for the rows of the features."""

    @abc.abstractmethod
    def to_json(self, answer: Any, example: Any, top_k: int) -> dict:
        """Return what a prediction says, for JSON.

        Args:
          answer: of `answers`.
          example: the answered one, of `examples`.
          top_k: how many classes, pieces or spans are named, best first.
        """

    @abc.abstractmethod
    def lines(self, prediction: dict) -> Iterable[str]:
        """Return the lines that a terminal shows of what `to_json` returned."""

    def what_is_cut(self, length: int) -> str:
        """Return the note that is printed for a cut text. `length` is the model's."""
        return f"cut to the {length} tokens that the model takes"

    @classmethod
    def card_fields(cls, labels: Sequence[str], settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what fills those gaps of the card that only this kind has, by name.

        Args:
          labels: of the model; empty if it has none.
          settings: of the package, by name.
        """
        return {}

    def vectors(self, outputs: Mapping[str, np.ndarray], features: Features) -> np.ndarray:
        """Make a sentence embedding of length 1 per row, float32 `(rows, features)`."""
        raise InputError(f"a model for {self.name} has no sentence embeddings")

    # Scoring and training: examples with gold answers.

    def check_dev(self, examples: Sequence, path: Path) -> None:  # noqa: B027, for some kinds
        """Raise InputError if a model cannot be scored on the examples of a file."""

    def check_train(self, examples: Sequence, path: Path) -> None:  # noqa: B027, for some kinds
        """Raise InputError if a model cannot learn from the examples of a file."""

    def select(self, examples: Sequence, numbers: Sequence[int]) -> Sequence:
        """Return the examples of these numbers, counted from 0."""
        return tuple(examples[number] for number in numbers)

    @abc.abstractmethod
    def texts(self, examples: Sequence) -> list[str]:
        """Return all texts of the examples."""

    @abc.abstractmethod
    def score(self, answers: Sequence[Any], examples: Sequence,
              metrics: Metrics) -> dict[str, float]:
        """Compute the scores by name, `metrics.main` among them; 1 is perfect."""

    def score_parts(self, answers: Sequence[Any], examples: Sequence) -> dict[str, dict]:
        """Compute the scores of each part, such as a class or a type of entity, by its name."""
        return {}

    def confusion(self, answers: Sequence[Any], examples: Sequence) -> Confusion | None:
        """Count which classes are taken for which; None unless each text has one class."""
        return None

    def decided(self, scores: Mapping[str, float], metric: str) -> "Kind":
        """Return the kind with the settings that the dev scores of a fine-tuned model decide.

        Args:
          scores: see `score`.
          metric: the score that chose the model; with these settings the model has it.
        """
        return self

    @abc.abstractmethod
    def constant(self, examples: Sequence, metrics: Metrics) -> list[Any]:
        """Return the best answers of a model that does not read: the same for each example."""

    @abc.abstractmethod
    def expected(self, examples: Sequence) -> list[Hashable]:
        """Return one gold answer per decision, in the same hashable form as `predicted`."""

    @abc.abstractmethod
    def predicted(self, answers: Sequence[Any], examples: Sequence) -> list[Hashable]:
        """Return the answers that are not missing, as hashable values."""

    def comparable(self, answers: Sequence[Any]) -> Sequence[Any] | None:
        """Return the answers as values that are equal or not; None if they are numbers."""
        return answers

    @abc.abstractmethod
    def readable(self, answers: Sequence[Any], examples: Sequence) -> Any:
        """Return the answers as JSON for people and other programs."""

    @abc.abstractmethod
    def read_answers(self, path: Path, examples: Sequence,
                     values: tuple[str, ...] | None = None) -> list[Any]:
        """Read one answer per example from a file that any program wrote; None if one is missing.

        Args:
          path: a JSON file with what `readable` returns; of classes and numbers also a TSV file as
            GLUE's site takes it.
          examples: the answered ones.
          values: what stands for each class in such a TSV file; None for the labels.
        Raises:
          InputError: for a file that cannot be read, and answers that are not the examples'.
        """

    def answer_reader(self) -> Callable[[Any], Any]:
        """Return a function from one of the values of `readable` to the answer.

        The function raises ValueError for any other value, with a message that ends a sentence
        which begins with the value, such as "is not a number".

        Raises:
          InputError: if an answer cannot be made without its example.
        """
        raise InputError(f"an answer of a model for {self.name} needs its example")

    # Further files that `evaluate` can write: the names, and their content as JSON.

    @property
    def reports(self) -> tuple[str, ...]:
        """The names that `report` takes."""
        return ()

    def report(self, name: str, answers: Sequence[Any]) -> Any:
        """Return the content of a further file about the answers, as JSON.

        Raises:
          InputError: for a name that is not in `reports`.
        """
        raise InputError(f"a model for {self.name} has no {name}")

    # The same for every kind.

    def bound(self, labels: tuple[str, ...] | None, settings: KindSettings | None) -> "Kind":
        """Return the kind with the labels and the settings of a model."""
        return dataclasses.replace(self, labels=labels, settings=settings)

    def with_settings(self, **changes) -> "Kind":
        """Return the kind with some settings changed.

        Raises:
          InputError: for a setting that the kind does not have, or a value out of range.
        """
        if not changes:
            return self
        names = [] if self.settings_type is None else [
            field.name for field in dataclasses.fields(self.settings_type)]
        unknown = sorted(changes.keys() - set(names))
        if unknown:
            raise InputError(f"a model for {self.name} has no setting {unknown[0]!r}; it has "
                             f"{', '.join(names) or 'none'}")
        return dataclasses.replace(self, settings=dataclasses.replace(
            self.used_settings, **changes))

    @property
    def used_settings(self) -> KindSettings | None:
        """The settings, or the defaults if there are none; None for a kind without settings."""
        if self.settings is None and self.settings_type is not None:
            return self.settings_type()
        return self.settings

    @classmethod
    def read_settings(cls, values: Any, source: str) -> KindSettings | None:
        """Read the settings in a model's description; `source` names it in messages.

        Raises:
          InputError: for settings that the kind does not have, or values out of range.
        """
        if values is None:
            return None
        if cls.settings_type is None:
            raise InputError(f"{source}: a model for {cls.name} has no settings")
        return cls.settings_type.from_json(values, source)
