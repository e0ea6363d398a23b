"""Batches of a task: functions of their step, all rows once an epoch, of similar length."""

import itertools

import numpy as np
import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.question_answering import QuestionAnswering
from mobilebert_tf.training.batch_entries import nested
from mobilebert_tf.training.task.ragged import Ragged
from mobilebert_tf.training.task.task_batches import TaskBatches
from mobilebert_tf.training.task.task_rows import TaskRows
from mobilebert_tf.training.task.task_source import TaskSource

from .conftest import LENGTH


def take(batches, first_step, count, **share):
    dataset = batches.dataset(first_step, **share)
    return list(itertools.islice(dataset.as_numpy_iterator(), count))


def texts_of(batches):
    return sorted(tuple(row[mask == 1]) for batch in batches for row, mask in zip(
        batch["input_word_ids"], batch["input_mask"], strict=True))


@pytest.fixture
def rows(make_task, make_rows, tmp_path):
    return make_rows(make_task("classification", tmp_path, 40), tmp_path,
                     ["good film", "the bad film " * 8, "warm"])


def test_a_batch_is_a_function_of_its_step(rows):
    whole = take(TaskBatches(rows, LENGTH, 0, 8, seed=3), 0, 12)
    for first in (1, 5, 7):
        for batch, same in zip(take(TaskBatches(rows, LENGTH, 0, 8, seed=3), first, 4),
                               whole[first:], strict=False):
            assert batch.keys() == same.keys()
            assert all(np.array_equal(batch[name], same[name]) for name in batch)
    (other,) = take(TaskBatches(rows, LENGTH, 0, 8, seed=4), 0, 1)
    assert not np.array_equal(other["input_word_ids"], whole[0]["input_word_ids"])


def test_an_epoch_has_every_row_once_and_the_next_one_another_order(rows):
    batches = TaskBatches(rows, LENGTH, 0, 1, seed=1)
    assert batches.steps_per_epoch == 43
    first, second = take(batches, 0, 43), take(batches, 43, 43)
    assert texts_of(first) == texts_of(second) == sorted(tuple(rows.ids[row]) for row in range(43))
    assert [len(batch["input_mask"][0]) for batch in first] != [
        len(batch["input_mask"][0]) for batch in second]


def test_less_than_a_batch_of_rows_is_left_out_and_others_in_the_next_epoch(rows):
    batches = TaskBatches(rows, LENGTH, 0, 8, seed=1)
    assert batches.steps_per_epoch == 5
    found = [texts_of(take(batches, 5 * epoch, 5)) for epoch in range(6)]
    assert {len(texts) for texts in found} == {40}
    assert len({text for texts in found for text in texts}) == len(set(
        tuple(rows.ids[row]) for row in range(43)))


