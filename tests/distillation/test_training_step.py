"""A step of every stage: what it computes, what it changes, and what it leaves as it was."""

import dataclasses
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.distillation import losses, stages
from mobilebert_tf.distillation.components import components
from mobilebert_tf.distillation.stages import Stage
from mobilebert_tf.distillation.training_step import TrainingStep
from mobilebert_tf.errors import InputError

BLOCKS = ((0, 0), (1, 1), (2, 2))
ALL = ("embedding", "block_0", "block_1", "block_2", "mlm", "nsp")
PLAN = stages.Plan(transfer_steps=30, distillation_steps=10, batch_size=4)


@pytest.fixture(scope="module")
def models(build):
    return build("micro", 1), build("micro_ib_bert", 2)


@pytest.fixture
def student_and_teacher(models):
    """MobileBERT and its IB-BERT teacher; what a test does to their weights is undone."""
    before = [model.get_weights() for model in models]
    yield models
    for model, weights in zip(models, before, strict=True):
        model.set_weights(weights)


def make_stage(losses, rates=ALL, **fields):
    rates = rates if isinstance(rates, dict) else dict.fromkeys(rates, 1.0)
    return Stage(**{"name": "test", "steps": 10, "losses": losses, "rates": rates,
                    "learning_rate": 1e-3, "batch_size": 4, "optimizer": "adamw", **fields})


def new_step(stage, student, teacher=None, **settings):
    return TrainingStep(stage, student, teacher, tf.distribute.get_strategy(), **settings)


def spec(batch):
    return tf.nest.map_structure(tf.TensorSpec.from_tensor, batch)


def take_step(stage, student, teacher, batch, **settings):
    scalars = new_step(stage, student, teacher, **settings).function(spec(batch))(batch)
    return {name: float(value) for name, value in scalars.items()}


def measure(stage, student, teacher, batch):
    scalars = new_step(stage, student, teacher).measuring_function(spec(batch))(batch)
    return {name: float(value) for name, value in scalars.items()}


def values(model):
    return {name: [variable.numpy() for variable in variables]
            for name, variables in components(model).items()}


def still(model, before):
    """Component -> names of its variables that are as before; key biases apart.

    Softmax does not see a key's bias: it moves, if at all, by rounding.
    """
    return {name: [variable.name for variable, value in zip(variables, before[name], strict=True)
                   if "key/bias" not in variable.name and np.array_equal(variable, value)]
            for name, variables in components(model).items()}


def unchanged(model, before):
    return all(np.array_equal(variable, value) for name, variables in components(model).items()
               for variable, value in zip(variables, before[name], strict=True))


# ---- What a stage changes ----

STAGES = {  # name -> (stage, what it should change)
    "auxiliary": (stages.auxiliary(ALL, BLOCKS, PLAN)[0], ALL),
    "joint, transfer": (stages.joint(ALL, BLOCKS, PLAN)[0], ("block_0", "block_1", "block_2")),
    "joint, distillation": (stages.joint(ALL, BLOCKS, PLAN)[1], ALL),
    "progressive, block 0": (stages.progressive(ALL, BLOCKS, PLAN)[0], ("block_0",)),
    "progressive, block 1": (stages.progressive(ALL, BLOCKS, PLAN)[1], ("block_0", "block_1")),
    "progressive, block 2": (stages.progressive(ALL, BLOCKS, PLAN)[2],
                             ("block_0", "block_1", "block_2")),
    "progressive, distillation": (stages.progressive(ALL, BLOCKS, PLAN)[3], ALL),
    "progressive with frozen blocks": (stages.progressive(
        ALL, BLOCKS, dataclasses.replace(PLAN, earlier_rate=0.0))[1], ("block_1",)),
    "progressive with its embedding": (stages.progressive(
        ALL, BLOCKS, dataclasses.replace(PLAN, embedding_rate=0.5))[0], ("embedding", "block_0")),
    "pretraining": (stages.pretraining(ALL, 10, 4, 1e-3, optimizer="adamw")[0], ALL),
    "heads alone": (make_stage({"masked_lm": 1, "next_sentence": 1}, ("mlm", "nsp")),
                    ("mlm", "nsp")),
}


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.usefixtures("eagerly")
def test_one_step_changes_what_the_stage_names_and_nothing_else(
        name, student_and_teacher, make_batch):
    stage, expected = STAGES[name]
    student, teacher = student_and_teacher
    before, taught_by = values(student), teacher.get_weights()
    scalars = take_step(stage, student, teacher if stage.has_teacher else None, make_batch())
    assert all(np.isfinite(value) for value in scalars.values())
    found = still(student, before)
    assert tuple(found) == ALL
    for component, unmoved in found.items():
        if component in expected:
            assert unmoved == [], component
        else:
            assert all(map(np.array_equal, components(student)[component], before[component])), (
                component)
    for weights, was in zip(teacher.get_weights(), taught_by, strict=True):
        assert weights.tobytes() == was.tobytes()


