import dataclasses
import importlib.util
import json
import sys

import pytest
import tensorflow as tf
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.masking import Masking
from mobilebert_tf.training.speed import inputs, report, steps, torch_peer
from mobilebert_tf.training.speed import measure as speed
from mobilebert_tf.training.speed.measure import MeasuredStep
from mobilebert_tf.training.speed.plan import SpeedPlan
from mobilebert_tf.training.speed.turns import interleaved

PARTS = ("embedding", "block_0", "block_1", "block_2")
BLOCKS = ((0, 0), (1, 1), (2, 2))


class Clock:
    """Shows a time that only its own steps advance."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def step(self, *durations):
        """A step that takes these seconds, one after another, then the last again and again."""
        left = list(durations)

        def run():
            self.now += left.pop(0) if len(left) > 1 else left[0]
            return {"loss": tf.constant(0.0)}

        return steps._timed(run, self)


def plan(**changes):
    return SpeedPlan(**{"student": "micro", "teacher": "micro_ib_bert", "batch_size": 2,
                        "length": 8, "rounds": 3, "threads": 2, "examples": 64, **changes})


def test_steps_take_turns_and_neither_warm_up_nor_a_turns_first_step_counts():
    done, rounds = [], []

    def step(name):
        def run():
            done.append(name)
            return float(len(done))
        return run

    seconds = interleaved({name: step(name) for name in "ab"}, 2,
                          lambda at, of: rounds.append((at, of)))
    assert "".join(done) == "aabb" + "aaabbb" * 2
    assert seconds == {"a": [6.0, 7.0, 12.0, 13.0], "b": [9.0, 10.0, 15.0, 16.0]}
    assert rounds == [(0, 2), (1, 2), (2, 2)]


def subjects(clock):
    """Known times: the first two steps are the warm-up's, and of the rest some are outliers."""
    def stage(depth, rate, *durations):
        return MeasuredStep(f"stage of {depth} at {rate}", clock.step(*durations),
                       {"depth": depth, "num_blocks": 3, "earlier_rate": rate})

    def training(by, what, precision, duration):
        return MeasuredStep(f"{by}, {what}, {precision}", clock.step(duration), {
            "by": by, "what": what, "precision": precision, "parameters": 1, "versions": {}})

    return [
        MeasuredStep(speed.FULL, clock.step(99.0, 99.0, 99.0, 2.0, 50.0, 2.0), {}),
        stage(1, 0.1, 0.5), stage(2, 0.1, 1.0), stage(3, 0.1, 1.5),
        stage(1, 0.0, 0.5), stage(2, 0.0, 0.75), stage(3, 0.0, 1.0),
        training("mobilebert_tf", "masked LM", "float32", 4.0),
        training("mobilebert_tf", "encoder", "float32", 3.0),
        training("transformers", "masked LM", "bfloat16", 8.0),
        training("transformers", "masked LM", "float32", 5.0),
        training("transformers", "encoder", "bfloat16", 2.0),
        MeasuredStep(speed.PIPELINE, clock.step(0.125),
                {"corpus": "synthetic", "seconds_to_first_batch": 1.0})]


@pytest.fixture
def found():
    """The facts of known times."""
    made = subjects(Clock())
    seconds = interleaved({one.name: one.step for one in made}, 3)
    return speed.facts(plan(), made, seconds, {"a thing": "not there"}) | {
        "machine": "a box", "date": "2026-11-20T10:00:00+00:00", "command": "mobilebert x"}


def test_stages_are_told_by_their_median_to_that_of_all_blocks(found):
    assert found["full_step"]["median_seconds"] == 2.0
    assert [record["ratio"] for record in found["stages"]] == [0.25, 0.5, 0.75, 0.25, 0.375, 0.5]
    assert found["averages"] == [
        {"earlier_rate": 0.1, "depths": [1, 2, 3], "of_all_stages": True, "ratio": 0.5},
        {"earlier_rate": 0.0, "depths": [1, 2, 3], "of_all_stages": True, "ratio": 0.375}]


def test_training_is_told_by_throughput_to_the_same_of_the_peer(found):
    assert found["tokens_a_step"] == 16
    ours, encoder, *theirs = found["training"]
    assert ours["tokens_per_second"] == 4.0
    assert ours["ratios"] == {"bfloat16": 2.0, "float32": 1.25}
    assert encoder["ratios"] == {"bfloat16": pytest.approx(2 / 3)}
    assert all(record["ratios"] == {} for record in theirs)
    assert found["training_ratio"] == 2.0


