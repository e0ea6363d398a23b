"""Drawing: which words of a text are replaced, and by what."""

import numpy as np


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


def draw(replacements: dict[int, list[str]], probability: float,
         random: np.random.Generator) -> dict[int, str]:
    """Draw which words are replaced, and by what.

    For each word that may be replaced, in order: draw one of its candidates, all alike likely; then
    draw a number from 0 to 1, and replace the word if it is below `probability`.

    Args:
      replacements: candidates of words by the number of the word, as in `Candidates`.
      probability: of replacing a word.
      random: see `generator`.
    Returns:
      the replacements that were drawn, by the number of the word.
    """
    chosen = {}
    for number, words in replacements.items():
        word = words[random.integers(len(words))]
        if random.random() < probability:
            chosen[number] = word
    return chosen
