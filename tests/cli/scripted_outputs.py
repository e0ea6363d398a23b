"""Outputs of scripted models: `inputs` of a batch of letters -> outputs by name."""

import numpy as np


def spans(inputs):
    """The answer is "d", and of questions with "b", more likely none."""
    ids = inputs["input_word_ids"]
    logits = 4.0 * (ids == 8) + 5.0 * (ids[:, 1:2] == 6) * (np.arange(ids.shape[1]) == 0)
    return {"start_logits": logits, "end_logits": logits}


def tags(inputs):
    """ "b" has the second of three tags and "c" the third, all others the first."""
    ids = inputs["input_word_ids"]
    return {"logits": 50 * np.eye(3)[np.clip(ids - 5, 0, 2) * (ids < 8)]}
