"""Places: the points of a model where its activations are measured and may be rescaled.

A place prints as its path, such as `hidden_0`, `block_1/logits` or `block_1/inner_2`.
"""

import dataclasses
import re

MASK_SCOPE = "attention_mask"  # of the operations that make the mask and add it


@dataclasses.dataclass(frozen=True)
class Place:
    """One place; the functions below make it.

    Args:
      kind: `hidden`, `shared`, `query`, `key`, `value`, `logits`, `inner` or `intermediate`.
      block: index of its block; None for `hidden`, which lies between blocks.
      number: counts the places of a kind in a block, or the `hidden` places of a model; None if the
        kind has one place in a block.
    """

    kind: str
    block: int | None = None
    number: int | None = None

    def __str__(self):
        name = self.kind if self.number is None else f"{self.kind}_{self.number}"
        return name if self.block is None else f"{scope(self.block)}/{name}"


def hidden(number: int) -> Place:
    """The stream between blocks: 0 is the embedding's output, then each block's output."""
    return Place("hidden", number=number)


def shared(block: int) -> Place:
    """The output of the shared bottleneck, which queries and keys read."""
    return Place("shared", block)


def query(block: int) -> Place:
    return Place("query", block)


def key(block: int) -> Place:
    return Place("key", block)


def value(block: int) -> Place:
    return Place("value", block)


def logits(block: int) -> Place:
    """The attention logits before the mask is added."""
    return Place("logits", block)


def inner(block: int, number: int) -> Place:
    """The stream inside a block: 0 is its start, 1 follows attention, each later number a
    feed-forward."""
    return Place("inner", block, number)


def intermediate(block: int, feed_forward: int) -> Place:
    """The activations inside a feed-forward."""
    return Place("intermediate", block, feed_forward)


def in_stream(config, block: int, number: int) -> Place:
    """`inner`; at both ends of a block without bottlenecks the `hidden` place, which is the same.
    """
    if config.bottleneck_size is None and number == 0:
        return hidden(block)
    if config.bottleneck_size is None and number == config.num_feed_forwards + 1:
        return hidden(block + 1)
    return inner(block, number)


def scope(block: int) -> str:
    """The name scope of a block's operations in the graph."""
    return f"block_{block}"


def masked_logits(tensor_name: str) -> Place | None:
    """The logits to which a graph's tensor adds the mask; None for any other tensor."""
    found = re.match(rf"block_(\d+)/{MASK_SCOPE}/", tensor_name)
    return logits(int(found[1])) if found else None