@pytest.mark.usefixtures("eagerly")
def test_a_pooler_with_weights_is_trained_by_what_reads_it(build, make_batch):
    """A student with a pooler of its own: BERT's."""
    student, teacher = build("micro_bert", 1, ("mlm",)), build("micro_bert", 2, ())
    named = ("embedding", "block_0", "block_1", "block_2", "pooler", "mlm")
    assert tuple(components(student)) == named
    stage = make_stage({"sentence_embedding": 1.0}, named)
    before = values(student)
    take_step(stage, student, teacher, make_batch())
    found = still(student, before)
    assert found.pop("mlm") == [variable.name for variable in components(student)["mlm"]]
    assert not any(found.values())


@pytest.mark.usefixtures("eagerly")
def test_what_no_loss_reaches_is_not_even_decayed(student_and_teacher, make_batch):
    """Attention's logits pass by the values and feed-forwards of their own block."""
    student, teacher = student_and_teacher
    before = values(student)
    take_step(make_stage({"attention": 1.0}, ("block_0", "block_1"), blocks=((1, 1),)),
              student, teacher, make_batch())
    found = still(student, before)
    assert found["block_0"] == []
    parts = {name.split("block_1/")[1].split("/")[0] for name in found["block_1"]}
    assert "shared_bottleneck" not in parts
    assert {"attention_output", "feed_forward_0", "output_bottleneck"} <= parts
    assert not [name for name in found["block_1"] if "attention/query" in name]


@pytest.mark.usefixtures("eagerly")
def test_a_component_moves_by_its_part_of_the_learning_rate(student_and_teacher, make_batch):
    student, teacher = student_and_teacher
    before = values(student)
    moved = []
    for rate in (1.0, 0.1):
        stage = make_stage({"feature_map": 1.0}, {"block_0": rate, "block_1": 1.0},
                           blocks=((1, 1),))
        take_step(stage, student, teacher, make_batch())
        moved.append({name: [variable.numpy() - was for variable, was in zip(
            variables, before[name], strict=True)]
            for name, variables in components(student).items()})
        for name, variables in components(student).items():
            for variable, was in zip(variables, before[name], strict=True):
                variable.assign(was)
    for component, part in (("block_0", 0.1), ("block_1", 1.0)):
        for full, found in zip(moved[0][component], moved[1][component], strict=True):
            np.testing.assert_allclose(found, part * full, atol=3e-7)
        assert max(abs(full).max() for full in moved[0][component]) > 9e-4


