"""TextsTask: what the tasks on a table of texts, or of pairs of texts, have in common."""

import dataclasses

from mobilebert_tf.data.features.features import single_rows
from mobilebert_tf.evaluation.metrics import Metrics
from mobilebert_tf.tasks.task import Task


@dataclasses.dataclass(frozen=True, kw_only=True)
class TextsTask(Task):
    """Examples are a `LabelledTexts`, and each is a row.

    Args:
      metrics: see `Metrics`.
      others: as `Task` takes them.
    """

    metrics: Metrics

    @property
    def metric(self):
        return self.metrics.main

    @property
    def metrics_to_choose_by(self):
        return tuple(dict.fromkeys((self.metrics.main, *self.metrics.functions)))

    def left_out(self, examples):
        return examples.skipped

    def select(self, examples, numbers):
        return examples.select(numbers)

    def texts(self, examples):
        return [*examples.texts, *(examples.second_texts or ())]

    def features(self, examples, tokenizer, length):
        return single_rows(examples.texts, examples.second_texts, tokenizer, length,
                           examples.labels)
