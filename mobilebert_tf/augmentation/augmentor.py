"""Augmentor: the new rows of a row."""

from mobilebert_tf.augmentation import candidates, drawing
from mobilebert_tf.augmentation.masked_lm import MaskedLM
from mobilebert_tf.augmentation.neighbours import Neighbours
from mobilebert_tf.augmentation.settings import AugmentationSettings

Texts = tuple[str, ...]


class Augmentor:
    """Make the new rows of one row after another.

    Args:
      masked_lm: a `MaskedLM`, or an object with its attributes and `best`.
      settings: with a number of draws.
    """

    def __init__(self, masked_lm: MaskedLM, settings: AugmentationSettings):
        self._masked_lm = masked_lm
        self._settings = settings
        self._neighbours = Neighbours(masked_lm.tokenizer.vocabulary, masked_lm.word_table)

    def rows(self, texts: Texts, row: int) -> list[Texts]:
        """Return the row's texts, then those of its new rows.

        Args:
          texts: one text, or the two of a pair.
          row: the row's number in the whole table; the draws depend on it.
        Returns:
          at most `draws + 1` rows, no two alike; of a pair `as_published`, twice as many, two of
          which are alike.
        """
        drawn = [self._draws(text, row, number) for number, text in enumerate(texts)]
        if not self._settings.as_published:
            return _distinct([texts, *zip(*drawn, strict=True)])
        found, current = [], list(texts)
        for number, text in enumerate(texts):
            for one in _distinct([text, *drawn[number]]):
                current[number] = one
                found.append(tuple(current))
        return found

    def _draws(self, text, row, number):
        settings = self._settings
        if not settings.draws:
            return []
        found = candidates.find(text, self._masked_lm, self._neighbours, settings.candidates,
                                keeps_special=settings.as_published)
        return [drawing.draw(found, settings.probability,
                             drawing.generator(settings.seed, row, number, one))
                for one in range(settings.draws)]


def _distinct(values):
    return list(dict.fromkeys(values))