@pytest.mark.usefixtures("eagerly")
def test_gradients_are_clipped_by_their_common_norm(student_and_teacher, make_batch):
    """Below Adam's epsilon, a smaller gradient makes a smaller step."""
    student, teacher = student_and_teacher
    stage = make_stage({"feature_map": 1.0}, ("block_0", "block_1"), blocks=((1, 1),))
    before = values(student)
    norm = take_step(stage, student, teacher, make_batch(), clip_norm=1e-7)["gradient_norm"]
    largest = max(np.abs(variable.numpy() - was).max() for name in ("block_0", "block_1")
                  for variable, was in zip(components(student)[name], before[name], strict=True))
    # 0.1 of the rate at most, and the decay.
    assert largest < 1e-4 + 1e-3 * 0.01 * 2
    assert norm > 1e-2  # as it was before clipping


# ---- What a stage computes ----

@pytest.mark.parametrize("count_padding", [False, True])
@pytest.mark.parametrize("teacher_reads_masks", [True, False])
@pytest.mark.usefixtures("eagerly")
def test_each_loss_reads_its_outputs_blocks_labels_and_weights(
        count_padding, teacher_reads_masks, student_and_teacher, make_batch):
    student, teacher = student_and_teacher
    pairs = ((0, 2), (2, 1))
    weights = {"feature_map": 1.0, "normalized_feature_map": 2.0, "feature_mean": 3.0,
               "feature_variance": 0.5, "attention": 4.0, "masked_lm": 0.25,
               "masked_lm_distillation": 0.75, "next_sentence": 0.125,
               "sentence_embedding": 5.0}
    batch = make_batch()
    found = measure(make_stage(weights, blocks=pairs, temperature=2.0,
                               count_padding=count_padding,
                               teacher_reads_masks=teacher_reads_masks), student, teacher, batch)

    given = {name: batch[name] for name in student.input}
    taught_given = {**given, "input_word_ids": batch[
        "input_word_ids" if teacher_reads_masks else "original_word_ids"]}
    learned, taught = student(given), teacher(taught_given)
    states = student.encoder({name: given[name] for name in student.encoder.input})
    taught_states = teacher.encoder({name: taught_given[name] for name in teacher.encoder.input})
    mask = np.float32(batch["input_mask"])
    tokens = np.ones_like(mask) / mask.size if count_padding else mask / mask.sum()
    predictions = batch["masked_weights"] / tf.reduce_sum(batch["masked_weights"])
    expected = {
        "masked_lm": losses.masked_lm(learned["mlm_logits"], batch["masked_ids"], predictions),
        "masked_lm_distillation": losses.masked_lm_distillation(
            learned["mlm_logits"], taught["mlm_logits"], predictions, 2.0),
        # The third row has no label.
        "next_sentence": losses.next_sentence(learned["nsp_logits"],
                                              batch["next_sentence_labels"],
                                              tf.constant([1 / 3, 1 / 3, 0, 1 / 3])),
        "sentence_embedding": losses.sentence_embedding(
            states["pooled_output"], taught_states["pooled_output"], tf.fill((4,), 0.25)),
    }
    for name in stages.BLOCK_LOSSES:
        output = "attention_logits" if name == "attention" else "block_outputs"
        expected[name] = sum(getattr(losses, name)(states[output][own], taught_states[output][its],
                                                   tokens) for own, its in pairs) / 2
    assert set(found) == {*expected, "loss", "tokens", "masked_lm_accuracy",
                          "next_sentence_accuracy"}
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-4, err_msg=name)
    np.testing.assert_allclose(found["loss"], sum(weights[name] * float(value)
                                                  for name, value in expected.items()), rtol=1e-4)
    assert found["tokens"] == mask.sum()


@pytest.mark.usefixtures("eagerly")
def test_blocks_after_the_last_compared_are_not_computed(student_and_teacher, make_batch):
    student, teacher = student_and_teacher
    for model in student_and_teacher:
        for variable in (*model.encoder.blocks[2].variables, *model.mlm_head.variables[-3:]):
            if "word_table" not in variable.name:
                variable.assign(tf.fill(variable.shape, np.nan))
    stage = stages.progressive(ALL, BLOCKS, PLAN)[1]
    assert np.isfinite(take_step(stage, student, teacher, make_batch())["loss"])
    # Each side to its own depth.
    stage = make_stage({"feature_map": 1.0}, ("block_0",), blocks=((0, 2),))
    with pytest.raises(tf.errors.InvalidArgumentError, match="the loss is not finite"):
        take_step(stage, student, teacher, make_batch())


