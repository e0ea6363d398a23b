"""What a step of a stage computes, and from which outputs."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.training import losses
from mobilebert_tf.training.measured import COUNT
from mobilebert_tf.training.objectives import OBJECTIVES, PROJECTED

from .steps import BLOCKS, make_stage, measure, new_step, plan, spec, take_step

# Relations and projected states have tests of their own.
BLOCK_LOSSES = [name for name, one in OBJECTIVES.items()
                if one.compares_blocks and one.output not in PROJECTED and not one.projects]


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
               "sentence_embedding": 5.0, "last_state_cosine": 6.0, "patience": 7.0,
               "attention_scores": 0.375}
    batch = make_batch()
    found = measure(make_stage(weights, blocks=pairs, temperature=2.0,
                               count_padding=count_padding,
                               teacher_reads_masks=teacher_reads_masks), student, teacher, batch)

    given = {name: batch[name] for name in student.input}
    teacher_given = {**given, "input_word_ids": batch[
        "input_word_ids" if teacher_reads_masks else "original_word_ids"]}
    student_outputs, teacher_outputs = student(given), teacher(teacher_given)
    student_states = student.encoder({name: given[name] for name in student.encoder.input})
    teacher_states = teacher.encoder({name: teacher_given[name] for name in teacher.encoder.input})
    mask = np.float32(batch["input_mask"])
    tokens = np.ones_like(mask) / mask.size if count_padding else mask / mask.sum()
    predictions = batch["masked_weights"] / tf.reduce_sum(batch["masked_weights"])
    expected = {
        "masked_lm": losses.masked_lm(student_outputs["mlm_logits"], batch["masked_ids"],
                                      predictions),
        "masked_lm_distillation": losses.masked_lm_distillation(
            student_outputs["mlm_logits"], teacher_outputs["mlm_logits"], predictions, 2.0),
        # The third row has no label.
        "next_sentence": losses.next_sentence(student_outputs["nsp_logits"],
                                              batch["next_sentence_labels"],
                                              tf.constant([1 / 3, 1 / 3, 0, 1 / 3])),
        "sentence_embedding": losses.sentence_embedding(
            student_states["pooled_output"], teacher_states["pooled_output"], tf.fill((4,), 0.25)),
        "last_state_cosine": losses.last_state_cosine(
            student_states["sequence_output"], teacher_states["sequence_output"], tokens),
    }
    for name in BLOCK_LOSSES:
        output = "attention_logits" if "attention" in name else "block_outputs"
        places = tf.fill((4,), 0.25) if name == "patience" else tokens
        options = [count_padding] if name == "attention_scores" else []
        expected[name] = sum(getattr(losses, name)(
            student_states[output][own], teacher_states[output][its], places, *options)
            for own, its in pairs) / 2
    assert set(found) == {*expected, "loss", "masked_lm_accuracy", "next_sentence_accuracy"}
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-4, err_msg=name)
    np.testing.assert_allclose(found["loss"], sum(weights[name] * float(value)
                                                  for name, value in expected.items()), rtol=1e-4)


@pytest.mark.usefixtures("eagerly")
def test_the_embedding_is_compared_as_a_block_and_has_no_attention(
        student_and_teacher, make_batch):
    student, teacher = student_and_teacher
    batch = make_batch()
    given = {name: batch[name] for name in student.encoder.input}
    ours, theirs = student.encoder(given), teacher.encoder(given)
    tokens = losses.even_weights(batch["input_mask"])
    embedding = losses.feature_map(ours["embedding_output"], theirs["embedding_output"], tokens)
    crossed = losses.feature_map(ours["embedding_output"], theirs["block_outputs"][0], tokens)
    block = losses.feature_map(ours["block_outputs"][0], theirs["block_outputs"][2], tokens)
    scores = losses.attention_scores(
        ours["attention_logits"][0], theirs["attention_logits"][2], tokens)

    def found(names, *pairs):
        stage = make_stage(dict.fromkeys(names, 1.0), ("embedding", "block_0"), blocks=pairs)
        return measure(stage, student, teacher, batch)

    pairs = ("embedding", "embedding"), (0, 2)
    both = found(("feature_map", "attention_scores"), *pairs)
    np.testing.assert_allclose(both["feature_map"], (embedding + block) / 2, rtol=1e-4)
    np.testing.assert_allclose(both["attention_scores"], scores, rtol=1e-4)
    np.testing.assert_allclose(found(("feature_map",), pairs[0])["loss"], embedding, rtol=1e-4)
    np.testing.assert_allclose(found(("feature_map",), ("embedding", 0))["loss"], crossed,
                               rtol=1e-4)


@pytest.mark.parametrize(("name", "blocks"), [
    ("attention_scores", ((0, 1),)), ("patience", ((0, 1),)), ("last_state_cosine", ()),
    ("feature_map", (("embedding", "embedding"),))])
@pytest.mark.usefixtures("eagerly")
def test_a_few_steps_by_one_loss_bring_the_student_nearer_to_its_teacher(
        name, blocks, student_and_teacher, make_batch):
    student, teacher = student_and_teacher
    batch = make_batch()
    stage = make_stage({name: 1.0}, ("embedding", "block_0", "block_1", "block_2"), blocks=blocks)
    step = new_step(stage, student, teacher).function(spec(batch))
    found = [float(step(batch)["loss"]) for _ in range(4)]
    assert found == sorted(found, reverse=True)
    assert found[3] < 0.99 * found[0]


@pytest.mark.usefixtures("eagerly")
def test_blocks_after_the_last_compared_are_not_computed(student_and_teacher, make_batch):
    student, teacher = student_and_teacher
    for model in student_and_teacher:
        for variable in (*model.encoder.blocks[2].variables, *model.mlm_head.variables[-3:]):
            if "word_table" not in variable.name:
                variable.assign(tf.fill(variable.shape, np.nan))
    stage = plan("progressive")[1]
    assert np.isfinite(take_step(stage, student, teacher, make_batch())["loss"])
    # Each side to its own depth.
    stage = make_stage({"feature_map": 1.0}, ("block_0",), blocks=((0, 2),))
    with pytest.raises(tf.errors.InvalidArgumentError, match="the loss is not finite"):
        take_step(stage, student, teacher, make_batch())


@pytest.mark.usefixtures("eagerly")
def test_a_model_taught_by_itself_has_nothing_to_learn(student_and_teacher, make_batch):
    student, _ = student_and_teacher
    stage = make_stage({name: 1.0 for name, one in OBJECTIVES.items()
                        if one.has_teacher and one.of_kind is None and not one.projects},
                       blocks=(("embedding", "embedding"), *BLOCKS))
    found = take_step(stage, student, student, make_batch())
    found.pop("tokens")
    norm = found.pop("gradient_norm")
    assert abs(found.pop("sentence_embedding")) < 1e-6
    assert abs(found.pop("last_state_cosine")) < 1e-6
    assert abs(found.pop("loss")) < 1e-6
    losses = {name: value for name, value in found.items() if not name.startswith(COUNT)}
    assert losses == dict.fromkeys(losses, 0.0)
    assert len(losses) == 12
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
        student = build("micro_bert", 1, (), num_blocks=1, **of_student)
        teacher = build("micro_bert", 2, (), num_blocks=1, **of_teacher)
        stage = make_stage({"feature_map": 1.0}, ("block_0",), blocks=((0, 0),), dropout=dropout)
        measured = measure(stage, student, teacher, batch)["loss"]
        return abs(take_step(stage, student, teacher, batch)["loss"] - measured)

    assert difference(with_dropout, with_dropout, False) == 0
    assert difference(none, with_dropout, True) == 0
    # Far above rounding; how far depends on what is dropped.
    assert difference(with_dropout, none, True) > 1e-5


@pytest.mark.usefixtures("eagerly")
def test_accuracies_are_of_the_places_that_count(build, make_batch):
    """The labels are the student's own predictions, but for one of 7 tokens and one of 3 pairs."""
    student, batch = build("micro", 1, num_blocks=1), make_batch()
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
