"""What each kind of model is for, and what its outputs are called."""

import dataclasses
from collections.abc import Callable

import tensorflow as tf

from mobilebert_tf.errors import InputError
from mobilebert_tf.models.classifier import Classifier
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.pretrainer import Pretrainer
from mobilebert_tf.models.question_answerer import QuestionAnswerer
from mobilebert_tf.models.sentence_encoder import SentenceEncoder
from mobilebert_tf.models.token_classifier import TokenClassifier


@dataclasses.dataclass(frozen=True)
class Head:
    """A kind of model as those who use it see it, in Keras or exported.

    Args:
      task: what it is for; the name in a file's model.json.
      outputs: (model, encoder inputs) -> dict from output name to float32 tensor.
    """

    task: str
    outputs: Callable


def _sequence_output(model, inputs):
    return {"sequence_output": model(inputs, training=False)["sequence_output"]}


def _mlm_logits(model, inputs):
    # Every position is a prediction: which ones a caller masked is not known to a static graph.
    return {"mlm_logits": model.mlm_head(model.encoder(inputs, training=False)["sequence_output"])}


def _sentence_embedding(model, inputs):
    return {"sentence_embedding": model(inputs, training=False)}


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
    SentenceEncoder: Head("embedding", _sentence_embedding),
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
    raise InputError(f"a {type(model).__name__} is no model of this project: {kinds}")
