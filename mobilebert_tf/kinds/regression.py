"""Regression: a number for a text, or a pair of texts."""

import dataclasses

import numpy as np

from mobilebert_tf.data.datasets import tables
from mobilebert_tf.data.datasets.labelled_texts import number
from mobilebert_tf.evaluation.metrics import REGRESSION
from mobilebert_tf.kinds.card import CUT, OTHER_TEXTS, Card
from mobilebert_tf.kinds.exported_head import ExportedHead
from mobilebert_tf.kinds.number_kind import NumberKind
from mobilebert_tf.kinds.output import Output
from mobilebert_tf.kinds.table import TableFormat


@dataclasses.dataclass(frozen=True, kw_only=True)
class Regression(NumberKind):
    """The one logit of a `Classifier` of one class, in the units of the data."""

    name = "regression"
    # A number may be a year or a price, which half precision would round or not hold.
    kept_type = np.float32
    noun = "number"
    table = TableFormat(read=tables.read, label_of=lambda labels: number, metrics=REGRESSION)
    outputs = {"score": Output("the regression's value")}
    card = Card(
        pipeline_tag="text-classification",
        metrics={"pearson_and_spearman": ("pearsonr", "spearmanr")},
        title="A model for phones that gives {texts} a number, on the scale of {task}.",
        answer='outputs["score"]',
        reading="One number, on the scale of the training data.", quantity="the score",
        limitations=(CUT, "Nothing keeps the number within the scale of the training data.",
                     OTHER_TEXTS))

    @classmethod
    def matches(cls, model):
        from mobilebert_tf.models.classifier import Classifier

        return (isinstance(model, Classifier) and model.num_classes == 1
                and not model.multi_label)

    def build(self, encoder):
        from mobilebert_tf.models.classifier import Classifier

        return Classifier(encoder, 1)

    def losses(self):
        import tf_keras as keras

        return {"loss": keras.losses.MeanSquaredError()}

    def label_losses(self, logits, targets, mask):
        import tensorflow as tf

        return tf.square(logits["logits"][:, 0] - targets["logits"])

    def soft_label_losses(self, logits, teacher_logits, mask, temperature):
        """Compute the squared difference of the numbers, whatever the temperature."""
        import tensorflow as tf

        return tf.square(logits["logits"][:, 0] - teacher_logits["logits"][:, 0])

    def graph_outputs(self, values):
        # A number is no probability: no softmax, and a name that does not promise one.
        return {"score": values}

    @classmethod
    def exported_head(cls, model):
        return ExportedHead.of_classifier(model)

    def answers(self, outputs, examples, features):
        return [float(score) for score in outputs["score"][:, 0]]

    def to_json(self, answer, example, top_k):
        return {"score": answer}

    def lines(self, prediction):
        return [f"{prediction['score']:.4f}"]
