"""Pairs of segments for next-sentence prediction, made as Google's BERT makes them."""

import dataclasses
import random
from collections.abc import Iterator, Sequence

from mobilebert_tf.text.packing import pair_lengths

FOLLOWS, RANDOM = 0, 1
# Google's number of draws for a document that is another one.
_DRAWS = 10


@dataclasses.dataclass(frozen=True)
class Document:
    """Sentences, as ids without special tokens; excerpts of one document have the same key."""

    key: bytes
    sentences: Sequence[Sequence[int]]


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two segments that fit together, whether the second is random, and tokens cut off them."""

    first: list[int]
    second: list[int]
    label: int
    cut: int


def pairs(documents: Sequence[Document], index: int, length: int, short_probability: float,
          rng: random.Random) -> Iterator[Pair]:
    """Yields the pairs of one document.

    Sentences are gathered up to a target: what fits, or with `short_probability` fewer tokens, so
    that short inputs are known too. The first part is a random number of them; the second is the
    rest, or half of the time sentences of another document, and then the rest is used again.
    Source: Devlin et al. 2019 (arXiv:1810.04805), A.2, and `create_instances_from_document` in
    google-research/bert. Unlike there, the target is drawn for each pair, not once a document, and
    no pair is called random whose parts come from one document: where there is no other, the
    second part follows, and a last single sentence gives no pair.

    Args:
      documents: those that the random second parts come from; each has a sentence, and no
        sentence is empty.
      index: whose pairs.
      length: most tokens of a pair, with [CLS] and both [SEP]; at least 5.
      short_probability: 0 to 1.
      rng: decides everything random.
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
    """Returns where the sentences from `start` on, at least one, reach the target."""
    stop, tokens = start, 0
    while stop < len(sentences) and (stop == start or tokens < target):
        tokens += len(sentences[stop])
        stop += 1
    return stop


def _joined(sentences, start, stop):
    return [token for sentence in sentences[start:stop] for token in sentence]


def _another(documents, index, rng):
    """Returns a random document other than the one at `index`, or None where there is none."""
    key = documents[index].key
    for _ in range(_DRAWS):
        document = documents[rng.randrange(len(documents))]
        if document.key != key:
            return document
    others = [document for document in documents if document.key != key]
    return others[rng.randrange(len(others))] if others else None


def _fitting(first, second, label, room, rng):
    """Cuts the longer segment until both fit, each token at its front or its end, as it falls."""
    kept = []
    for segment, size in zip((first, second), pair_lengths(len(first), len(second), room),
                             strict=True):
        front = sum(rng.random() < 0.5 for _ in range(len(segment) - size))
        kept.append(segment[front: front + size])
    cut = len(first) + len(second) - len(kept[0]) - len(kept[1])
    return Pair(*kept, label, cut)