@pytest.mark.usefixtures("eagerly")
def test_a_model_taught_by_itself_has_nothing_to_learn(student_and_teacher, make_batch):
    student, _ = student_and_teacher
    stage = make_stage({name: 1.0 for name in (*stages.BLOCK_LOSSES, *stages.TEACHER_LOSSES)},
                       blocks=BLOCKS)
    found = take_step(stage, student, student, make_batch())
    found.pop("tokens")
    norm = found.pop("gradient_norm")
    assert abs(found.pop("sentence_embedding")) < 1e-6
    assert abs(found.pop("loss")) < 1e-6
    assert found == dict.fromkeys(found, 0.0)
    assert len(found) == 6
    assert norm < 1e-4


@pytest.mark.usefixtures("eagerly")
def test_no_gradient_reaches_the_student_through_its_teacher(
        student_and_teacher, build, make_batch):
    """Taught by itself on the original tokens, or by a copy of itself: the same gradient."""
    student, _ = student_and_teacher
    copy = build("micro", 1)
    stage = make_stage({"feature_map": 1.0, "attention": 1.0, "masked_lm_distillation": 1.0},
                       blocks=BLOCKS, teacher_reads_masks=False)
    weights = student.get_weights()
    found = []
    for teacher in (student, copy):
        student.set_weights(weights)
        found.append(take_step(stage, student, teacher, make_batch()))
    assert found[0]["gradient_norm"] > 1e-2
    assert found[0] == pytest.approx(found[1], rel=1e-5)


@pytest.mark.usefixtures("eagerly")
def test_dropout_is_the_students_and_only_where_the_stage_says_so(build, make_batch):
    with_dropout = {"attention_dropout": 0.5, "hidden_dropout": 0.5}
    none = {"attention_dropout": 0.0, "hidden_dropout": 0.0}
    batch = make_batch()

    def difference(of_student, of_teacher, dropout):
        """Between a step's loss, with the stage's dropout, and the measured one, without."""
        student = build("micro_bert", 1, (), **of_student)
        teacher = build("micro_bert", 2, (), **of_teacher)
        stage = make_stage({"feature_map": 1.0}, ("block_0",), blocks=((0, 0),), dropout=dropout)
        measured = measure(stage, student, teacher, batch)["loss"]
        return abs(take_step(stage, student, teacher, batch)["loss"] - measured)

    assert difference(with_dropout, with_dropout, False) == 0
    assert difference(none, with_dropout, True) == 0
    assert difference(with_dropout, none, True) > 1e-3


@pytest.mark.usefixtures("eagerly")
def test_measuring_changes_nothing(student_and_teacher, make_batch):
    student, teacher = student_and_teacher
    before = values(student)
    step = new_step(STAGES["auxiliary"][0], student, teacher)
    batch = make_batch()
    measured = step.measuring_function(spec(batch))(batch)
    assert unchanged(student, before)
    assert [int(optimizer.iterations) for optimizer in step.optimizers] == [0]
    taken = step.function(spec(batch))(batch)
    assert set(taken) - set(measured) == {"gradient_norm"}
    for name in taken.keys() & measured.keys():
        np.testing.assert_allclose(taken[name], measured[name], rtol=1e-6)


