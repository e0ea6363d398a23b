"""Batches under the names that models have for them."""

import numpy as np


def of_transformers(batch):
    """The encoder's inputs from those of transformers."""
    return {"input_word_ids": np.int32(batch["input_ids"]),
            "input_mask": np.int32(batch["attention_mask"]),
            "input_type_ids": np.int32(batch["token_type_ids"])}
