"""Classification: one of several classes for a text, or a pair of texts."""

import dataclasses

import numpy as np

from mobilebert_tf.data.datasets import tables
from mobilebert_tf.data.datasets.labelled_texts import class_of
from mobilebert_tf.evaluation import confusion, written_answers
from mobilebert_tf.evaluation.classification import score_by_class
from mobilebert_tf.evaluation.decisions import Decisions
from mobilebert_tf.evaluation.metrics import CLASSIFICATION
from mobilebert_tf.kinds.card import CUT, OTHER_TEXTS, Card
from mobilebert_tf.kinds.exported_head import ExportedHead
from mobilebert_tf.kinds.output import Output
from mobilebert_tf.kinds.ranking import class_names, ranked
from mobilebert_tf.kinds.soft_labels import softmax_divergence
from mobilebert_tf.kinds.table import TableFormat
from mobilebert_tf.kinds.texts_kind import TextsKind


@dataclasses.dataclass(frozen=True)
class _Choice:
    """The answer: a class.

    Args:
      id: of the class.
      probabilities: of each class, `(classes,)`; None if another program answered.
    """

    id: int
    probabilities: np.ndarray | None = dataclasses.field(default=None, compare=False)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Classification(TextsKind):
    """A softmax over the classes of a `Classifier`; the answer is a `_Choice`."""

    name = "classification"
    has_labels = True
    has_one_class = True
    has_decisions = True
    noun = "class"
    table = TableFormat(read=tables.read, label_of=class_of, find_labels=tables.find_labels,
                  metrics=CLASSIFICATION)
    outputs = {"probabilities": Output(
        # The Task Library finds the classes by this name.
        "probability of each class; they sum to 1", client_name="probability")}
    app_folder = "text_classification"
    in_page = True
    card = Card(
        pipeline_tag="text-classification",
        metrics={"accuracy": ("accuracy",), "accuracy_and_f1": ("accuracy", "f1"),
                 "matthews": ("matthews_correlation",)},
        title="A classifier of {texts} for phones: {labels}.",
        answer='outputs["probabilities"]',
        reading="A probability for each line of `labels.txt`; together they are 1.",
        quantity="a probability", mediapipe="TextClassifier",
        limitations=(CUT, OTHER_TEXTS),
        uncalibrated="The probabilities are the model's softmax; they have not been calibrated.")

    @classmethod
    def matches(cls, model):
        from mobilebert_tf.models.classifier import Classifier

        return (isinstance(model, Classifier) and model.num_classes > 1
                and not model.multi_label)

    def build(self, encoder):
        from mobilebert_tf.models.classifier import Classifier

        return Classifier(encoder, len(self.labels))

    def losses(self):
        import tf_keras as keras

        return {"loss": keras.losses.SparseCategoricalCrossentropy(from_logits=True)}

    def label_losses(self, logits, targets, mask):
        import tensorflow as tf

        return tf.nn.sparse_softmax_cross_entropy_with_logits(targets["logits"], logits["logits"])

    def soft_label_losses(self, logits, teacher_logits, mask, temperature):
        return softmax_divergence(logits["logits"], teacher_logits["logits"], temperature)

    def summed_classes(self, logits):
        return logits["logits"].shape[-1]

    def graph_outputs(self, values):
        import tensorflow as tf

        return {"probabilities": tf.nn.softmax(values)}

    @classmethod
    def exported_head(cls, model):
        return ExportedHead.of_classifier(model)

    def answers(self, outputs, examples, features):
        return [_Choice(int(row.argmax()), row) for row in outputs["probabilities"]]

    def decisions(self, outputs, examples, features):
        return Decisions.between_classes(outputs["probabilities"], examples.labels)

    def confidence(self, answer):
        """Return the probability of the class."""
        return float(answer.probabilities[answer.id])

    def to_json(self, answer, example, top_k):
        names = class_names(self.labels, len(answer.probabilities))
        return {"classes": ranked(answer.probabilities, names, top_k, "label")}

    def lines(self, prediction):
        return (f"{entry['probability']:7.4f}  {entry['label']}"
                for entry in prediction["classes"])

    def score(self, answers, examples, metrics):
        return metrics.scores(_ids(answers), examples.labels)

    def score_parts(self, answers, examples):
        return score_by_class(_ids(answers), examples.labels, self.labels)

    def confusion(self, answers, examples):
        return confusion.of(_ids(answers), examples.labels, self.labels)

    def constant(self, examples, metrics):
        def score(label):
            return metrics.scores([label] * len(examples), examples.labels)[metrics.main]

        return [_Choice(max(sorted(set(examples.labels)), key=score))] * len(examples)

    def expected(self, examples):
        return list(examples.labels)

    def predicted(self, answers, examples):
        return [answer.id for answer in answers if answer is not None]

    def readable(self, answers, examples):
        return [None if answer is None else self.labels[answer.id] for answer in answers]

    def answer_reader(self):
        return _choice_of(self.labels)

    def read_answers(self, path, examples, values=None):
        if written_answers.is_table(path):
            written, names = written_answers.read_table(path, examples), values or self.labels
        else:
            written = written_answers.read_list(path, str, "a label", examples)
            names = self.labels
        return written_answers.converted(path, written, _choice_of(names))


def _choice_of(names):
    id_of = class_of(names)
    return lambda name: _Choice(id_of(name))


def _ids(answers):
    """The class ids; -1 for a missing answer."""
    return [-1 if answer is None else answer.id for answer in answers]
