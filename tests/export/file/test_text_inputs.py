"""Which input of anybody's file is which, and what it is filled with."""

import numpy as np
import pytest

from mobilebert_tf.export.file import text_inputs

ROLES = ["ids", "mask", "segment_ids"]


@pytest.mark.parametrize("names", [
    ["ids", "mask", "segment_ids"], ["input_ids", "attention_mask", "token_type_ids"],
    ["input_word_ids", "input_mask", "input_type_ids"], ["args_0", "args_1", "args_2"]])
def test_roles_are_told_by_names_or_by_the_order(names):
    assert text_inputs.roles(names) == dict(zip(names, ROLES, strict=True))


def test_names_count_more_than_the_order():
    assert text_inputs.roles(["token_type_ids", "input_ids", "attention_mask"]) == {
        "token_type_ids": "segment_ids", "input_ids": "ids", "attention_mask": "mask"}


def test_a_full_sequence_of_small_ids():
    values = text_inputs.filled({"type_ids": ((1, 102), np.int64), "mask": ((1, 102), np.int32),
                                 "ids": ((1, 102), np.int32)})
    assert values["ids"].tolist() == [[*range(100), 0, 1]]
    assert values["mask"].tolist() == values["type_ids"].tolist() == [[1] * 102]
    assert (values["ids"].dtype, values["type_ids"].dtype) == (np.int32, np.int64)


@pytest.mark.parametrize("wrong", [
    {}, {"a": ((1, 8), np.int32)}, {name: ((1, -1), np.int32) for name in "abc"},
    {name: ((1, "length"), np.int32) for name in "abc"},
    {name: ((1, None), np.int32) for name in "abc"},
    {name: ((1, 8, 1), np.int32) for name in "abc"}, {name: ((1, 8), np.float32) for name in "abc"},
    {name: ((2, 8), np.int32) for name in "abc"},
    {name: ((1, 1 << 30), np.int32) for name in "abc"},
    {"a": ((1, 8), np.int32), "b": ((1, 8), np.int32), "c": ((1, 9), np.int32)},
    {name: ((1, 8), object) for name in "abc"}, {name: ((1, 8), np.int32) for name in "abcd"}])
def test_other_inputs_are_refused(wrong):
    with pytest.raises(ValueError, match="three integer inputs of a fixed shape"):
        text_inputs.length(wrong)


def test_the_length_is_that_of_the_inputs():
    assert text_inputs.length({name: (np.array([1, 24]), np.int32) for name in "abc"}) == 24