@pytest.mark.usefixtures("eagerly")
def test_accuracies_are_of_the_places_that_count(build, make_batch):
    """The labels are the student's own predictions, but for one of 7 tokens and one of 3 pairs."""
    student, batch = build("micro", 1), make_batch()
    outputs = student({name: batch[name] for name in student.input})
    predicted = {name: logits.numpy().argmax(axis=-1).astype(np.int32)
                 for name, logits in outputs.items()}
    counted = batch["masked_weights"].numpy() == 1
    wrong_elsewhere = np.where(counted, predicted["mlm_logits"], predicted["mlm_logits"] - 1)
    wrong_elsewhere[0, 1] += 1
    pairs = predicted["nsp_logits"]
    pairs[2], pairs[3] = -1, 1 - pairs[3]  # row 2 is no pair
    stage = make_stage({"masked_lm": 1.0, "next_sentence": 1.0}, ("mlm",), batch_size=4)
    measured = measure(stage, student, None, {
        **batch, "masked_ids": tf.constant(wrong_elsewhere),
        "next_sentence_labels": tf.constant(pairs)})
    assert measured["masked_lm_accuracy"] == pytest.approx(6 / 7)
    assert measured["next_sentence_accuracy"] == pytest.approx(2 / 3)


# ---- Parts, devices, precision ----

MIXED = {"feature_map": 1.0, "attention": 1.0, "masked_lm": 1.0, "next_sentence": 1.0,
         "sentence_embedding": 1.0}


def test_four_parts_in_a_graph_are_as_one_batch_without(build, make_batch):
    """Parts with different padding and predictions; their means would not be the mean."""
    batch = make_batch()
    stage = make_stage(MIXED, ("embedding", "block_0", "mlm", "nsp"), blocks=((0, 0),))
    teacher = build("micro_ib_bert", 2, (), num_blocks=1)
    found, weights = [], []
    for accumulation in (4, 1):
        student = build("micro", 1, num_blocks=1)
        tf.config.run_functions_eagerly(accumulation == 1)
        try:
            found.append(take_step(stage, student, teacher, batch, accumulation=accumulation))
        finally:
            tf.config.run_functions_eagerly(False)
        weights.append(student.get_weights())
    assert found[0] == pytest.approx(found[1], rel=1e-5)
    for left, right in zip(*weights, strict=True):
        np.testing.assert_allclose(left, right, atol=1e-5)
    tf.config.run_functions_eagerly(True)
    try:
        parts = [measure(stage, student, teacher, {name: value[rows:rows + 1]
                                                   for name, value in batch.items()})
                 for rows in range(4)]
        whole = measure(stage, student, teacher, batch)
    finally:
        tf.config.run_functions_eagerly(False)
    for name in ("feature_map", "attention", "masked_lm", "next_sentence"):
        assert np.mean([part[name] for part in parts]) != pytest.approx(whole[name], rel=1e-2)


