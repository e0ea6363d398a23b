"""Settings: how examples are made of texts."""

import dataclasses
import re
from typing import Literal, get_args

from mobilebert_tf.checks import LEAST_LENGTH, check_types
from mobilebert_tf.errors import InputError

Examples = Literal["pairs", "sentences"]
DocumentKind = Literal["block", "file"]
SplitBy = Literal["rule", "lines"]
# sentencex takes any other word for English.
_LANGUAGE = re.compile("[a-z]{2,3}(-[a-z]+)*")


@dataclasses.dataclass(frozen=True)
class CorpusSettings:
    """How examples are made of texts.

    Args:
      examples: "pairs" of segments for next-sentence prediction, or single "sentences".
      length: most tokens of an example.
      short_probability: probability that a pair is made for a random shorter length. The default
        is Google's.
      validation: fraction of the documents kept for validation.
      document: "block" if blank lines separate documents, "file" if each file is one document.
      split_by: "rule" if the language's rules find the ends of sentences, "lines" if each line is
        a sentence.
      language: language code of the texts in small letters, such as "de", for the rule. Texts of a
        language that sentencex does not know are cut by English rules.
      seed: seed of everything random.
    Raises:
      InputError: if a value is unknown or out of range.
    """

    examples: Examples = "pairs"
    length: int = 128
    short_probability: float = 0.1
    validation: float = 0.01
    document: DocumentKind = "block"
    split_by: SplitBy = "rule"
    language: str = "en"
    seed: int = 1

    def __post_init__(self):
        check_types(self)
        for name, kind in (("examples", Examples), ("document", DocumentKind),
                           ("split_by", SplitBy)):
            if getattr(self, name) not in get_args(kind):
                raise InputError(f"{name} must be {' or '.join(get_args(kind))}. "
                                 f"Received: {getattr(self, name)!r}")
        if not _LANGUAGE.fullmatch(self.language):
            raise InputError("language must be a code in small letters, such as en or de. "
                             f"Received: {self.language!r}")
        if self.length < LEAST_LENGTH:
            raise InputError(f"length must be {LEAST_LENGTH} or more. Received: {self.length}")
        for name in ("short_probability", "validation"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} must be from 0 to 1. Received: {getattr(self, name)}")
