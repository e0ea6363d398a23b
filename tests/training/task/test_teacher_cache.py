"""A teacher's outputs on disk: what they are, whose they are, and what a kill leaves of them."""

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf.data.features.batches import width_for
from mobilebert_tf.errors import InputError
from mobilebert_tf.precision import computing_in
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.task import teacher_cache, teacher_run
from mobilebert_tf.training.task.teacher_cache import TeacherCache

from .conftest import LENGTH, TASKS


def make_stage(losses, blocks=()):
    return Stage(name="one", steps=1, losses=losses, blocks=blocks, rates={"head": 1.0},
                 learning_rate=1e-3, batch_size=4)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Several files, several batches each."""
    monkeypatch.setattr(teacher_cache, "_SHARD_ROWS", 16)
    monkeypatch.setattr(teacher_run, "_BATCH_TOKENS", 96)


@pytest.fixture(scope="module")
def classified(make_task, make_rows, make_model, tmp_path_factory):
    """The rows of a task and a teacher."""
    directory = tmp_path_factory.mktemp("task")
    task = make_task("classification", directory, 40)
    return make_rows(task, directory), make_model(task, 1)


def contents(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


@pytest.mark.parametrize("name", TASKS)
def test_the_outputs_are_the_teachers(name, make_task, make_rows, make_model, tmp_path):
    task = make_task(name, tmp_path, 20)
    rows, teacher = make_rows(task, tmp_path), make_model(task, 1)
    found = TeacherCache(tmp_path / "cache", teacher, rows, LENGTH, 0, blocks=[1]).filled()
    width = LENGTH
    numbers = np.random.default_rng(1).permutation(len(rows))[:7]
    batch = found.batch(numbers, width)
    states = teacher.encoder(
        rows.inputs(numbers, width, 0), training=False)["block_outputs"][1][:, :1]
    assert batch["teacher/block_outputs/1"] == pytest.approx(states.numpy(), abs=4e-3)
    for at, number in enumerate(numbers):
        tokens = rows.ids.lengths[number]
        alone = teacher.head_outputs(teacher.encoder(rows.inputs(
            np.array([number]), width_for(tokens, LENGTH), 0), training=False)[teacher.head_input])
        for output, values in alone.items():
            kept = batch[f"teacher/head/{output}"][at]
            assert kept.dtype == np.float32
            values = values.numpy()[0]
            if name == "squad":
                values = tf.nn.log_softmax(values[:tokens]).numpy()
                places = np.argsort(-values)[:16]
                values, kept = values[places], kept[places]
            elif name == "tagging":
                values, kept = values[:tokens], kept[:tokens]
            assert np.ptp(values) > 0.1 or name == "stsb"
            assert kept == pytest.approx(values, rel=1e-3, abs=8e-3)


def test_they_are_in_half_precision(classified, tmp_path):
    rows, teacher = classified
    TeacherCache(tmp_path, teacher, rows, LENGTH, 0).filled()
    size = sum(len(data) for name, data in contents(tmp_path).items() if "outputs" in name)
    assert size < len(rows) * (3 * 2 + 4) + 3 * 400  # logits, their number; three headers


@pytest.mark.parametrize("number", [2019.6, 70_000.0])  # half precision has 2020 and no 70,000
def test_a_number_is_not_rounded_to_half_precision(number, make_task, make_rows, make_model,
                                                   tmp_path):
    task = make_task("stsb", tmp_path, 20)
    teacher = make_model(task, 1)
    teacher.head.set_weights([np.full_like(weights, number if weights.ndim == 1 else 0)
                              for weights in teacher.head.get_weights()])
    outputs = TeacherCache(tmp_path / "cache", teacher, make_rows(task, tmp_path), LENGTH, 0)
    (found,) = outputs.filled().batch(np.arange(5), LENGTH).values()
    np.testing.assert_allclose(found, number, rtol=1e-6)


def test_a_teacher_may_compute_in_bfloat16(make_task, make_rows, make_model, tmp_path):
    """Its states are bfloat16, for which NumPy has no type."""
    task = make_task("classification", tmp_path, 20)
    rows, exact = make_rows(task, tmp_path), make_model(task, 1)
    with computing_in("mixed_bfloat16"):
        teacher = type(exact).from_config(exact.get_config())
    teacher.set_weights(exact.get_weights())
    found, right = (TeacherCache(tmp_path / str(number), model, rows, LENGTH, 0, blocks=[1]
                                 ).filled().batch(np.arange(5), LENGTH)
                    for number, model in enumerate((teacher, exact)))
    assert found.keys() == right.keys()
    for name, values in found.items():
        assert np.abs(values - right[name]).max() < 0.05 * np.abs(right[name]).max(), name


def killed_after(count, monkeypatch):
    """Make the process end after so many files."""
    written, write = [], teacher_cache.write_atomically

    def write_some(path, data):
        if len(written) == count:
            raise KeyboardInterrupt
        written.append(path)
        write(path, data)

    monkeypatch.setattr(teacher_cache, "write_atomically", write_some)
    return written


@pytest.mark.parametrize("files", [0, 1, 2, 3])
def test_filling_goes_on_after_a_kill_and_ends_with_the_same_bytes(
        files, classified, tmp_path, monkeypatch):
    rows, teacher = classified
    TeacherCache(tmp_path / "whole", teacher, rows, LENGTH, 0).filled()
    with monkeypatch.context() as patch:
        killed_after(files, patch)
        with pytest.raises(KeyboardInterrupt):
            TeacherCache(tmp_path / "killed", teacher, rows, LENGTH, 0).filled()
    before = contents(tmp_path / "killed")
    shown = []
    TeacherCache(tmp_path / "killed", teacher, rows, LENGTH, 0).filled(
        lambda done, total: shown.append((done, total)))
    after = contents(tmp_path / "killed")
    assert after == contents(tmp_path / "whole")
    assert {name: after[name] for name in before} == before
    assert len(after) == 5  # three files, what they are of, and a lock
    assert shown[0] == (min(16 * max(files - 1, 0), 40), 40)
    assert shown[-1] == (40, 40)


def test_a_full_cache_does_not_run_the_teacher(classified, tmp_path, monkeypatch):
    rows, teacher = classified
    first = TeacherCache(tmp_path, teacher, rows, LENGTH, 0).filled()
    monkeypatch.setattr(teacher_run, "partial_model", None)
    again = TeacherCache(tmp_path, teacher, rows, LENGTH, 0).filled()
    numbers = np.arange(40)
    assert np.array_equal(first.batch(numbers, LENGTH)["teacher/head/logits"],
                          again.batch(numbers, LENGTH)["teacher/head/logits"])


def test_a_cache_of_something_else_is_refused(classified, make_model, make_task, make_rows,
                                              tmp_path):
    rows, teacher = classified
    directory = tmp_path / "cache"
    TeacherCache(directory, teacher, rows, LENGTH, 0).filled()

    def refused(what, *arguments, **keywords):
        with pytest.raises(InputError, match=f"{directory} holds a teacher's outputs for {what}; "
                                             "name another directory"):
            TeacherCache(directory, *arguments, **keywords).filled()

    task = make_task("classification", tmp_path / "task", 41)
    others = make_rows(task, tmp_path / "task")
    refused("another teacher", make_model(task, 2), rows, LENGTH, 0)
    refused("another length", teacher, rows, LENGTH - 1, 0)
    refused("other data", teacher, others, LENGTH, 0)
    refused("other blocks of the teacher", teacher, rows, LENGTH, 0, blocks=[1])
    with computing_in("mixed_bfloat16"):
        narrow = task.kind.build(mb.Encoder(teacher.config))
    narrow.set_weights(teacher.get_weights())
    refused("another precision", narrow, rows, LENGTH, 0)


def test_a_damaged_file_is_named(classified, tmp_path):
    rows, teacher = classified
    TeacherCache(tmp_path, teacher, rows, LENGTH, 0).filled()
    path = tmp_path / "outputs-00001.safetensors"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=f"{path} is damaged; remove it, and it is computed again"):
        TeacherCache(tmp_path, teacher, rows, LENGTH, 0).filled()


def test_a_teacher_whose_numbers_are_not_finite_is_refused(make_task, make_rows, make_model,
                                                           tmp_path):
    task = make_task("classification", tmp_path, 20)
    teacher = make_model(task, 1)
    teacher.head.set_weights([np.full_like(weights, 1e6) for weights in
                              teacher.head.get_weights()])
    with pytest.raises(InputError, match="too large for float16, in which they are kept"):
        TeacherCache(tmp_path / "cache", teacher, make_rows(task, tmp_path), LENGTH, 0).filled()


def test_stages_that_need_more_than_is_kept_run_the_teacher(classified, tmp_path):
    rows, teacher = classified
    outputs = TeacherCache(tmp_path, teacher, rows, LENGTH, 0, blocks=[0, 1]).filled()
    assert outputs.names_for(make_stage({"soft_label": 1.0, "label": 1.0})) == ("head",)
    assert outputs.names_for(make_stage({"soft_label": 1.0, "patience": 1.0}, ((0, 1),))) == (
        "block_outputs", "head")
    assert outputs.names_for(make_stage({"patience": 1.0}, ((0, 2),))) == ()
    assert outputs.names_for(make_stage({"soft_label": 1.0, "feature_map": 1.0}, ((0, 1),))) == ()
    assert outputs.names_for(make_stage({"patience": 1.0}, (("embedding", "embedding"),))) == ()
