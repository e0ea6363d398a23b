"""What each kind of model becomes in a file: its task, and its outputs by name."""

import dataclasses
from collections.abc import Callable

import tensorflow as tf

from ..errors import InputError
from ..models.classifier import Classifier
from ..models.encoder import Encoder
from ..models.pretrainer import Pretrainer
from ..models.question_answerer import QuestionAnswerer
from ..models.token_classifier import TokenClassifier


@dataclasses.dataclass(frozen=True)
class Head:
    """A kind of model as its exported file sees it.

    Args:
      task: what the file is for; the name in its model.json.
      outputs: (model, encoder inputs) -> dict from output name to float32 tensor.
    """

    task: str
    outputs: Callable


def _sequence_output(model, inputs):
    return {"sequence_output": model(inputs, training=False)["sequence_output"]}


def _mlm_logits(model, inputs):
    # Every position is a prediction: which ones a caller masked is not known to a static graph.
    return {"mlm_logits": model.mlm_head(model.encoder(inputs, training=False)["sequence_output"])}


def _probabilities(model, inputs):
    return {"probabilities": tf.nn.softmax(model(inputs, training=False))}


def _score(model, inputs):
    return {"score": model(inputs, training=False)}


def _logits(model, inputs):
    return {"logits": model(inputs, training=False)}


def _spans(model, inputs):
    return model(inputs, training=False)


_HEADS = {
    Encoder: Head("encoding", _sequence_output),
    Pretrainer: Head("fill_mask", _mlm_logits),
    Classifier: Head("classification", _probabilities),
    TokenClassifier: Head("tagging", _logits),
    QuestionAnswerer: Head("question_answering", _spans),
}
# One class is a number, not a certainty: no softmax, and a name that does not promise one.
_REGRESSION = Head("regression", _score)


def of(model) -> Head:
    """The head of a model; InputError where it is none of the project's."""
    for model_class, head in _HEADS.items():
        if isinstance(model, model_class):
            is_regression = isinstance(model, Classifier) and model.num_classes == 1
            return _REGRESSION if is_regression else head
    kinds = ", ".join(model_class.__name__ for model_class in _HEADS)
    raise InputError(f"cannot export a {type(model).__name__}: it should be one of {kinds}")