TWO_DEVICES = """
import json, sys
import numpy as np
import tensorflow as tf
from mobilebert_tf.distillation.stages import Stage
from mobilebert_tf.distillation.training_step import TrainingStep
import mobilebert_tf as mb
import dataclasses

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
given = np.load(sys.argv[1])
batch = {name: given[name] for name in given.files}
stage = Stage(**json.loads(sys.argv[2]))
small = {"num_blocks": 1, "num_feed_forwards": 1}


def model(preset, seed):
    model = mb.Pretrainer(mb.Encoder(dataclasses.replace(mb.presets.get(preset), **small)))
    random = np.random.default_rng(seed)
    for variable in model.weights:
        variable.assign(random.normal("gamma" in variable.name, 0.15, variable.shape))
    return model


results = {}
for devices in (1, 2):
    # One device without a graph, which would take longer to build.
    tf.config.run_functions_eagerly(devices == 1)
    strategy = (tf.distribute.get_strategy() if devices == 1
                else tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]))
    with strategy.scope():
        student, teacher = model("micro", 1), model("micro_ib_bert", 2)
    step = TrainingStep(stage, student, teacher, strategy)
    rows = 4 // devices
    dataset = strategy.distribute_datasets_from_function(
        lambda context: tf.data.Dataset.from_tensor_slices(batch).batch(rows, True).repeat())
    function = step.function(dataset.element_spec)
    scalars = function(next(iter(dataset)))
    results[devices] = ({name: float(value) for name, value in scalars.items()},
                        [variable.numpy() for variable in student.weights])

mirrored = [(copy, copy.numpy().copy()) for variable in student.weights
            for copy in strategy.experimental_local_results(variable)]
slots = [variable.numpy().copy() for one in step.optimizers for variable in one.variables]
batch["masked_weights"] = batch["masked_weights"] * np.float32([[1], [1], [1], [np.nan]])
raised = ""
try:
    function(next(iter(strategy.distribute_datasets_from_function(
        lambda context: tf.data.Dataset.from_tensor_slices(batch).batch(rows, True)))))
except tf.errors.InvalidArgumentError as error:
    raised = error.message
print(json.dumps({
    "one": results[1][0], "two": results[2][0], "copies": len(mirrored) / len(student.weights),
    "difference": max(float(abs(a - b).max()) for a, b in zip(
        results[1][1], results[2][1], strict=True)),
    "raised": raised,
    "kept": all(np.array_equal(copy.numpy(), was) for copy, was in mirrored) and all(
        np.array_equal(variable.numpy(), was) for variable, was in zip(
            [variable for one in step.optimizers for variable in one.variables], slots,
            strict=True)),
}))
"""


