"""What is put on an encoder for each kind of task, and the loss that trains it."""

import tf_keras as keras

from mobilebert_tf.models.classifier import Classifier
from mobilebert_tf.models.question_answerer import QuestionAnswerer
from mobilebert_tf.models.token_classifier import TokenClassifier
from mobilebert_tf.tasks.task import Task


def build(task: Task, encoder):
    """The model of a task on an encoder, which it shares."""
    return _MODELS[task.kind](encoder, task)


def losses(task: Task) -> dict:
    """What `compile` takes as `loss` and `loss_weights`.

    A class of -1 is left out of the mean. For question answering it is the mean of both ends'
    losses, as in google-research's run_squad.
    """
    return _LOSSES[task.kind]()


_MODELS = {
    "classification": lambda encoder, task: Classifier(encoder, len(task.labels)),
    "regression": lambda encoder, task: Classifier(encoder, 1),
    "tagging": lambda encoder, task: TokenClassifier(encoder, len(task.labels)),
    "question_answering": lambda encoder, task: QuestionAnswerer(encoder),
}


def _classes(**settings):
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True, **settings)


def _squares():
    return {"loss": keras.losses.MeanSquaredError()}


def _both_ends():
    names = ("start_logits", "end_logits")
    return {"loss": {name: _classes() for name in names},
            "loss_weights": dict.fromkeys(names, 0.5)}


_LOSSES = {
    "classification": lambda: {"loss": _classes()},
    "regression": _squares,
    "tagging": lambda: {"loss": _classes(ignore_class=-1)},
    "question_answering": _both_ends,
}
