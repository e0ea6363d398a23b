"""SentenceRows: new versions of tagged sentences."""

import dataclasses
import itertools
from collections.abc import Iterable, Sequence

from mobilebert_tf.augmentation import sentence_format
from mobilebert_tf.augmentation.augmentor import Augmentor
from mobilebert_tf.data.datasets.conll import TaggedSentence


class SentenceRows:
    """Tagged sentences, in which a word tagged O may be replaced by one word.

    So every word keeps its tag. The words of entities stay: what the masked LM puts there is often
    of another type, or no entity, and the tag would be wrong.

    Args:
      examples: the sentences.
    """

    file_format = staticmethod(sentence_format.of)

    def __init__(self, examples: Sequence[TaggedSentence]):
        self._examples = examples

    def __len__(self) -> int:
        return len(self._examples)

    def described(self, number: int) -> dict:
        """Return a sentence as JSON values, which identify it."""
        return dataclasses.asdict(self._examples[number])

    def drafts(self, number: int, augmentor: Augmentor) -> list[list[str]]:
        """Return the words of each new sentence."""
        sentence = self._examples[number]
        # A word of the file may be several of the tokenizer's, such as "e-mail"; then it stays.
        ends = itertools.accumulate(len(word) + 1 for word in sentence.words)
        places = {(end - 1 - len(word), end - 1): place for place, (word, end)
                  in enumerate(zip(sentence.words, ends, strict=True))}

        def may_change(start, end):
            place = places.get((start, end))
            return place is not None and sentence.tags[place] == "O"

        found = []
        for changes in augmentor.changes(" ".join(sentence.words), number, may_change):
            words = list(sentence.words)
            for change in changes:
                words[places[change.start, change.end]] = change.word
            found.append(words)
        return found

    def augmented(self, number: int, drafts: Sequence[Sequence[str]]) -> list[TaggedSentence]:
        """Return a sentence, then its new ones."""
        sentence = self._examples[number]
        return [sentence, *(dataclasses.replace(sentence, words=tuple(words)) for words in drafts)]

    def collected(self, rows: Iterable[TaggedSentence]) -> tuple[TaggedSentence, ...]:
        """Return the sentences as `conll.read` does."""
        return tuple(rows)