@pytest.mark.slow
def test_two_devices_are_as_one_and_keep_their_weights_when_a_loss_is_not_finite(
        tmp_path, make_batch):
    """The loss is not finite on the second device alone."""
    np.savez(tmp_path / "batch.npz", **{name: value.numpy()
                                        for name, value in make_batch().items()})
    stage = make_stage(MIXED, {"embedding": 0.1, "block_0": 1.0, "mlm": 1.0, "nsp": 1.0},
                       blocks=((0, 0),))
    done = subprocess.run(
        [sys.executable, "-c", TWO_DEVICES, tmp_path / "batch.npz",
         json.dumps(stages.to_json((stage,))[0])],
        capture_output=True, text=True, timeout=300,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": ""})
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["copies"] == 2
    assert found["two"] == pytest.approx(found["one"], rel=1e-5)
    assert found["difference"] < 1e-5
    assert "the loss is not finite" in found["raised"]
    assert found["kept"]


def test_a_loss_that_is_not_finite_raises_and_changes_nothing(student_and_teacher, make_batch):
    """In a graph, where nothing but a control dependency holds the update back."""
    student, _ = student_and_teacher
    stage = make_stage({"masked_lm": 1.0, "next_sentence": 1.0}, {"block_2": 1.0, "mlm": 0.5})
    step = new_step(stage, student)
    batch = make_batch()
    function = step.function(spec(batch))
    function(batch)
    before = values(student)
    slots = [variable.numpy() for one in step.optimizers for variable in one.variables]
    assert len(slots) > 20
    wrong = {**batch, "masked_weights": batch["masked_weights"] * tf.constant(
        [[1.0], [np.nan], [1.0], [1.0]])}
    with pytest.raises(tf.errors.InvalidArgumentError, match="the loss is not finite"):
        function(wrong)
    assert unchanged(student, before)
    for variable, was in zip([variable for one in step.optimizers for variable in one.variables],
                             slots, strict=True):
        assert np.array_equal(variable, was), variable.name
    function(batch)  # and training can go on
    assert not unchanged(student, before)


@pytest.mark.usefixtures("eagerly")
def test_a_gradient_that_is_not_finite_raises_and_changes_nothing(
        student_and_teacher, make_batch):
    student, _ = student_and_teacher
    before = values(student)
    # The loss is finite, the square of its gradient is not.
    stage = make_stage({"masked_lm": 1e30}, ("mlm",))
    with pytest.raises(tf.errors.InvalidArgumentError, match="a gradient is not finite"):
        take_step(stage, student, None, make_batch())
    assert unchanged(student, before)


@pytest.mark.usefixtures("eagerly")
def test_mixed_bfloat16_trains_float32_variables_near_the_float32_losses(build, make_batch):
    stage = make_stage({**MIXED, "masked_lm_distillation": 1.0, "normalized_feature_map": 1.0},
                       ("embedding", "block_0", "mlm", "nsp"), blocks=((0, 0),))
    found = []
    for policy in ("float32", "mixed_bfloat16"):
        keras.mixed_precision.set_global_policy(policy)
        try:
            student = build("micro", 1, num_blocks=1)
            teacher = build("micro_ib_bert", 2, num_blocks=1)
            before = values(student)
            found.append(take_step(stage, student, teacher, make_batch()))
        finally:
            keras.mixed_precision.set_global_policy("float32")
        assert {variable.dtype for variable in student.weights} == {tf.float32}
        assert not any(still(student, before).values())
    assert found[1] == pytest.approx(found[0], rel=0.05)
    assert found[1] != found[0]


# ---- What is refused ----

@pytest.mark.parametrize(("stage", "of_teacher", "message"), [
    (make_stage({"masked_lm": 1}, ("pooler",)), {}, "trains pooler, which the student does not"),
    (make_stage({"feature_map": 1}, blocks=((0, 0),)), None, "needs a teacher"),
    (make_stage({"feature_map": 1}, blocks=((3, 0),)), {}, "block 3 of the student, which has 3"),
    (make_stage({"feature_map": 1}, blocks=((-1, 0),)), {}, "block -1 of the student"),
    (make_stage({"feature_map": 1}, blocks=((2, 1),)), {"num_blocks": 1},
     "block 1 of the teacher, which has 1"),
    (make_stage({"masked_lm_distillation": 1}), {"heads": ()}, "a teacher with a masked-LM head"),
    (make_stage({"feature_map": 1}, blocks=((0, 0),)), {"hidden_size": 64},
     "states of 48 features with states of 64 features"),
    (make_stage({"sentence_embedding": 1}), {"hidden_size": 64}, "states of 48 features"),
    (make_stage({"attention": 1}, blocks=((0, 0),)), {"num_heads": 8},
     "the attention of 4 heads with the attention of 8 heads"),
    (make_stage({"masked_lm_distillation": 1}), {"vocab_size": 130},
     "logits of 120 pieces with logits of 130 pieces"),
    (make_stage({"masked_lm": 1}, batch_size=6), {}, "a batch of 6, which cannot be cut into 4"),
])
def test_a_stage_that_does_not_fit_is_refused(stage, of_teacher, message, models, build):
    student, teacher = models
    if of_teacher is None:
        teacher = None
    elif of_teacher:
        teacher = build("micro_ib_bert", 2, **{"num_blocks": 1, **of_teacher})
    with pytest.raises(InputError, match=message) as caught:
        new_step(stage, student, teacher, accumulation=4 if stage.batch_size == 6 else 1)
    assert "stage 'test'" in str(caught.value)


def test_heads_that_a_student_lacks_are_named(build):
    encoder = build("micro", 1, (), num_blocks=1)
    with pytest.raises(InputError, match="a student with a masked-LM head"):
        new_step(make_stage({"masked_lm": 1}, ("block_0",)), encoder)
    with pytest.raises(InputError, match="a student with a next-sentence head"):
        new_step(make_stage({"next_sentence": 1}, ("block_0",)), encoder)


@pytest.mark.usefixtures("eagerly")
def test_soft_labels_need_no_common_width_of_states(student_and_teacher, build, make_batch):
    student, _ = student_and_teacher
    teacher = build("micro_ib_bert", 2, hidden_size=64, num_heads=8, num_blocks=1)
    found = take_step(make_stage({"masked_lm_distillation": 1.0}, ("mlm",)), student, teacher,
                      make_batch())
    assert found["loss"] > 0
