import numpy as np
import pytest

from mobilebert_tf.data.features.batches import PaddedBatches, width_for
from mobilebert_tf.data.features.features import Features

PAD = 9


def batches(counts, length=40, batch_size=2, targets=None):
    """One row of each number of tokens, its target the row's place; tokens tell their own place."""
    ids = [np.arange(100, 100 + count, dtype=np.int32) for count in counts]
    first_lengths = [count - count // 3 for count in counts]
    return PaddedBatches(Features(ids, first_lengths, list(range(len(counts)))
                            if targets is None else targets), length, batch_size, PAD)


@pytest.mark.parametrize(("tokens", "length", "width"), [
    (1, 40, 16), (15, 40, 16), (16, 40, 32), (31, 40, 32), (32, 40, 40), (39, 40, 40),
    (40, 40, 40), (12, 12, 12), (15, 16, 16), (16, 16, 16)])
def test_a_position_is_left_for_padding_where_the_length_has_one(tokens, length, width):
    assert width_for(tokens, length) == width


def test_every_row_comes_once_an_epoch_packed_and_padded():
    counts = [3, 15, 16, 32, 39, 40, 4]
    seen = {}
    for inputs, targets in batches(counts).dataset(1, 0):
        arrays = {name: values.numpy() for name, values in inputs.items()}
        assert {values.dtype for values in arrays.values()} == {np.dtype(np.int32)}
        for row, target in enumerate(targets.numpy()):
            assert target not in seen
            seen[target] = {name: values[row].tolist() for name, values in arrays.items()}
    assert sorted(seen) == list(range(7))
    for row, (count, width) in enumerate(zip(counts, [16, 16, 32, 40, 40, 40, 16], strict=True)):
        second = count // 3
        padding = width - count
        assert seen[row] == {
            "input_word_ids": [*range(100, 100 + count), *[PAD] * padding],
            "input_mask": [1] * count + [0] * padding,
            "input_type_ids": [0] * (count - second) + [1] * second + [0] * padding}


@pytest.mark.parametrize("batch_size", [1, 2, 3, 50])
def test_steps_are_the_batches_there_are(batch_size):
    made = batches([3, 3, 3, 20, 20, 20, 20, 35], batch_size=batch_size)
    sizes = [len(targets) for _, targets in made.dataset(3, 0)]
    assert made.steps == len(sizes) == int(made.dataset(3, 0).cardinality())
    assert (sum(sizes), max(sizes)) == (8, min(batch_size, 4))


def test_the_order_is_a_function_of_seed_and_epoch():
    def order(seed, epoch):
        return [target for _, targets in batches([3] * 60).dataset(seed, epoch)
                for target in targets.numpy()]

    one = order(1, 0)
    assert one == order(1, 0)
    assert sorted(one) == list(range(60))
    assert len({tuple(order(*which)) for which in ((1, 0), (1, 1), (2, 0), (2, 1))}) == 4


def test_targets_are_numbers_classes_of_tokens_or_those_of_several_outputs():
    (_, numbers), = batches([3, 4], targets=[0.5, 2.25]).dataset(1, 0)
    assert (numbers.dtype, sorted(numbers.numpy())) == (np.float32, [0.5, 2.25])
    (inputs, tags), = batches([3, 4], targets=[[-1, 2, -1], [-1, 0, 5, -1]]).dataset(1, 0)
    assert tags.dtype == np.int32
    assert sorted(tags.numpy().tolist()) == [[-1, 0, 5, -1] + [-1] * 12, [-1, 2, -1] + [-1] * 13]
    assert tags.shape == inputs["input_mask"].shape
    (inputs, both), = batches([3, 4], targets={"start": [1, 2], "end": [2, 3]}).dataset(1, 0)
    found = zip(inputs["input_mask"].numpy().sum(axis=1), both["start"].numpy(),
                both["end"].numpy(), strict=True)
    assert sorted(found) == [(3, 1, 2), (4, 2, 3)]


def test_targets_of_several_classes_stay_as_long_as_the_classes():
    rows = [(0.0, 1.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)]
    found = {}
    for inputs, targets in batches([3, 4, 30], targets=rows).dataset(1, 0):
        assert (targets.dtype, targets.shape[1:]) == (np.float32, (3,))
        for count, target in zip(inputs["input_mask"].numpy().sum(axis=1), targets, strict=True):
            found[int(count)] = tuple(target.numpy().tolist())
    assert found == dict(zip([3, 4, 30], rows, strict=True))


def test_what_is_computed_is_the_part_of_one_width_for_all():
    # Widths 16, 16, 32 and 40 in place of four times 40.
    assert batches([3, 15, 16, 40]).computed == pytest.approx((16 + 16 + 32 + 40) / (4 * 40))
    assert batches([3, 4]).computed == 1.0
