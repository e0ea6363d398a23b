"""Multi-label: any number of several classes for a text, or a pair of texts."""

import dataclasses
import math

import numpy as np

from mobilebert_tf.data.datasets import tables
from mobilebert_tf.data.datasets.labelled_texts import classes_of
from mobilebert_tf.data.features.settings import KindSettings
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import written_answers
from mobilebert_tf.evaluation.decisions import Decisions
from mobilebert_tf.evaluation.metrics import MULTI_LABEL
from mobilebert_tf.evaluation.multi_label import best_threshold, score_by_label
from mobilebert_tf.kinds.card import CUT, OTHER_TEXTS, Card
from mobilebert_tf.kinds.exported_head import ExportedHead
from mobilebert_tf.kinds.output import Output
from mobilebert_tf.kinds.ranking import class_names, ranked
from mobilebert_tf.kinds.soft_labels import sigmoid_divergence
from mobilebert_tf.kinds.table import TableFormat
from mobilebert_tf.kinds.texts_kind import TextsKind


@dataclasses.dataclass(frozen=True, kw_only=True)
class _MultiLabelSettings(KindSettings):
    """How labels are chosen.

    Args:
      threshold: the probability above which a text has a label, from 0 to 1.
    Raises:
      InputError: for a threshold outside this range.
    """

    threshold: float = 0.5

    def __post_init__(self):
        if type(self.threshold) not in (int, float) or not 0 <= self.threshold <= 1:
            raise InputError("the setting threshold should be a number from 0 to 1. "
                             f"Received: {self.threshold!r}")


@dataclasses.dataclass(frozen=True)
class _LabelSet:
    """The answer: the ids of a text's labels, ascending.

    Args:
      ids: of the labels.
      probabilities: of each class, `(classes,)`; None if another program answered.
    """

    ids: tuple[int, ...]
    probabilities: np.ndarray | None = dataclasses.field(default=None, compare=False)