def test_the_pipeline_is_told_to_each_of_our_steps_and_to_the_fastest(found):
    pipeline = found["pipeline"]
    assert pipeline["tokens_per_second"] == 128.0
    assert pipeline["ratios"][speed.FULL] == 16.0
    assert pipeline["ratios"]["mobilebert_tf, masked LM, float32"] == 32.0
    assert pipeline["lowest_ratio"] == 4.0
    assert not any(name.startswith("transformers") for name in pipeline["ratios"])


def test_the_report_has_every_measured_step_and_what_is_missing(found):
    json.dumps(found)
    stages, training, pipeline = report.tables(found)
    assert [row[-1] for row in stages.rows] == [
        "1.00", "0.25", "0.50", "0.75", "0.25", "0.38", "0.50", "0.50", "0.38"]
    assert [row[1] for row in stages.rows[-2:]] == ["at 0.1", "frozen"]
    assert training.rows[0] == ("mobilebert_tf, masked LM", "float32", "4000.0", "4", "2.00x",
                                "1.25x")
    assert [row[-1] for row in pipeline.rows][:2] == ["-", "4.0x"]
    for table in (stages, training, pipeline):
        assert all(len(row) == len(table.columns) for row in table.rows)
    told = " ".join(report.notes(found))
    assert "a thing: not measured, not there." in told
    assert "a box" in told
    assert "Only the stages" not in told


def test_a_mean_of_some_stages_is_not_called_the_strategys(found):
    made = [one for one in subjects(Clock()) if "depth" not in one.facts or one.facts["depth"] > 1]
    seconds = interleaved({one.name: one.step for one in made}, 3)
    some = found | speed.facts(plan(depths=(2, 3)), made, seconds, {})
    assert [(one["depths"], one["of_all_stages"]) for one in some["averages"]] == [
        ([2, 3], False)] * 2
    assert "Only the stages of 2, 3 blocks" in " ".join(report.notes(some))
    assert [row[0] for row in report.tables(some)[0].rows[-2:]] == [
        "mean of the stages measured"] * 2


def test_stages_are_those_of_the_strategies_with_the_same_losses_and_batch():
    full, found = steps.transfer_stages(PARTS, BLOCKS, (0.1, 0.0), (1, 3), 4)
    assert [(one.depth, one.earlier_rate) for one in found] == [
        (1, 0.1), (3, 0.1), (1, 0.0), (3, 0.0)]
    assert full.blocks == BLOCKS
    assert [one.stage.blocks for one in found] == [((0, 0),), ((2, 2),)] * 2
    assert found[1].stage.rates == {"block_0": 0.1, "block_1": 0.1, "block_2": 1.0}
    assert found[3].stage.rates == {"block_2": 1.0}
    for one in found:
        assert (one.stage.losses, one.stage.batch_size) == (full.losses, 4)


@pytest.mark.parametrize(("depths", "num_blocks", "expected"), [
    (None, 3, (1, 2, 3)), (None, 24, (6, 12, 18, 24)), ((4, 2, 4), 6, (2, 4))])
def test_deep_students_are_measured_at_a_selection_of_depths(depths, num_blocks, expected):
    assert plan(depths=depths).measured_depths(num_blocks) == expected


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"rounds": 0}, "rounds is 0"), ({"length": 3}, "length of 3"),
    ({"precisions": ("mixed_bfloat16",)}, "float32, or float32 and mixed_bfloat16")])
def test_a_plan_of_nothing_is_refused(changes, sentence):
    with pytest.raises(mb.InputError, match=sentence):
        plan(**changes)


def test_a_depth_that_the_student_has_not_is_refused():
    with pytest.raises(mb.InputError, match="no stage of 7 blocks: the student has 3"):
        plan(depths=(1, 7)).measured_depths(3)


def test_synthetic_batches_are_what_a_corpus_gives(corpus):
    made = inputs.batch(120, 4, 16)
    element_spec = CorpusBatches(corpus, "train", 4, Masking(), 1).dataset().element_spec
    assert {name: (spec.dtype, spec.shape.rank) for name, spec in element_spec.items()} == {
        name: (value.dtype, value.shape.rank) for name, value in made.items()}
    spec = inputs.batch_spec(made)
    assert spec["input_word_ids"].shape.as_list() == [4, None]
    assert made["masked_positions"].shape == (4, 2)
    restored = tf.tensor_scatter_nd_update(
        made["input_word_ids"], [[[row, at] for at in made["masked_positions"][row]]
                                 for row in range(4)], made["masked_ids"])
    assert (restored == made["original_word_ids"]).numpy().all()


def test_the_pipelines_seconds_are_for_as_many_real_tokens_as_a_step_has(tmp_path):
    made = inputs.corpus(tmp_path, inputs.vocabulary(40), 8, 16)
    ticks = iter(range(100))
    turn, to_first = steps.pipeline_step(made, 4, tokens=32 * 64, clock=lambda: next(ticks))
    assert to_first == 1
    # A second for 64 batches of 32 tokens each, all of them real.
    assert turn() == 1.0