def test_a_batch_is_as_wide_as_its_longest_row_and_its_rows_are_alike(rows):
    widths = [batch["input_mask"].shape[1] for batch in take(
        TaskBatches(rows, LENGTH, 0, 8, seed=1), 0, 5)]
    assert set(widths) == {16, 32}
    for batch in take(TaskBatches(rows, LENGTH, 0, 8, seed=1), 0, 5):
        longest = batch["input_mask"].sum(axis=1).max()
        assert batch["input_mask"].shape[1] == min((longest // 16 + 1) * 16, LENGTH)
    static = TaskBatches(rows, LENGTH, 0, 8, seed=1, static_shapes=True)
    assert {batch["input_mask"].shape[1] for batch in take(static, 0, 5)} == {LENGTH}
    assert all(spec.shape.is_fully_defined() for spec in static.dataset().element_spec.values())


def test_a_text_without_a_label_has_no_weight_in_the_losses_of_labels(rows):
    batches = take(TaskBatches(rows, LENGTH, 0, 43, seed=1), 0, 1)
    (batch,) = batches
    assert batch["soft_label_weights"].tolist() == [1.0] * 43
    assert batch["label_weights"].sum() == 40
    without = {tuple(row[mask == 1]) for row, mask, weight in zip(
        batch["input_word_ids"], batch["input_mask"], batch["label_weights"], strict=True)
        if not weight}
    assert without == {tuple(rows.ids[row]) for row in (40, 41, 42)}


def test_labels_stay_with_their_rows(rows):
    (batch,) = take(TaskBatches(rows, LENGTH, 0, 43, seed=1), 0, 1)
    label_of = {tuple(rows.ids[row]): rows.targets["logits"][row] for row in range(40)}
    assert batch["label_weights"].sum() == 40
    assert len(set(label_of.values())) > 1
    for ids, mask, target, weight in zip(batch["input_word_ids"], batch["input_mask"],
                                         batch["targets/logits"], batch["label_weights"],
                                         strict=True):
        assert not weight or label_of[tuple(ids[mask == 1])] == target


def test_a_question_without_a_label_has_a_target_within_its_batch():
    """The answer of the one question with a label ends beyond the width of the others' batch."""
    rows = TaskRows(
        Ragged.of([np.arange(30), np.arange(9), np.arange(5)], np.int32), np.int32([4, 4, 2]),
        {"start_logits": np.int32([20]), "end_logits": np.int32([28])}, None, labelled=1)
    batch = nested(rows.labels(np.array([2, 1]), 16))
    assert batch["label_weights"].tolist() == [0.0, 0.0]
    for target in batch["targets"].values():
        assert (target.tolist(), target.dtype) == ([0, 0], np.int32)
    losses = QuestionAnswering().label_losses(
        dict.fromkeys(batch["targets"], np.zeros((2, 16), np.float32)), batch["targets"], None)
    assert losses.numpy() == pytest.approx([np.log(16)] * 2)
    both = nested(rows.labels(np.array([1, 0]), 32))
    assert both["targets"]["end_logits"].tolist() == [0, 28]


@pytest.mark.parametrize("values", [np.float32([[1, 0, 1]]), np.float32([0.5]), np.int32([3])])
def test_a_row_without_a_label_has_targets_of_zero(values):
    rows = TaskRows(Ragged.of([np.arange(3), np.arange(4)], np.int32), np.int32([3, 4]),
                    {"logits": values}, None, labelled=1)
    found = rows.labels(np.array([1, 0]), 16)["targets/logits"]
    assert found.dtype == values.dtype
    assert found.tolist() == [np.zeros_like(values[0]).tolist(), values[0].tolist()]


def test_tags_are_places_at_first_pieces_alone(make_task, make_rows, tmp_path):
    task = make_task("tagging", tmp_path, 12)
    rows = make_rows(task, tmp_path, ["films good", "the films"])  # film ##s
    (batch,) = take(TaskBatches(rows, LENGTH, 0, len(rows), seed=1), 0, 1)
    assert np.array_equal(batch["label_weights"] == 1, batch["targets/logits"] >= 0)
    is_unlabelled = batch["label_weights"].sum(axis=1) == 0
    assert is_unlabelled.sum() == 2
    assert batch["soft_label_weights"][is_unlabelled].sum(axis=1).tolist() == [2.0, 2.0]
    labelled = ~is_unlabelled
    assert np.array_equal(batch["soft_label_weights"][labelled], batch["label_weights"][labelled])


def test_workers_share_a_batch(rows):
    batches = TaskBatches(rows, LENGTH, 0, 8, seed=1)
    whole = take(batches, 2, 3)
    halves = [take(batches, 2, 3, worker=worker, workers=2) for worker in range(2)]
    for batch, *parts in zip(whole, *halves, strict=True):
        for name, values in batch.items():
            assert np.array_equal(np.concatenate([part[name] for part in parts]), values)
    with pytest.raises(InputError, match="batch of 8 rows cannot be shared equally by 3 workers"):
        batches.dataset(0, 0, 3)


def test_a_batch_has_a_static_first_dimension(rows):
    spec = TaskBatches(rows, LENGTH, 0, 8, seed=1).dataset(0, 0, 2).element_spec
    assert {one.shape[0] for one in spec.values()} == {4}
    assert spec["input_word_ids"].shape.as_list() == [4, None]
    assert spec["targets/logits"].shape.as_list() == [4]


def test_a_source_has_no_validation_split(rows):
    source = TaskSource("sst2", rows, LENGTH, 0, {"task": "sst2"})
    assert (source.count("train"), source.count("validation")) == (43, 0)
