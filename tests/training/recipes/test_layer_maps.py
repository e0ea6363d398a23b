"""The layer maps give the published blocks, written here by hand."""

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.recipes import layer_maps


@pytest.mark.parametrize(("layer_map", "student", "teacher", "expected"), [
    # TinyBERT: the embedding, and the blocks that its paper names from 1 as 3, 6, 9, 12.
    (layer_maps.uniform, 4, 12, ["embedding", 2, 5, 8, 11]),
    (layer_maps.uniform, 6, 12, ["embedding", 1, 3, 5, 7, 9, 11]),
    (layer_maps.uniform, 2, 2, ["embedding", 0, 1]),
    # BERT-PKD: its paper's 2, 4, 6, 8, 10 and 7 to 11.
    (layer_maps.skip, 6, 12, [1, 3, 5, 7, 9]),
    (layer_maps.skip, 3, 12, [3, 7]),
    (layer_maps.skip, 6, 24, [3, 7, 11, 15, 19]),
    (layer_maps.skip, 3, 24, [7, 15]),
    (layer_maps.last, 6, 12, [6, 7, 8, 9, 10]),
    (layer_maps.last, 3, 12, [9, 10]),
    (layer_maps.same, 3, 3, [0, 1, 2])])
def test_blocks_of_the_teacher(layer_map, student, teacher, expected):
    pairs = layer_map(student, teacher)
    assert [pair[1] for pair in pairs] == expected
    ours = [pair[0] for pair in pairs]
    if "embedding" in expected:
        assert ours.pop(0) == "embedding"
    assert ours == list(range(len(ours)))


def test_maps_of_one_pair():
    assert layer_maps.last_block(6, 12) == ((5, 11),)
    assert layer_maps.last_block(12, 12) == ((11, 11),)
    assert layer_maps.upper_block(6, 12) == ((5, 11),)
    # The paper counts from 1: the 21st of 24.
    assert layer_maps.upper_block(12, 24) == ((11, 20),)


@pytest.mark.parametrize(("layer_map", "student", "blocks", "expected"), [
    (layer_maps.same, 2, (1, 3), ((0, 1), (1, 3))),
    (layer_maps.uniform, 2, (1, 3), (("embedding", "embedding"), (0, 1), (1, 3))),
    (layer_maps.skip, 3, (4, 7), ((0, 4), (1, 7))), (layer_maps.last, 3, (4, 7), ((0, 4), (1, 7))),
    (layer_maps.last_block, 6, (9,), ((5, 9),)),
    # RoBERTa-large's 19th block, as in the paper.
    (layer_maps.upper_block, 12, (18,), ((11, 18),))])
def test_blocks_that_are_named_take_the_place_of_the_maps_own(layer_map, student, blocks, expected):
    assert layer_map(student, 24, blocks) == expected
    with pytest.raises(InputError, match=f"blocks names 5 blocks of the teacher, and "
                                         f"{len(blocks)} of the student's {student} are compared"):
        layer_map(student, 24, (0,) * 5)


def test_blocks_to_start_from():
    assert layer_maps.spread_blocks(6, 12) == (0, 2, 4, 7, 9, 11)
    assert layer_maps.spread_blocks(1, 12) == (0,)
    assert layer_maps.spread_blocks(12, 12) == tuple(range(12))
    assert layer_maps.first_blocks(3, 12) == (0, 1, 2)


@pytest.mark.parametrize(("layer_map", "student", "teacher", "sentence"), [
    (layer_maps.uniform, 5, 12, "teacher's 12 blocks cannot be shared among the student's 5"),
    (layer_maps.skip, 8, 12, "cannot be shared"), (layer_maps.skip, 1, 12, "the student has one"),
    (layer_maps.last, 1, 12, "the student has one"),
    (layer_maps.last, 13, 12, "13 blocks, more than the teacher's 12"),
    (layer_maps.first_blocks, 13, 12, "more than"), (layer_maps.spread_blocks, 13, 12, "more than"),
    (layer_maps.same, 4, 12, "has 4 blocks and the teacher 12.*in blocks"),
    (layer_maps.upper_block, 6, 18, "this one has 18")])
def test_numbers_of_blocks_that_do_not_fit_are_refused(layer_map, student, teacher, sentence):
    with pytest.raises(InputError, match=sentence):
        layer_map(student, teacher)
