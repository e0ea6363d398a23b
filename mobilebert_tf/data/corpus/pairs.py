"""Pairs of segments for next-sentence prediction, made as in Google's BERT."""

import dataclasses
import random
from collections.abc import Iterator, Sequence

from mobilebert_tf.data.corpus.document import Document
from mobilebert_tf.text.packing import pair_lengths

FOLLOWS, RANDOM = 0, 1
# Google's number of tries to draw another document.
_DRAWS = 10


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two segments that fit the length.

    Args:
      first, second: ids without special tokens.
      label: FOLLOWS or RANDOM, for the second segment.
      cut: number of tokens cut off both.
    """

    first: list[int]
    second: list[int]
    label: int
    cut: int


def pairs(documents: Sequence[Document], index: int, length: int, short_probability: float,
          rng: random.Random) -> Iterator[Pair]:
    """Yield the pairs of one document.

    Sentences are gathered up to a target length: the room there is or, with `short_probability`,
    fewer tokens, so that the model sees short inputs too. The first segment is a random number of
    these sentences. The second is the rest; or, half of the time, sentences of another document,
    and then the rest is used for the next pair.

    Source: Devlin et al. 2019 (arXiv:1810.04805), A.2, and `create_instances_from_document` in
    google-research/bert. Two differences: the target is drawn for each pair, not for each
    document; and segments of one document are never labelled random. If there is no other
    document, the second segment follows, and a last single sentence gives no pair.

    Args:
      documents: source of the random second segments. Each has a sentence; no sentence is empty.
      index: the document whose pairs are made.
      length: most tokens of a pair, with [CLS] and both [SEP]; at least 5.
      short_probability: probability of a shorter target, 0 to 1.
      rng: source of everything random.
    """
    sentences = documents[index].sentences
    room = length - 3
    target = _target(room, short_probability, rng)
    start = 0
    while start < len(sentences):
        stop = _gather(sentences, start, target)
        middle = start + (rng.randint(1, stop - start - 1) if stop - start > 1 else 1)
        first = _joined(sentences, start, middle)
        other = None
        if stop - start == 1 or rng.random() < 0.5:
            other = _another(documents, index, rng)
        if other is not None:
            begin = rng.randrange(len(other.sentences))
            end = _gather(other.sentences, begin, target - len(first))
            second, label = _joined(other.sentences, begin, end), RANDOM
            stop = middle
        else:
            second, label = _joined(sentences, middle, stop), FOLLOWS
        start = stop
        if second:
            yield _fitting(first, second, label, room, rng)
            target = _target(room, short_probability, rng)


def _target(room, short_probability, rng):
    return rng.randint(2, room) if rng.random() < short_probability else room


def _gather(sentences, start, target):
    """Return the stop at which sentences from `start` on, at least one, reach the target."""
    stop, tokens = start, 0
    while stop < len(sentences) and (stop == start or tokens < target):
        tokens += len(sentences[stop])
        stop += 1
    return stop


def _joined(sentences, start, stop):
    return [token for sentence in sentences[start:stop] for token in sentence]


def _another(documents, index, rng):
    """Return a random document other than the one at `index`; None if there is none."""
    key = documents[index].key
    for _ in range(_DRAWS):
        document = documents[rng.randrange(len(documents))]
        if document.key != key:
            return document
    others = [document for document in documents if document.key != key]
    return others[rng.randrange(len(others))] if others else None


def _fitting(first, second, label, room, rng):
    """Cut the longer segment until both fit; each token comes off a random end."""
    kept = []
    for segment, size in zip((first, second), pair_lengths(len(first), len(second), room),
                             strict=True):
        front = sum(rng.random() < 0.5 for _ in range(len(segment) - size))
        kept.append(segment[front: front + size])
    cut = len(first) + len(second) - len(kept[0]) - len(kept[1])
    return Pair(*kept, label, cut)
