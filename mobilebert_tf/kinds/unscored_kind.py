"""UnscoredKind: what the kinds share that no task scores."""

import abc
import dataclasses

from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.texts_kind import TextsKind


@dataclasses.dataclass(frozen=True, kw_only=True)
class UnscoredKind(TextsKind, abc.ABC):
    """A kind of pre-trained model: no task has gold answers for it."""

    is_fine_tuned = False
    has_task = False

    def score(self, answers, examples, metrics):
        raise self._unscored()

    def constant(self, examples, metrics):
        raise self._unscored()

    def expected(self, examples):
        raise self._unscored()

    def predicted(self, answers, examples):
        raise self._unscored()

    def readable(self, answers, examples):
        raise self._unscored()

    def read_answers(self, path, examples, values=None):
        raise self._unscored()

    def _unscored(self):
        return InputError(f"no task scores a model for {self.name}")