@dataclasses.dataclass(frozen=True, kw_only=True)
class MultiLabel(TextsKind):
    """A sigmoid per class of a `Classifier` with several labels; the answer is a `_LabelSet`."""

    name = "multi_label"
    has_labels = True
    has_decisions = True
    settings_type = _MultiLabelSettings
    in_page = True
    app_folder = "multi_label"
    outputs = {"probabilities": Output(
        "probability of each label; each is on its own", client_name="probability")}
    noun = "set of labels"
    table = TableFormat(read=tables.read_label_sets, label_of=classes_of, has_label_sets=True,
                  find_labels=tables.find_label_sets, metrics=MULTI_LABEL)
    card = Card(
        pipeline_tag="text-classification", metrics={"micro_f1": ("f1",)},
        title="A classifier of {texts} for phones that gives each any number of labels: {labels}.",
        answer='outputs["probabilities"] > {threshold}',
        reading="A probability for each line of `labels.txt`, each on its own. A text has the "
                "labels whose\nprobability is above `threshold` in `model.json`.",
        quantity="a probability",
        limitations=(CUT, OTHER_TEXTS,
                     "A text may have no label at all.",
                     "One threshold, {threshold:.4g}, serves all labels. If this project "
                     "fine-tuned the model, the dev set chose it."))

    @classmethod
    def matches(cls, model):
        from mobilebert_tf.models.classifier import Classifier

        return isinstance(model, Classifier) and model.multi_label

    def build(self, encoder):
        from mobilebert_tf.models.classifier import Classifier

        return Classifier(encoder, len(self.labels), multi_label=True)

    def losses(self):
        import tf_keras as keras

        return {"loss": keras.losses.BinaryCrossentropy(from_logits=True)}

    def label_losses(self, logits, targets, mask):
        import tensorflow as tf

        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            targets["logits"], logits["logits"]), axis=-1)

    def soft_label_losses(self, logits, teacher_logits, mask, temperature):
        return sigmoid_divergence(logits["logits"], teacher_logits["logits"], temperature)

    def graph_outputs(self, values):
        import tensorflow as tf

        return {"probabilities": tf.nn.sigmoid(values)}

    @classmethod
    def exported_head(cls, model):
        return ExportedHead.of_classifier(model)

    def answers(self, outputs, examples, features):
        threshold = self.used_settings.threshold
        return [_LabelSet(tuple(np.flatnonzero(row > threshold).tolist()), row)
                for row in outputs["probabilities"]]

    def decisions(self, outputs, examples, features):
        """Decide about every label of every text: whether the text has it."""
        return Decisions.yes_or_no(outputs["probabilities"], examples.labels)

    def confidence(self, answer):
        """Return the product of p over the labels of a text, and of 1 - p over the others."""
        return math.prod(p if label in answer.ids else 1 - p
                         for label, p in enumerate(answer.probabilities.tolist()))

    def tempered(self, temperature):
        """Move the threshold as the probabilities move."""
        threshold = self.used_settings.threshold
        if 0 < threshold < 1:
            logit = math.log(threshold) - math.log1p(-threshold)
            threshold = 1 / (1 + math.exp(-logit / temperature))
        return dataclasses.replace(self, settings=_MultiLabelSettings(threshold=threshold))

    def to_json(self, answer, example, top_k):
        names = class_names(self.labels, len(answer.probabilities))
        return {"labels": [names[index] for index in answer.ids],
                "classes": ranked(answer.probabilities, names, top_k, "label")}

    def lines(self, prediction):
        yield ", ".join(prediction["labels"]) or "(no label)"
        for entry in prediction["classes"]:
            yield f"{entry['probability']:7.4f}  {entry['label']}"

    def score(self, answers, examples, metrics):
        """Compute the scores of the labels, and the best threshold for these examples.

        `best_micro_f1` is the score at `best_threshold`. Both are left out if another program gave
        an answer, which has no probabilities.
        """
        found = metrics.scores(_chosen(answers, examples), examples.labels)
        probabilities = [np.zeros(len(examples.names)) if answer is None
                         else answer.probabilities for answer in answers]
        if any(row is None for row in probabilities):
            return found
        threshold, best = best_threshold(np.stack(probabilities), examples.labels)
        return {**found, "best_micro_f1": best, "best_threshold": threshold}

    def score_parts(self, answers, examples):
        return score_by_label(_chosen(answers, examples), examples.labels, self.labels)

    def decided(self, scores, metric):
        if metric != MULTI_LABEL.epoch:
            return self
        return dataclasses.replace(
            self, settings=_MultiLabelSettings(threshold=scores["best_threshold"]))

    def constant(self, examples, metrics):
        """Give every text the k most frequent labels, for the k with the best micro F1."""
        gold = np.array(examples.labels)
        counts = gold.sum(axis=0)
        order = np.argsort(-counts, kind="stable")
        # For k = 1, 2, ...: twice the right ones, by all that are given and all that are wanted.
        given = len(gold) * np.arange(1, len(order) + 1)
        best = int(np.argmax(2 * np.cumsum(counts[order]) / (given + counts.sum()))) + 1
        return [_LabelSet(tuple(sorted(order[:best].tolist())))] * len(gold)

    def expected(self, examples):
        return [tuple(np.flatnonzero(row).tolist()) for row in examples.labels]

    def predicted(self, answers, examples):
        return [answer.ids for answer in answers if answer is not None]

    def readable(self, answers, examples):
        return [answer and [self.labels[index] for index in answer.ids] for answer in answers]

    def answer_reader(self):
        ids = {label: index for index, label in enumerate(self.labels)}

        def label_set(labels):
            unknown = [label for label in labels if label not in ids]
            if unknown:
                raise ValueError(f"has a label that is not one of {', '.join(self.labels)}")
            return _LabelSet(tuple(sorted({ids[label] for label in labels})))

        return label_set

    def read_answers(self, path, examples, values=None):
        written = written_answers.read_list(path, list[str], "a list of labels", examples)
        return written_answers.converted(path, written, self.answer_reader())


def _chosen(answers, examples):
    """0 or 1 per example and label, int `(examples, labels)`.

    A missing answer has every label that is wrong and none that is right.
    """
    gold = np.array(examples.labels, np.int64)
    chosen = np.zeros_like(gold)
    for row, answer in enumerate(answers):
        chosen[row] = 1 - gold[row]
        if answer is not None:
            chosen[row] = 0
            chosen[row, list(answer.ids)] = 1
    return chosen
