"""Augmentor: new versions of one text after another."""

import functools
from collections.abc import Callable

from mobilebert_tf.augmentation import candidates, drawing
from mobilebert_tf.augmentation.change import Change
from mobilebert_tf.augmentation.masked_lm import MaskedLM
from mobilebert_tf.augmentation.neighbours import Neighbours
from mobilebert_tf.augmentation.settings import AugmentationSettings

Texts = tuple[str, ...]
# Rows that follow each other often share a text: questions their context, pairs their premise.
_REMEMBERED = 16


class Augmentor:
    """Draw new versions of texts.

    Args:
      masked_lm: a `MaskedLM`, or an object with its attributes and `best`.
      settings: with a number of draws.
    """

    def __init__(self, masked_lm: MaskedLM, settings: AugmentationSettings):
        self._settings = settings
        self._keeps_case = not masked_lm.tokenizer.lower_case
        neighbours = Neighbours(masked_lm.tokenizer.vocabulary, masked_lm.word_table)
        self._candidates = functools.lru_cache(_REMEMBERED)(functools.partial(
            candidates.find, masked_lm=masked_lm, neighbours=neighbours,
            count=settings.candidates, as_published=settings.as_published))

    def rows(self, texts: Texts, row: int) -> list[Texts]:
        """Return the texts of a row of a table, then those of its new rows.

        The words of a new text are those of the tokenizer, joined by blanks, as TinyBERT has them.

        Args:
          texts: one text, or the two of a pair.
          row: the row's number in the whole table; the draws depend on it.
        Returns:
          at most `draws + 1` rows, no two alike; of a pair `as_published`, twice as many, two of
          which are alike.
        """
        drawn = [self._joined(text, row, number) for number, text in enumerate(texts)]
        if not self._settings.as_published:
            return _distinct([texts, *zip(*drawn, strict=True)])
        found, current = [], list(texts)
        for number, text in enumerate(texts):
            for one in _distinct([text, *drawn[number]]):
                current[number] = one
                found.append(tuple(current))
        return found

    def changes(self, text: str, row: int,
                may_change: Callable[[int, int], bool]) -> list[tuple[Change, ...]]:
        """Return the changes to a text of each draw, none twice, and none without a change.

        The text keeps all its other characters. A word in title case or in capitals gives its case
        to the word in its place if the model knows lower case only.

        Args:
          text: any text.
          row: the row's number in the whole file; the draws depend on it.
          may_change: (start, end) of a word in the text -> whether it may be replaced.
        Returns:
          at most `draws` tuples of changes, in the order of the text.
        """
        if not self._settings.draws:
            return []
        found = self._candidates(text)
        allowed = {number: words for number, words in found.replacements.items()
                   if may_change(*found.spans[number])}
        drawn = []
        for chosen in self._draws(allowed, row, 0):
            made = (Change(*found.spans[number],
                           self._cased(word, text[slice(*found.spans[number])]))
                    for number, word in chosen.items())
            drawn.append(tuple(one for one in made if one.word != text[one.start:one.end]))
        return [changes for changes in _distinct(drawn) if changes]

    def _joined(self, text, row, number):
        if not self._settings.draws:
            return []
        found = self._candidates(text)
        return [" ".join(chosen.get(place, word) for place, word in enumerate(found.words))
                for chosen in self._draws(found.replacements, row, number)]

    def _draws(self, replacements, row, number):
        settings = self._settings
        return [drawing.draw(replacements, settings.probability,
                             drawing.generator(settings.seed, row, number, one))
                for one in range(settings.draws)]

    def _cased(self, word, replaced):
        if self._keeps_case:
            return word
        if len(replaced) > 1 and replaced.isupper():
            return word.upper()
        return word.title() if replaced.istitle() else word


def _distinct(values):
    return list(dict.fromkeys(values))
