"""Layer maps: which blocks are compared, and which blocks of a teacher a student starts from.

Each is a rule of the numbers of blocks. Blocks are counted from 0. No TensorFlow here.
"""

from collections.abc import Sequence

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.objectives import EMBEDDING, Block

Pairs = tuple[tuple[Block, Block], ...]


def same(student: int, teacher: int) -> Pairs:
    """Pair each block with the block of its own index (MobileBERT)."""
    if student != teacher:
        raise InputError(f"the student has {student} blocks and the teacher {teacher}; name the "
                         "teacher's block for each of the student's in blocks")
    return tuple((block, block) for block in range(student))


def named(blocks: Sequence[int] | None, student: int) -> Pairs | None:
    """Pair each block of a student with the one that the user names; None for the plan's pairs."""
    if blocks is None:
        return None
    if len(blocks) != student:
        raise InputError(f"blocks names {len(blocks)} blocks, the student has {student}")
    return tuple(enumerate(blocks))


def uniform(student: int, teacher: int) -> Pairs:
    """Pair the embeddings, and each block with the last of its share of the teacher's (TinyBERT).

    4 of 12: 2, 5, 8, 11; 6 of 12: 1, 3, 5, 7, 9, 11.

    Source: Jiao et al. 2020 (arXiv:1909.10351) and general_distill.py of its code.
    """
    share = _share(student, teacher)
    return ((EMBEDDING, EMBEDDING), *((block, (block + 1) * share - 1) for block in range(student)))


def skip(student: int, teacher: int) -> Pairs:
    """Pair all blocks but the last with every k-th of the teacher's (BERT-PKD, skip).

    6 of 12: 1, 3, 5, 7, 9; 3 of 12: 3, 7; 6 of 24: 3, 7, 11, 15, 19; 3 of 24: 7, 15.

    Source: Sun et al. 2019 (arXiv:1908.09355). For 3 of 12, the script of its code has 9, 10,
    which is `last`.
    """
    share = _share(student, teacher)
    return tuple((block, (block + 1) * share - 1) for block in range(_compared(student)))


def last(student: int, teacher: int) -> Pairs:
    """Pair all blocks but the last with the teacher's blocks before its last (BERT-PKD, last).

    6 of 12: 6, 7, 8, 9, 10; 3 of 12: 9, 10.

    Source: Sun et al. 2019 (arXiv:1908.09355).
    """
    _check_not_deeper(student, teacher)
    return tuple((block, teacher - student + block) for block in range(_compared(student)))


def last_block(student: int, teacher: int) -> Pairs:
    """Pair the last blocks (MiniLM).

    Source: Wang et al. 2020 (arXiv:2002.10957).
    """
    return ((student - 1, teacher - 1),)


def upper_block(student: int, teacher: int) -> Pairs:
    """Pair the student's last block with the teacher's block of best relations (MiniLMv2).

    It is the last of 12 blocks, and the 21st of 24, whose index is 20. For RoBERTa-large the paper
    takes the 19th; name it in `blocks`.

    Source: Wang et al. 2021 (arXiv:2012.15828).
    """
    if teacher not in (*range(1, 13), 24):
        raise InputError(f"MiniLMv2 says which block of a teacher of 12 or 24 blocks to learn "
                         f"from, and this one has {teacher}; name it in blocks")
    return ((student - 1, 20 if teacher == 24 else teacher - 1),)


def first_blocks(student: int, teacher: int) -> tuple[int, ...]:
    """Start from the teacher's first blocks (BERT-PKD).

    Source: Sun et al. 2019 (arXiv:1908.09355).
    """
    _check_not_deeper(student, teacher)
    return tuple(range(student))


def spread_blocks(student: int, teacher: int) -> tuple[int, ...]:
    """Start from blocks that are spread evenly from the teacher's first to its last (DistilBERT).

    The rule is ours. It gives the published 0, 2, 4, 7, 9, 11 for 6 of 12.

    Source: Sanh et al. 2019 (arXiv:1910.01108), scripts/extract_distilbert.py of its code.
    """
    _check_not_deeper(student, teacher)
    return tuple(round(block * (teacher - 1) / max(1, student - 1)) for block in range(student))


def _share(student, teacher):
    if teacher % student:
        raise InputError(f"the teacher's {teacher} blocks cannot be shared among the student's "
                         f"{student}; name the teacher's block for each of the student's in "
                         "blocks")
    return teacher // student


def _compared(student):
    """All blocks but the last."""
    if student < 2:
        raise InputError("patience compares all blocks but the last, and the student has one")
    return student - 1


def _check_not_deeper(student, teacher):
    if student > teacher:
        raise InputError(f"the student has {student} blocks, more than the teacher's {teacher}")