def measured(monkeypatch, **changes):
    """The facts of a plan whose steps are built, and take no time."""
    built = []

    def of_stage(stage, student, teacher, batch, clock=None):
        built.append(stage.name)
        return lambda: 1.0

    monkeypatch.setattr(steps, "stage_step", of_stage)
    monkeypatch.setattr(steps, "encoder_step", lambda *_: (lambda: 0.5, 1))
    return speed.measure(plan(**changes)), built


def test_a_peer_that_cannot_run_is_told_with_its_reason(monkeypatch, tmp_path):
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho \'{"error": "not installed: torch"}\'\n')
    python.chmod(0o755)
    found, built = measured(monkeypatch, teacher=None, peers=True, peer_python=python)
    assert found["not_measured"] == {
        "transformers, masked LM, bfloat16": "not installed: torch",
        "transformers, masked LM, float32": "not installed: torch",
        "transformers, encoder, bfloat16": "not installed: torch",
        "stages of progressive transfer": "no teacher is named"}
    assert found["training_ratio"] is None
    assert built == ["pretraining"]
    training, _ = report.tables(found)
    assert sum("not measured" in row for row in training.rows) == 3


def test_every_stage_of_a_small_student_is_built_once(monkeypatch):
    found, built = measured(monkeypatch, pretrained="micro_tiny")
    # The first stage has no earlier blocks, and is the same at any rate.
    assert built == ["transfer", "transfer_0", "transfer_1", "transfer_2", "transfer_1",
                     "transfer_2", "pretraining"]
    assert [(record["depth"], record["earlier_rate"]) for record in found["stages"]] == [
        (1, 0.1), (2, 0.1), (3, 0.1), (1, 0.0), (2, 0.0), (3, 0.0)]
    assert found["not_measured"] == {}
    assert found["settings"]["corpus"] == "synthetic"


def test_texts_longer_than_a_model_takes_are_refused():
    with pytest.raises(mb.InputError, match="micro takes 40 tokens, not 64"):
        speed.measure(plan(teacher=None, length=64))


def test_our_steps_train(eagerly):
    config = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, num_feed_forwards=1)
    made = inputs.batch(config.vocab_size, 2, 8)
    for precision in ("float32", "mixed_bfloat16"):
        for make in (steps.masked_lm_step, steps.encoder_step):
            step, parameters = make(config, precision, made)
            assert step() > 0
            assert parameters > 1000
    assert keras.mixed_precision.global_policy().name == "float32"


def test_a_model_that_transformers_has_not_is_refused():
    with pytest.raises(mb.InputError, match="no such model: its MobileBert has queries and keys"):
        torch_peer.TorchPeer("encoder", "float32", mb.presets.get("micro_ib_bert"), None)


@pytest.fixture
def fake_torch(tmp_path):
    """An interpreter that answers two steps, then ends."""
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho \'{"parameters": 7, "versions": {"torch": "0"}}\'\n'
                      'for n in 1 2; do read line; echo "{\\"seconds\\": 0.$n}"; done\nexit 3\n')
    python.chmod(0o755)
    return python


def test_a_peer_steps_when_it_is_told_and_its_death_is_named(fake_torch):
    peer = torch_peer.TorchPeer("masked LM", "float32", mb.presets.get("micro"), fake_torch)
    assert (peer.parameters, peer.versions) == (7, {"torch": "0"})
    assert (peer.step(), peer.step()) == (0.1, 0.2)
    with pytest.raises(mb.InputError, match="masked LM in float32: its process ended with 3"):
        peer.step()
    peer.close()


def test_an_interpreter_that_is_not_there_is_named(tmp_path):
    with pytest.raises(mb.InputError, match="cannot run .*absent: No such file"):
        torch_peer.TorchPeer("encoder", "float32", mb.presets.get("micro"), tmp_path / "absent")


@pytest.mark.slow
@pytest.mark.parametrize(("what", "precision"), torch_peer.VARIANTS)
def test_the_real_peer_trains_the_same_model(what, precision):
    for name in ("torch", "transformers"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"not installed: {name}")
    config = mb.presets.get("micro")
    peer = torch_peer.TorchPeer(what, precision, config, sys.executable, batch_size=2,
                                length=8, threads=1, learning_rate=1e-4, seed=1)
    try:
        assert peer.step() > 0
    finally:
        peer.close()
    model = mb.Encoder(dataclasses.replace(config, pooler="first_token"))
    if what == "masked LM":
        model = mb.Pretrainer(model, next_sentence=False)
    assert peer.parameters == model.count_params()
