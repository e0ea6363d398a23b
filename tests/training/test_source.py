"""The loop knows a source by its Protocol alone: here one that is no corpus."""

import contextlib
import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.errors import InputError
from mobilebert_tf.resuming.random_state import make_dropout_restorable
from mobilebert_tf.training import stage_losses
from mobilebert_tf.training.loop import Run
from mobilebert_tf.training.objectives import OBJECTIVES, Objective
from mobilebert_tf.training.settings import TrainingSettings

from .metrics import lines
from .steps import make_stage, unchanged, values

VECTOR = np.linspace(-1, 1, 48, dtype=np.float32)


@dataclasses.dataclass
class TaskBatches:
    """Texts with a vector that a teacher gave before, and nothing that is masked."""

    batch_size: int
    seed: int
    steps_per_epoch = 2

    def dataset(self, first_step, worker, workers):
        rows = self.batch_size // workers
        ids = tf.random.stateless_uniform((10, self.batch_size, 6), (self.seed, 1), 5, 120,
                                          tf.int32)
        ids = ids[first_step:, worker * rows : (worker + 1) * rows]
        ones = tf.ones_like(ids)
        teacher = tf.broadcast_to(VECTOR, (*ids.shape[:2], 48))
        return tf.data.Dataset.from_tensor_slices({
            "input_word_ids": ids, "input_mask": ones, "input_type_ids": 0 * ones,
            "teacher_vectors": teacher})

    def reading_errors(self):
        return contextlib.nullcontext()


class TaskSource:
    name = "a task"
    description = {"task": "rte", "teacher": "a1b2"}

    def count(self, split):
        return {"train": 8, "validation": 4}[split]

    def teacher_output_names(self, stage):
        return ()

    def batches(self, split, stage, batch_size, seed):
        return TaskBatches(batch_size, seed)


@pytest.fixture
def cached_vectors(monkeypatch):
    """A loss that reads a teacher's outputs from the batch; it needs no teacher."""
    monkeypatch.setitem(OBJECTIVES, "cached_vectors", Objective(
        "pooled_output", over="sequences", labels="teacher_vectors"))
    monkeypatch.setattr(stage_losses.losses, "cached_vectors",
                        lambda output, labels, weights: tf.reduce_sum(
                            weights * tf.reduce_mean(tf.square(output - labels), -1)),
                        raising=False)
    return make_stage({"cached_vectors": 1.0}, ("embedding", "block_0"), steps=3)


@pytest.mark.usefixtures("eagerly")
def test_a_run_trains_on_a_task_with_cached_outputs_of_a_teacher(cached_vectors, build, tmp_path):
    make_dropout_restorable()
    student = build("micro", 1, (), num_blocks=1)
    before = values(student)
    settings = TrainingSettings(log_every=1, validation_steps=2)

    def run(source, batch_size=4):
        stage = dataclasses.replace(cached_vectors, batch_size=batch_size)
        return Run(student=student, teacher=None, stages=(stage,), source=source,
                   directory=tmp_path, settings=settings)

    run(TaskSource()).train()
    assert not unchanged(student, before)
    found = lines(tmp_path)
    assert [line["split"] for line in found] == ["train", "train", "train", "validation"]
    assert found[2]["cached_vectors"] < found[0]["cached_vectors"]
    assert [line.get("tokens") for line in found] == [24.0, 24.0, 24.0, None]
    with pytest.raises(InputError, match="train split of a task has 8 examples"):
        run(TaskSource(), batch_size=16)
    other = TaskSource()
    other.description = {"task": "rte", "teacher": "c3d4"}
    with pytest.raises(InputError, match=r"another run: it differs in teacher \(a1b2, now c3d4\)"):
        run(other).train()


@pytest.mark.usefixtures("eagerly")
def test_another_seed_or_clipping_is_another_run(cached_vectors, build, tmp_path):
    stage = dataclasses.replace(cached_vectors, steps=1, batch_size=4)

    def train(**settings):
        make_dropout_restorable()
        Run(student=build("micro", 1, (), num_blocks=1), teacher=None, stages=(stage,),
            source=TaskSource(), directory=tmp_path,
            settings=TrainingSettings(validation_steps=0, **settings)).train()

    train(seed=3, clip_norm=0.5)
    train(seed=3, clip_norm=0.5)  # it is finished
    for changed, difference in (({"seed": 4}, r"seed \(3, now 4\)"),
                                ({"clip_norm": 2.0}, r"clip_norm \(0.5, now 2.0\)"),
                                ({"precision": "mixed_bfloat16"}, "precision")):
        with pytest.raises(InputError, match=f"another run: it differs in {difference}"):
            train(**{"seed": 3, "clip_norm": 0.5, **changed})


@pytest.mark.usefixtures("eagerly")
def test_each_stage_reads_other_batches(cached_vectors, build, tmp_path, monkeypatch):
    seeds = []
    monkeypatch.setattr(TaskSource, "batches", lambda self, split, stage, size, seed: (
        seeds.append((split, seed)) or TaskBatches(size, seed)))
    stages = [dataclasses.replace(cached_vectors, name=name, steps=1, batch_size=4)
              for name in ("one", "two")]
    make_dropout_restorable()
    Run(student=build("micro", 1, (), num_blocks=1), teacher=None, stages=stages,
        source=TaskSource(), directory=tmp_path,
        settings=TrainingSettings(seed=5, validation_steps=0)).train()
    assert seeds == [("train", 5), ("train", 6)]


@pytest.mark.usefixtures("eagerly")
def test_validation_reads_parts_of_a_training_batch_however_few_rows_there_are(
        cached_vectors, build, tmp_path, monkeypatch):
    sizes = []
    monkeypatch.setattr(TaskSource, "batches", lambda self, split, stage, size, seed: (
        sizes.append((split, size)) or TaskBatches(size, seed)))
    stage = dataclasses.replace(cached_vectors, steps=1, batch_size=8)
    for rows, accumulation, size in ((4, 1, 4), (4, 4, 2), (3, 2, 3), (1, 8, 1)):
        monkeypatch.setattr(TaskSource, "count", lambda self, split, rows=rows: (
            8 if split == "train" else rows))
        directory = tmp_path / f"{rows}_{accumulation}"
        make_dropout_restorable()
        Run(student=build("micro", 1, (), num_blocks=1), teacher=None, stages=(stage,),
            source=TaskSource(), directory=directory,
            settings=TrainingSettings(accumulation=accumulation)).train()
        assert sizes[-1] == ("validation", size)
        last = lines(directory)[-1]
        assert (last["split"], last["cached_vectors"] > 0) == ("validation", True)


@pytest.mark.usefixtures("eagerly")
def test_a_loss_that_is_not_finite_is_not_saved_where_nothing_asserts_it(
        cached_vectors, build, tmp_path, monkeypatch):
    """XLA drops the assertions of a step."""
    monkeypatch.setattr(tf.debugging, "assert_all_finite", lambda tensor, message: tensor)
    make_dropout_restorable()
    stage = dataclasses.replace(cached_vectors, learning_rate=1e30, batch_size=4)
    run = Run(student=build("micro", 1, (), num_blocks=1), teacher=None, stages=(stage,),
              source=TaskSource(), directory=tmp_path,
              settings=TrainingSettings(checkpoint_every=1, validation_steps=0))
    with pytest.raises(InputError, match="step 2: the loss or a gradient is not finite .*"
                                         "stage-00-step-00000001 is kept"):
        run.train()
