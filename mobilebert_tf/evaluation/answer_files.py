"""The files that run_squad.py writes and SQuAD's scorers read."""

import json
import os
from collections.abc import Iterable

from mobilebert_tf.evaluation.answers import Prediction
from mobilebert_tf.files import write_atomically


def write_n_best(path: str | os.PathLike, predictions: Iterable[Prediction]) -> None:
    """Writes {id: [{text, probability, start_logit, end_logit}, ...]}, best first.

    Raises:
      InputError: when the path cannot be written.
    """
    _write(path, {one.id: [{"text": span.text, "probability": span.probability,
                            "start_logit": span.start_logit, "end_logit": span.end_logit}
                           for span in one.n_best] for one in predictions})


def write_null_odds(path: str | os.PathLike, predictions: Iterable[Prediction]) -> None:
    """Writes {id: null odds}, which v2.0's scorer looks for the best threshold in.

    Raises:
      InputError: when the path cannot be written.
    """
    _write(path, {one.id: one.null_odds for one in predictions})


def _write(path, content):
    write_atomically(path, (json.dumps(content, indent=4) + "\n").encode())
