"""TextsKind: what the kinds share whose examples are a table of texts, or of pairs of texts."""

import abc
import dataclasses

from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.data.features.features import single_rows
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.kind import Kind


@dataclasses.dataclass(frozen=True, kw_only=True)
class TextsKind(Kind, abc.ABC):
    """A kind whose examples are a `LabelledTexts`; by default each is one row."""

    def examples(self, texts, second_texts):
        has_second = {text is not None for text in second_texts}
        if len(has_second) > 1:
            raise InputError("either all texts have a second text, or none has")
        return LabelledTexts(tuple(texts), None,
                             tuple(second_texts) if has_second == {True} else None)

    def rows(self, examples, tokenizer, length):
        return single_rows(examples.texts, examples.second_texts, tokenizer, length,
                           examples.labels)

    def are_pairs(self, examples):
        return examples.second_texts is not None

    def select(self, examples, numbers):
        return examples.select(numbers)

    def texts(self, examples):
        return [*examples.texts, *(examples.second_texts or ())]
