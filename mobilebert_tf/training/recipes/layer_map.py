"""LayerMap: which blocks of a student are compared, and with which of a teacher's."""

import dataclasses
from collections.abc import Callable, Sequence

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.objectives import EMBEDDING, Block

Pairs = tuple[tuple[Block, Block], ...]


@dataclasses.dataclass(frozen=True)
class LayerMap:
    """A rule of the numbers of blocks. Blocks are counted from 0.

    Args:
      compared: student's number of blocks -> those of its blocks that are compared.
      partners: (student's number of blocks, teacher's) -> the teacher's block for each of them.
      with_embedding: compare the outputs of the embeddings, too.
    """

    compared: Callable[[int], Sequence[int]]
    partners: Callable[[int, int], Sequence[int]]
    with_embedding: bool = False

    def __call__(self, student: int, teacher: int, blocks: Sequence[int] | None = None) -> Pairs:
        """Return the pairs of a student's and a teacher's block.

        Args:
          student, teacher: numbers of blocks.
          blocks: the teacher's block for each of the student's that is compared, in place of the
            rule's.
        Raises:
          InputError: for numbers of blocks that the rule does not fit, and another number of
            `blocks` than are compared.
        """
        compared = tuple(self.compared(student))
        partners = self.partners(student, teacher) if blocks is None else blocks
        if len(partners) != len(compared):
            raise InputError(
                f"blocks names {len(partners)} blocks of the teacher, and {len(compared)} of the "
                f"student's {student} are compared: {', '.join(map(str, compared))}")
        embeddings = ((EMBEDDING, EMBEDDING),) if self.with_embedding else ()
        return (*embeddings, *zip(compared, partners, strict=True))
