"""Which words of a text may be replaced."""

import re

# NLTK's English stop words without question words, as in TinyBERT's data_augmentation.py. Its list
# also has forms with an apostrophe, which no word of letters equals.
_STOP_WORDS = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she
    her hers herself it its itself they them their theirs themselves this that these those am is
    are was were be been being have has had having do does did doing a an the and but if or because
    as until while of at by for with about against between into through during before after above
    below to from up down in out on off over under again further then once here there all any both
    each few more most other some such no nor not only own same so than too very s t can will just
    don should now d ll m o re ve y ain aren couldn didn doesn hadn hasn haven isn ma mightn mustn
    needn shan shouldn wasn weren won wouldn
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
_LETTERS = re.compile("[a-z]+")


def is_word(piece: str) -> bool:
    """Return whether a piece consists of the letters a-z, in either case."""
    return _LETTERS.fullmatch(piece.lower()) is not None


def is_eligible(word: str) -> bool:
    """Return whether a word may be replaced: only letters a-z, and no stop word."""
    return is_word(word) and word.lower() not in STOP_WORDS
