"""Entities: the slices of a text that its tags name."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class EntitySpan(NamedTuple):
    """An entity of the words from `start` to `end` - 1."""

    type: str
    start: int
    end: int


def spans(tags: Sequence[str]) -> list[EntitySpan]:
    """Return the entities of a sentence's tags, in order.

    I-type continues an entity of its type; after anything else it begins one, as in conlleval.
    Models do predict O I-PER. So IOB1 and IOB2 give the same entities.

    Example:
      >>> spans(["B-PER", "I-PER", "B-PER", "I-LOC"])
      [EntitySpan(type='PER', start=0, end=2), EntitySpan(type='PER', start=2, end=3),
       EntitySpan(type='LOC', start=3, end=4)]
    """
    found = []
    previous = "O"
    for word, tag in enumerate(tags):
        if tag[0] == "I" and previous[2:] == tag[2:]:
            found[-1] = found[-1]._replace(end=word + 1)
        elif tag != "O":
            found.append(EntitySpan(tag[2:], word, word + 1))
        previous = tag
    return found


def entities(text: str, offsets: Sequence[tuple[int, int]], tags: Sequence[str],
             probabilities: Sequence[float] | None = None) -> list[dict[str, Any]]:
    """Return the entities of a text.

    Args:
      text: the original text.
      offsets: (start, end) of each word, in characters.
      tags: the tag of each word; see `spans`.
      probabilities: the probability of each word's tag.
    Returns:
      a dict for each entity: `type`; `text`, the original's from `start` to `end`; and, with
      probabilities, `probability`, their mean over the entity's words, as in transformers'
      pipeline with aggregation "first".
    Raises:
      ValueError: if the numbers of offsets, tags and probabilities differ.
    """
    given = [offsets, tags] if probabilities is None else [offsets, tags, probabilities]
    if len({len(each) for each in given}) > 1:
        raise ValueError("There should be an offset, a tag and a probability for each word. "
                         f"Received: {', '.join(str(len(each)) for each in given)}")
    found = []
    for kind, first, end in spans(tags):
        start, stop = offsets[first][0], offsets[end - 1][1]
        entity = {"type": kind, "text": text[start:stop], "start": start, "end": stop}
        if probabilities is not None:
            entity["probability"] = float(sum(probabilities[first:end]) / (end - first))
        found.append(entity)
    return found
