"""Drawing: one new text from the candidates of a text."""

import numpy as np

from mobilebert_tf.augmentation.candidates import Candidates


def generator(seed: int, row: int, text: int, draw: int) -> np.random.Generator:
    """Return the random numbers of one draw.

    They depend on nothing else, so any part of a table can be augmented alone.

    Args:
      seed: of the settings.
      row: the row's number in the whole table.
      text: 0 for the first text of a row, 1 for the second.
      draw: the number of the draw.
    """
    return np.random.default_rng([seed, row, text, draw])


def draw(candidates: Candidates, probability: float, random: np.random.Generator) -> str:
    """Draw a text, its words joined by blanks.

    For each word that may be replaced, in order: draw one of its candidates, all alike likely; then
    draw a number from 0 to 1, and replace the word if it is below `probability`.
    """
    words = list(candidates.words)
    for number, replacements in candidates.replacements.items():
        replacement = replacements[random.integers(len(replacements))]
        if random.random() < probability:
            words[number] = replacement
    return " ".join(words)
