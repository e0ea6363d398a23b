"""Entities: what tags say, as pieces of the text."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class Span(NamedTuple):
    """An entity of words `start` to `end` - 1."""

    type: str
    start: int
    end: int


def spans(tags: Sequence[str]) -> list[Span]:
    """The entities that the tags of a sentence name, in order.

    I-type continues an entity of its type and else begins one, as conlleval reads it: models do
    say O I-PER. IOB1 and IOB2 are read alike.

    Example:
      >>> spans(["B-PER", "I-PER", "B-PER", "I-LOC"])
      [Span(type='PER', start=0, end=2), Span(type='PER', start=2, end=3),
       Span(type='LOC', start=3, end=4)]
    """
    found = []
    previous = "O"
    for word, tag in enumerate(tags):
        if tag[0] == "I" and previous[2:] == tag[2:]:
            found[-1] = found[-1]._replace(end=word + 1)
        elif tag != "O":
            found.append(Span(tag[2:], word, word + 1))
        previous = tag
    return found


def entities(text: str, offsets: Sequence[tuple[int, int]], tags: Sequence[str],
             probabilities: Sequence[float] | None = None) -> list[dict[str, Any]]:
    """The entities of a text, from its first word's first character to its last's last.

    Args:
      text: the original.
      offsets: (start, end) of each word, in characters.
      tags: of each word; see `spans`.
      probabilities: of each word's tag.
    Returns:
      a dict for each: `type`; `text`, which is the original's from `start` to `end`; and, with
      probabilities, `probability`, their mean over the entity's words, as in transformers'
      pipeline of aggregation "first".
    Raises:
      ValueError: where there are not as many offsets, tags and probabilities.
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
