"""Layer maps by name, and which blocks of a teacher a student starts from.

Blocks are counted from 0. No TensorFlow here.
"""

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.recipes.layer_map import LayerMap


def _same(student, teacher):
    if student != teacher:
        raise InputError(f"the student has {student} blocks and the teacher {teacher}; name the "
                         "teacher's block for each of the student's in blocks")
    return range(student)


def _uniform(student, teacher):
    share = _share(student, teacher)
    return [(block + 1) * share - 1 for block in range(student)]


def _skip(student, teacher):
    return _uniform(student, teacher)[:-1]


def _last(student, teacher):
    _check_not_deeper(student, teacher)
    return range(teacher - student, teacher - 1)


def _upper(student, teacher):
    if teacher not in (*range(1, 13), 24):
        raise InputError(f"MiniLMv2 says which block of a teacher of 12 or 24 blocks to learn "
                         f"from, and this one has {teacher}; name it in blocks")
    return (20 if teacher == 24 else teacher - 1,)


def _but_the_last(student):
    if student < 2:
        raise InputError("patience compares all blocks but the last, and the student has one")
    return range(student - 1)


def _the_last(student):
    return (student - 1,)


# Each block with the block of its own index (MobileBERT).
same = LayerMap(range, _same)

# The embeddings, and each block with the last of its share of the teacher's (TinyBERT):
# 4 of 12: 2, 5, 8, 11; 6 of 12: 1, 3, 5, 7, 9, 11.
# Source: Jiao et al. 2020 (arXiv:1909.10351) and general_distill.py of its code.
uniform = LayerMap(range, _uniform, with_embedding=True)

# All blocks but the last with every k-th of the teacher's (BERT-PKD, skip):
# 6 of 12: 1, 3, 5, 7, 9; 3 of 12: 3, 7; 6 of 24: 3, 7, 11, 15, 19; 3 of 24: 7, 15.
# Source: Sun et al. 2019 (arXiv:1908.09355). For 3 of 12, the script of its code has 9, 10, which
# is `last`.
skip = LayerMap(_but_the_last, _skip)

# All blocks but the last with the blocks just before the teacher's last (BERT-PKD, last):
# 6 of 12: 6, 7, 8, 9, 10; 3 of 12: 9, 10.
# Source: Sun et al. 2019 (arXiv:1908.09355).
last = LayerMap(_but_the_last, _last)

# The last block with the teacher's last (MiniLM).
# Source: Wang et al. 2020 (arXiv:2002.10957).
last_block = LayerMap(_the_last, lambda student, teacher: (teacher - 1,))

# The last block with the teacher's block of best relations (MiniLMv2): the last of 12 blocks, and
# the 21st of 24, whose index is 20. For RoBERTa-large the paper takes the 19th: name 18 in
# `blocks`.
# Source: Wang et al. 2021 (arXiv:2012.15828).
upper_block = LayerMap(_the_last, _upper)


def first_blocks(student: int, teacher: int) -> tuple[int, ...]:
    """Return the teacher's first blocks, to start from (BERT-PKD).

    Source: Sun et al. 2019 (arXiv:1908.09355).

    Raises:
      InputError: for a student with more blocks than the teacher.
    """
    _check_not_deeper(student, teacher)
    return tuple(range(student))


def spread_blocks(student: int, teacher: int) -> tuple[int, ...]:
    """Return blocks spread evenly from the teacher's first to its last, to start from (DistilBERT).

    The rule is ours. It gives the published 0, 2, 4, 7, 9, 11 for 6 of 12.

    Source: Sanh et al. 2019 (arXiv:1910.01108), scripts/extract_distilbert.py of its code.

    Raises:
      InputError: for a student with more blocks than the teacher.
    """
    _check_not_deeper(student, teacher)
    return tuple(round(block * (teacher - 1) / max(1, student - 1)) for block in range(student))


def _share(student, teacher):
    if teacher % student:
        raise InputError(f"the teacher's {teacher} blocks cannot be shared among the student's "
                         f"{student}; name the teacher's block for each of the student's in "
                         "blocks")
    return teacher // student


def _check_not_deeper(student, teacher):
    if student > teacher:
        raise InputError(f"the student has {student} blocks, more than the teacher's {teacher}")
