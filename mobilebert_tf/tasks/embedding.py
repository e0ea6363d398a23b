"""EmbeddingTask: how alike two texts are, by the cosine of their embeddings."""

import dataclasses
from typing import ClassVar

import numpy as np

from mobilebert_tf.data.features.features import Features, single_rows
from mobilebert_tf.tasks.regression import RegressionTask


@dataclasses.dataclass(frozen=True, kw_only=True)
class EmbeddingTask(RegressionTask):
    """The answer is a cosine. Nothing is trained: alike pairs only have to rank above others.

    Args:
      read_file: path -> `LabelledTexts` of pairs with numbers.
      others: as `TextsTask` takes them.
    """

    kind: ClassVar[str] = "embedding"
    is_trained: ClassVar[bool] = False

    def features(self, examples, tokenizer, length):
        """Two rows an example, its texts one after the other."""
        texts = [text for both in zip(examples.texts, examples.second_texts, strict=True)
                 for text in both]
        rows = single_rows(texts, None, tokenizer, length)
        return Features(rows.ids, rows.first_lengths, rows=[2] * len(examples))

    def answers(self, outputs, examples, features):
        vectors = outputs["sentence_embedding"]
        return np.sum(vectors[::2] * vectors[1::2], axis=1).tolist()
