"""NumberKind: what the kinds share whose answer is a number."""

import abc
import dataclasses
import math

from mobilebert_tf.data.datasets.labelled_texts import number
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import written_answers
from mobilebert_tf.kinds.texts_kind import TextsKind

# Equal answers may differ in their last bits.
_DECIMALS = 5


@dataclasses.dataclass(frozen=True, kw_only=True)
class NumberKind(TextsKind, abc.ABC):
    """A kind whose answer is a number, scored by its correlation with the gold numbers."""

    def check_dev(self, examples, path):
        if len(set(examples.labels)) == 1:
            raise InputError(f"every label in {path} is {examples.labels[0]}, and a model is "
                             "scored by a correlation, which needs labels that differ; add rows "
                             "with others")

    def score(self, answers, examples, metrics):
        # The correlation with a missing number is 0, as with one that is not finite.
        return metrics.scores([math.nan if answer is None else answer for answer in answers],
                              examples.labels)

    def constant(self, examples, metrics):
        # No constant correlates with anything.
        return [0.0] * len(examples)

    def expected(self, examples):
        return list(examples.labels)

    def predicted(self, answers, examples):
        return [round(answer, _DECIMALS) for answer in answers if answer is not None]

    def comparable(self, answers):
        return None

    def readable(self, answers, examples):
        return list(answers)

    def answer_reader(self):
        return number

    def read_answers(self, path, examples, values=None):
        written = (written_answers.read_table(path, examples) if written_answers.is_table(path)
                   else written_answers.read_list(path, float, "a number", examples))
        return written_answers.converted(path, written, number)
