"""Stages that do not fit student or teacher are refused when a step is made."""

import dataclasses

import pytest

import mobilebert_tf as mb
from mobilebert_tf.errors import InputError
from mobilebert_tf.training.compatibility import check_models

from .steps import make_stage, new_step, take_step


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
    (make_stage({"feature_map": 1}, blocks=(("embedding", "embedding"),)), {"hidden_size": 64},
     "states of 48 features with states of 64 features"),
    (make_stage({"patience": 1}, blocks=((0, 3),)), {}, "block 3 of the teacher"),
    (make_stage({"last_state_cosine": 1}), {"hidden_size": 64}, "states of 48 features"),
    (make_stage({"sentence_embedding": 1}), {"hidden_size": 64}, "states of 48 features"),
    (make_stage({"sentence_embedding": 1}), {"pooler": "segment_match"},
     "states of 48 features with states of 192 features"),
    (make_stage({"attention": 1}, blocks=((0, 0),)), {"num_heads": 8},
     "the attention of 4 heads with the attention of 8 heads"),
    (make_stage({"attention_scores": 1}, blocks=((0, 0),)), {"num_heads": 8},
     "the attention of 4 heads with the attention of 8 heads"),
    (make_stage({"masked_lm_distillation": 1}), {"vocab_size": 130},
     "logits of 120 pieces with logits of 130 pieces"),
    (make_stage({"all_token_distillation": 1}), {"vocab_size": 130},
     "logits of 120 pieces with logits of 130 pieces"),
    (make_stage({"all_token_distillation": 1}), {"heads": ()}, "a teacher with a masked-LM head"),
    (make_stage({"projected_feature_map": 1, "feature_map": 1}, blocks=((0, 0),)),
     {"hidden_size": 64}, "states of 48 features with states of 64 features"),
    (make_stage({"projected_feature_map": 1}, blocks=((0, 0),)), None, "needs a teacher"),
    (make_stage({"masked_lm": 1}, batch_size=6), {},
     "a batch size of 6, which is no multiple of 4: 1 devices, 4 parts each"),
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


@pytest.mark.parametrize(("losses", "rates", "blocks"), [
    ("feature_map", ("block_1", "mlm"), ((0, 0),)),
    ("projected_feature_map", ("block_1",), ((0, 0),)),
    ("feature_map", ("block_0",), (("embedding", "embedding"),)),
    ("sentence_embedding", ("mlm",), ()),
    ("masked_lm", ("nsp",), ()),
    ("next_sentence", ("mlm",), ())])
def test_a_stage_whose_losses_do_not_depend_on_what_it_trains_is_refused(
        losses, rates, blocks, models):
    stage = make_stage({losses: 1.0}, {"nsp": 0.0, **dict.fromkeys(rates, 1.0)}, blocks=blocks)
    with pytest.raises(InputError, match=f"'test' trains {', '.join(rates)}, which none of its "
                                         "losses depends on; change its rates, losses or blocks"):
        new_step(stage, *models)


def test_a_tagger_reads_no_pooled_state():
    config = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, pooler="tanh")
    stage = make_stage({"label": 1.0}, ("pooler",))
    with pytest.raises(InputError, match="trains pooler, which none of its losses depends on"):
        check_models(stage, mb.TokenClassifier(mb.Encoder(config), 3), None)
    check_models(stage, mb.Classifier(mb.Encoder(config), 3), None)


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
