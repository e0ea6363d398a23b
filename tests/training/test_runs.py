"""What a run makes of the models that a user names."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.encoding import Encoding
from mobilebert_tf.kinds.fill_mask import FillMask
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.training import runs
from mobilebert_tf.training.loading import load, load_teacher
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.stage_files import load as load_stages

from ..folders import bytes_of


@pytest.fixture
def corpus(make_corpus, tmp_path):
    return make_corpus(tmp_path / "corpus")


@pytest.fixture
def named(corpus, tmp_path):
    """The name of a directory with a model that has both heads."""
    model = mb.Pretrainer(mb.Encoder(mb.presets.get("micro")))
    model.mlm_head.set_weights([np.full_like(weight, 0.25) for weight in
                                model.mlm_head.get_weights()])
    model_directory.save(tmp_path / "model", ModelDirectory(
        model, corpus.vocabulary(), FillMask()))
    return str(tmp_path / "model")


HEADS, POOLERS = ((), ("mlm",), ("mlm", "nsp")), (None, "same", "mean")


@pytest.mark.parametrize(("heads", "pooler"), [
    pytest.param(heads, pooler, marks=() if place == other else pytest.mark.slow)
    for place, heads in enumerate(HEADS) for other, pooler in enumerate(POOLERS)])
def test_a_masked_lm_head_survives_another_pooler(heads, pooler, named, corpus):
    own = mb.presets.get("micro").pooler
    assert own != "mean"
    saved = model_directory.load(named).model
    loaded = load(named, corpus, heads, own if pooler == "same" else pooler)
    assert loaded.config.pooler == (pooler if pooler == "mean" else own)
    for one, other in zip(loaded.mlm_head.get_weights(), saved.mlm_head.get_weights(),
                          strict=True):
        np.testing.assert_array_equal(one, other)
    # What read the old pooler is of no use with the new one.
    assert (loaded.nsp_head is not None) == (pooler != "mean" or "nsp" in heads)


def test_a_pooler_of_random_weights_cannot_teach(named, corpus, tmp_path):
    with pytest.raises(InputError, match="model has no pooler tanh, and a new one has random "
                                         "weights, which cannot teach; leave out teacher_pooler"):
        mb.distill(named, tmp_path / "run", teacher=named, corpus=corpus, teacher_pooler="tanh")
    assert load_teacher(named, corpus, "mean").config.pooler == "mean"
    # Its own dense pooler is trained.
    model = mb.Encoder(dataclasses.replace(mb.presets.get("micro"), pooler="tanh"))
    model_directory.save(tmp_path / "dense", ModelDirectory(
        model, corpus.vocabulary(), Encoding()))
    assert load_teacher(str(tmp_path / "dense"), corpus, "tanh").config.pooler == "tanh"


def test_single_sentences_teach_no_next_sentence_head(named, corpus, tmp_path):
    sentences = dataclasses.replace(corpus, examples="sentences")
    with pytest.raises(InputError, match="corpus has single sentences, .* next_sentence to False"):
        mb.pretrain(named, tmp_path / "run", corpus=sentences)
    stage = Stage(name="one", steps=1, losses={"masked_lm": 1.0, "next_sentence": 1.0},
                  rates={"mlm": 1.0}, learning_rate=1e-3, batch_size=4)
    with pytest.raises(InputError, match="corpus has single sentences, which have no labels for "
                                         "next_sentence; leave it out of the stages, or make"):
        mb.distill(named, tmp_path / "run", teacher=named, corpus=sentences, stages=[stage])
    assert not (tmp_path / "run").exists()


def test_a_model_without_its_checkpoints_is_not_written_over(named, corpus, tmp_path):
    before = bytes_of(tmp_path / "model")
    for run in (lambda: mb.pretrain(named, tmp_path, corpus=corpus),
                lambda: mb.distill(named, tmp_path, teacher=named, corpus=corpus)):
        with pytest.raises(InputError, match="model holds a model that is not of an unfinished "
                                             "run; choose another output directory"):
            run()
    assert bytes_of(tmp_path / "model") == before


def test_a_run_of_a_task_in_the_place_is_not_written_over(named, corpus, tmp_path):
    with pytest.raises(InputError, match="model holds a model that is not of an unfinished run"):
        mb.pretrain(named, tmp_path / "model", corpus=corpus)


def test_a_model_of_other_case_than_the_corpus_is_refused(named, corpus, tmp_path):
    contents = model_directory.load(named)
    model_directory.save(tmp_path / "cased", dataclasses.replace(contents, lower_case=False))
    for run in (lambda name: mb.pretrain(name, tmp_path / "run", corpus=corpus),
                lambda name: mb.distill(named, tmp_path / "run", teacher=name, corpus=corpus)):
        with pytest.raises(InputError, match="cased reads cased text, and .* is lower-cased; make "
                                             "the corpus with --cased"):
            run(str(tmp_path / "cased"))


def test_a_model_without_a_next_sentence_head_is_said_to_have_none(named, corpus, tmp_path,
                                                                   monkeypatch, set_up):
    monkeypatch.setattr(runs, "Run", set_up.recorder)
    contents, said = model_directory.load(named), []
    model_directory.save(tmp_path / "without", dataclasses.replace(
        contents, model=mb.Pretrainer(contents.model.encoder, next_sentence=False)))
    for name, is_said in (("model", False), ("without", True)):
        said.clear()
        with pytest.raises(set_up.Recorded):
            mb.pretrain(str(tmp_path / name), tmp_path / "run", corpus=corpus, say=said.append)
        assert any("has no next-sentence head" in line for line in said) == is_said


@pytest.mark.parametrize(("precision", "deterministic"), [
    ("float32", False), ("mixed_bfloat16", True)])
def test_models_are_built_as_the_settings_ask(precision, deterministic, named, corpus, tmp_path,
                                              monkeypatch, set_up):
    monkeypatch.setattr(runs, "Run", set_up.recorder)
    shared = {"corpus": corpus, "say": lambda line: None, "settings": mb.TrainingSettings(
        precision=precision, deterministic=deterministic)}
    for run in (lambda: mb.pretrain(named, tmp_path / "run", **shared),
                lambda: mb.distill(named, tmp_path / "run", teacher=named, **shared)):
        set_up.deterministic.clear()
        with pytest.raises(set_up.Recorded) as recorded:
            run()
        models = [recorded.value.arguments[name] for name in ("student", "teacher")]
        assert {model.encoder.embedding.compute_dtype for model in models if model} == {
            {"mixed_bfloat16": "bfloat16"}.get(precision, precision)}
        assert set_up.deterministic == [True] * deterministic


@pytest.mark.usefixtures("eagerly")
def test_a_plan_over_single_sentences_leaves_the_next_sentence_head_alone(named, corpus, tmp_path):
    before = model_directory.load(named).model.nsp_head.get_weights()
    result = mb.distill(
        named, tmp_path / "run", teacher=named, plan=mb.DistillationPlan(
            strategy="joint", transfer_steps=1, distillation_steps=1, batch_size=4),
        corpus=dataclasses.replace(corpus, examples="sentences"),
        settings=mb.TrainingSettings(validation_steps=0), say=lambda line: None)
    _, distillation = load_stages(tmp_path / "run" / "stages.json")
    assert distillation.losses == {"masked_lm": 0.5, "masked_lm_distillation": 0.5}
    for one, other in zip(model_directory.load(result.model).model.nsp_head.get_weights(), before,
                          strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("eagerly")
def test_a_python_user_distils_and_gets_what_the_run_wrote(named, corpus, tmp_path):
    said = []
    result = mb.distill(
        "micro", tmp_path / "run", teacher=named, corpus=corpus.directory, blocks=(0, 2, 1),
        plan=mb.DistillationPlan(strategy="joint", transfer_steps=1, distillation_steps=1,
                                 batch_size=4, distillation_losses={"sentence_embedding": 1.0}),
        settings=mb.TrainingSettings(validation_steps=0), say=said.append)
    assert "copied from the teacher" in " ".join(said)
    assert (result.model, result.curves) == (tmp_path / "run/model", tmp_path / "run/curves.png")
    assert result.curves.read_bytes().startswith(b"\x89PNG")
    transfer, distillation = load_stages(tmp_path / "run" / "stages.json")
    assert (transfer.blocks, transfer.steps) == (((0, 0), (1, 2), (2, 1)), 1)
    assert distillation.losses == {"sentence_embedding": 1.0}
    assert (result.last["split"], result.last["stage"]) == ("train", "distillation")
    assert result.validation == []
    # No loss needs a head, so the student has none.
    student = model_directory.load(result.model).model
    assert not hasattr(student, "mlm_head")
    with pytest.raises(InputError, match="micro has random weights, which cannot teach"):
        mb.distill("micro", tmp_path / "run", teacher="micro", corpus=corpus)
    with pytest.raises(InputError, match="leave out blocks: stages name the blocks"):
        mb.distill("micro", tmp_path / "run", teacher=named, corpus=corpus, blocks=(0, 2, 1),
                   stages=tmp_path / "run" / "stages.json")


@pytest.mark.usefixtures("eagerly")
def test_a_recipe_starts_trains_and_names_its_stages(corpus, tmp_path, monkeypatch):
    """DistilBERT in small: a student of 2 blocks, without segments, of a teacher of 4."""
    bert = mb.presets.get("micro_bert")
    teacher = mb.Pretrainer(mb.Encoder(dataclasses.replace(bert, num_blocks=4)))
    model_directory.save(tmp_path / "teacher", ModelDirectory(
        teacher, corpus.vocabulary(), FillMask()))
    small = dataclasses.replace(bert, num_blocks=2, type_vocab_size=0, pooler="first_token")
    monkeypatch.setitem(mb.presets._PRESETS, "small", mb.presets.Preset(small, "for this test"))
    said = []
    settings = mb.TrainingSettings(validation_steps=0)
    result = mb.distill(
        "small", tmp_path / "run", teacher=str(tmp_path / "teacher"), corpus=corpus.directory,
        plan=mb.RecipePlan(name="distilbert", steps=(2,), batch_size=4), settings=settings,
        say=said.append)
    assert "blocks copied from the teacher's: 0, 3" in said
    stage, = load_stages(tmp_path / "run" / "stages.json")
    assert (stage.name, stage.steps, stage.batch_size, stage.temperature) == (
        "distillation", 2, 4, 2.0)
    assert stage.losses == {"all_token_distillation": 5.0, "masked_lm": 2.0,
                            "last_state_cosine": 1.0}
    assert {"all_token_distillation", "masked_lm", "last_state_cosine"} <= result.last.keys()
    assert model_directory.load(result.model).model.config.num_blocks == 2
    # Its stages alone are no plan to start from the teacher's blocks.
    with pytest.raises(InputError, match="is of another run: it differs in taken_over"):
        mb.distill("small", tmp_path / "run", teacher=str(tmp_path / "teacher"),
                   corpus=corpus.directory, stages=[stage], settings=settings)


def of_other_weights(corpus, directory):
    """The name of a directory with a model like `named`, but for its weights."""
    model_directory.save(directory, ModelDirectory(
        mb.Pretrainer(mb.Encoder(mb.presets.get("micro"))), corpus.vocabulary(), FillMask()))
    return str(directory)


@pytest.mark.usefixtures("eagerly")
def test_a_run_with_other_weights_is_another_run(named, corpus, tmp_path):
    other = of_other_weights(corpus, tmp_path / "other")
    plan = mb.DistillationPlan(strategy="joint", transfer_steps=1, distillation_steps=1,
                               batch_size=4)

    def distil(**changes):
        return mb.distill(**{"student": named, "directory": tmp_path / "run", "teacher": named,
                             "corpus": corpus.directory, "plan": plan,
                             "settings": mb.TrainingSettings(validation_steps=0), **changes})

    first = distil()
    assert distil().last == first.last
    with pytest.raises(InputError, match="is of another run: it differs in teacher_weights"):
        distil(teacher=other)
    with pytest.raises(InputError, match="is of another run: it differs in start"):
        distil(student=other)

    def pretrain(model):
        return mb.pretrain(model, tmp_path / "pretrained", corpus=corpus.directory,
                           plan=mb.PretrainingPlan(steps=1, batch_size=4),
                           settings=mb.TrainingSettings(validation_steps=0))

    assert pretrain("micro").last == pretrain("micro").last
    with pytest.raises(InputError, match="is of another run: it differs in start"):
        pretrain(named)


@pytest.mark.usefixtures("eagerly")
def test_stages_over_a_corpus_may_have_epochs_and_a_part_for_the_warm_up(named, corpus, tmp_path):
    stage = Stage(name="one", epochs=2, losses={"masked_lm": 1.0}, rates={"mlm": 1.0},
                  learning_rate=1e-3, batch_size=8, warmup_fraction=0.5)
    mb.distill(named, tmp_path / "run", teacher=named, corpus=corpus.directory, stages=[stage],
               settings=mb.TrainingSettings(validation_steps=0))
    trained, = load_stages(tmp_path / "run/stages.json")
    steps = 2 * (corpus.count("train") // 8)
    assert (trained.steps, trained.warmup_steps) == (steps, steps // 2)


def test_projections_are_in_the_checkpoints_and_not_in_the_model(corpus, tmp_path):
    """TinyBERT's general distillation in small, of a teacher that is wider."""
    wide = dataclasses.replace(mb.presets.get("micro_bert"), hidden_size=96, embedding_size=96)
    model_directory.save(tmp_path / "teacher", ModelDirectory(
        mb.Encoder(wide), corpus.vocabulary(), Encoding()))
    result = mb.distill(
        "micro_bert", tmp_path / "run", teacher=str(tmp_path / "teacher"),
        corpus=corpus.directory, plan=mb.RecipePlan(name="tinybert", steps=(2,), batch_size=4),
        settings=mb.TrainingSettings(validation_steps=1), say=lambda line: None)
    assert result.last["projected_feature_map"] > 0
    checkpoint, = (tmp_path / "run" / "checkpoints").glob("stage-01-*")
    names = [name for name, _ in tf.train.list_variables(str(checkpoint / "weights"))]
    assert sum("projections/" in name for name in names) == 4
    model = model_directory.load(result.model).model
    assert [variable.shape for variable in model.weights] == [
        variable.shape for variable in mb.Encoder(mb.presets.get("micro_bert")).weights]
