"""KindConfidence: how sure a model of a kind is of its answers. `Kind` inherits it."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from mobilebert_tf.data.features.features import Features
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation.decisions import Decisions


class KindConfidence:
    """What temperature scaling and cascades need of a kind: its decisions and confidence."""

    # Whether a model's outputs are decisions between choices, each with a probability.
    has_decisions: ClassVar[bool] = False

    def require_decisions(self) -> None:
        """Raise InputError for a kind without decisions."""
        if not self.has_decisions:
            raise InputError(f"a model for {self.name} gives no probabilities of classes, so there "
                             "is no confidence to calibrate or to compare")

    def require_same_decisions(self, other: "KindConfidence") -> None:
        """Raise InputError unless two models decide between the same choices."""
        if self.name != other.name:
            raise InputError(f"the first model of a cascade is for {self.name} and the second for "
                             f"{other.name}: both should be of one kind")
        self.require_decisions()
        if self.labels != other.labels:
            one, two = ("no labels" if labels is None else ", ".join(labels)
                        for labels in (self.labels, other.labels))
            raise InputError(f"the models of a cascade should have the same labels in the same "
                             f"order. The first has {one}; the second has {two}")

    def decisions(self, outputs: Mapping[str, np.ndarray], examples: Sequence,
                  features: Features) -> Decisions:
        """Return the decisions of a model on examples with gold answers.

        Args:
          outputs: for the rows of the features, by the name that an exported file gives them.
          examples, features: as for `answers`.
        """
        raise NotImplementedError(self.name)

    def confidence(self, answer: Any) -> float:
        """Return the probability that an answer is right throughout, from 0 to 1.

        Of an answer of several decisions it is the product of their probabilities, as if they were
        independent.

        Args:
          answer: one of `answers`, with its probabilities.
        """
        raise NotImplementedError(self.name)

    def tempered(self, temperature: float) -> "KindConfidence":
        """Return the kind with settings for a model whose logits are divided by a temperature.

        Settings such as a threshold are adjusted so that no answer changes.
        """
        return self
