"""Pairs of texts for contrastive fine-tuning, and the few rows that they are made of."""

from collections.abc import Sequence

import numpy as np

from mobilebert_tf.errors import InputError


def draw(labels: Sequence[int], names: Sequence[str], rows: int, seed: int) -> list[int]:
    """Return the numbers of a few rows of each class, in the order of the file.

    Args:
      labels: the class of each row.
      names: of the classes.
      rows: of each class; a class with fewer gives all that it has, as in SetFit's
        `sample_dataset`.
      seed: decides which.
    Raises:
      InputError: if a class has a single row or none, of which no pair can be made.
    """
    labels, random = np.asarray(labels), np.random.default_rng([seed, 0])
    chosen = []
    for label, name in enumerate(names):
        of_class = np.flatnonzero(labels == label)
        if len(of_class) < 2:
            raise InputError(f"few-shot fine-tuning makes pairs of rows of one class, and the "
                             f"class {name} has {len(of_class)} in the training files: give it two "
                             "or more")
        chosen += random.choice(of_class, min(rows, len(of_class)), replace=False).tolist()
    return sorted(chosen)


def contrastive(labels: Sequence[int], iterations: int,
                random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Make pairs: in each iteration every row gets another of its class, and one of another class.

    Source: Tunstall et al. 2022 (arXiv:2209.11055), section 3; a row is never its own partner.

    Args:
      labels: the class of each row; two classes or more, with two rows or more each.
      iterations: pairs of each sort per row.
      random: decides partners and order.
    Returns:
      int `(pairs, 2)`, numbers of rows; and float32 `(pairs,)`, 1 for a pair of one class, else 0.
    """
    labels = np.asarray(labels)
    pairs, targets = [], []
    for _ in range(iterations):
        for row, label in enumerate(labels):
            same = np.flatnonzero(labels == label)
            pairs.append((row, random.choice(same[same != row])))
            pairs.append((row, random.choice(np.flatnonzero(labels != label))))
            targets += [1.0, 0.0]
    order = random.permutation(len(pairs))
    return np.array(pairs)[order], np.array(targets, np.float32)[order]
