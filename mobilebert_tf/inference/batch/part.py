"""Part: the lines that become one shard."""

import dataclasses

from mobilebert_tf.inference.batch.piece import Piece


@dataclasses.dataclass(frozen=True)
class Part:
    """Lines of one file, or of several small ones.

    Args:
      number: which part it is, counted from 0.
      pieces: where the lines are.
    """

    number: int
    pieces: tuple[Piece, ...]

    @property
    def lines(self) -> int:
        return sum(piece.lines for piece in self.pieces)
