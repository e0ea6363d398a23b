"""`mobilebert pretrain` and `mobilebert distill`, from a corpus to a model that is used."""

import dataclasses
import json
import os
import signal

import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.kinds.fill_mask import FillMask
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.resuming.position import Position
from mobilebert_tf.training.reporting import Reporting
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.stage_files import to_json


@pytest.fixture(scope="module")
def place(make_corpus, tmp_path_factory):
    """Two corpora, of which `plain` has no validation examples; and a teacher of two blocks and a
    student of one with their vocabulary."""
    directory = tmp_path_factory.mktemp("place")
    corpus = make_corpus(directory / "corpus")
    make_corpus(directory / "plain", train=8, validation=0)
    for name, preset, num_blocks in (("teacher", "micro_ib_bert", 2), ("student", "micro", 1)):
        config = dataclasses.replace(mb.presets.get(preset), num_blocks=num_blocks,
                                     num_feed_forwards=1)
        model_directory.save(directory / name, ModelDirectory(
            mb.Pretrainer(mb.Encoder(config)), corpus.vocabulary(), FillMask()))
    return directory


@pytest.fixture
def here(place, tmp_path, monkeypatch):
    """The working directory of a test, with links to corpus and models."""
    for path in place.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pretrain(*more, corpus="corpus"):
    return ["pretrain", "--model", "student", "--corpus", corpus, "--steps", 4, "--batch-size",
            8, "--learning-rate", 1e-3, "--output", "run", "--log-every", 2, *more]


def distill(*more):
    return ["distill", "--teacher", "teacher", "--student", "student", "--corpus", "corpus",
            "--batch-size", 8, "--output", "run", *more]


def with_stages(path):
    return ["distill", "--teacher", "teacher", "--student", "student", "--corpus", "corpus",
            "--output", "run", "--stages", path]


def test_pretrain_and_the_same_command_again(mobilebert, here):
    run = mobilebert(*pretrain("--json", "result.json", "--checkpoint-every", 3))
    assert run.status == 0, run.err
    assert run.out == "model in run/model; curves in run/curves.png\n"
    building, first, *_ = run.err.splitlines()
    assert building == "Building student ..."
    assert "parameters" in first
    assert "pretraining 4/4: loss" in run.err
    assert "tokens/s" in run.err
    assert "(validation)" in run.err
    result = json.loads((here / "result.json").read_text())
    assert result["model"] == "run/model"
    assert result["last"]["split"] == "validation"
    assert {"masked_lm", "next_sentence", "loss"} <= result["validation"][0].keys()
    weights = model_directory.load("run/model").model.get_weights()

    again = mobilebert(*pretrain("--json", "result.json", "--checkpoint-every", 3))
    assert again.status == 0, again.err
    assert "all stages are done already; nothing is trained" in again.err
    assert json.loads((here / "result.json").read_text()) == result
    for one, other in zip(weights, model_directory.load("run/model").model.get_weights(),
                          strict=True):
        assert (one == other).all()

    for option, value, difference in (
            ("--steps", 6, "stages[0].steps (4, now 6)"),
            ("--precision", "mixed_bfloat16", "precision (float32, now mixed_bfloat16)")):
        other = mobilebert(*pretrain(option, value))
        assert other.status == 2
        assert f"is of another run: it differs in {difference}" in other.err


@pytest.mark.slow
def test_distil_by_blocks_then_by_a_file_of_stages(mobilebert, here):
    run = mobilebert(*distill("--blocks", "1", "--transfer-steps", 1, "--distillation-steps", 1))
    assert run.status == 0, run.err
    written = json.loads((here / "run" / "stages.json").read_text())
    assert [(stage["name"], stage["blocks"]) for stage in written] == [
        ("transfer_0", [[0, 1]]), ("distillation", [])]
    # What a run wrote can be edited and given to another.
    del written[1]
    (here / "stages.json").write_text(json.dumps(written))
    run = mobilebert(*with_stages("stages.json"), "--output", "other")
    assert run.status == 0, run.err
    lines = (here / "other" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["split"] for line in lines] == ["train", "validation"]


def stages_file(here, **changes):
    stage = Stage(**{
        "name": "transfer", "steps": 2, "losses": {"normalized_feature_map": 1.0},
        "rates": {"block_0": 1.0}, "learning_rate": 1e-3, "batch_size": 8, "blocks": ((0, 1),)})
    first = to_json((stage,))[0]
    (here / "stages.json").write_text(json.dumps([first, {**first, "name": "late", **changes}]))
    return with_stages("stages.json")


@pytest.mark.parametrize(("arguments", "said"), [
    (pretrain("--model", "mobilbert"), "did you mean mobilebert"),
    (pretrain(corpus="student"), "student is not a corpus: it has no corpus.json"),
    (pretrain("--corpus", "corpus"), "corpus is given twice"),
    (pretrain("--batch-size", 128), "96 examples"),
    (pretrain("--batch-size", 9, "--accumulation", 2),
     "a batch size of 9, which is no multiple of 2: 1 devices, 2 parts each"),
    (pretrain("--optimizer", "sgd"), "'sgd' is not one of 'lamb',"),
    (pretrain("--learning-rate", 0), "learning rate of 0"),
    (pretrain("--devices", "workers"), "TF_CONFIG"),
    (pretrain("--output", "corpus/vocab.txt"), "cannot write corpus/vocab.txt"),
    (distill(), "the student has 1 blocks and the teacher 2; name the teacher's block for each"),
    (distill("--recipe", "mobilbert"), "unknown recipe 'mobilbert'; did you mean mobilebert"),
    (distill("--recipe", "bert_pkd"), "bert_pkd reads a task, not a corpus"),
    (distill("--recipe", "mobilebert", "--steps", "5", "--blocks", "1"),
     "2 stages over a corpus: transfer, distillation"),
    (distill("--steps", "5"), "--steps goes with --recipe"),
    (distill("--blocks", "1,0"), "names 2 blocks of the teacher, and 1 of the student's 1 are"),
    (distill("--blocks", "one"), "--blocks should be whole numbers"),
    (distill("--blocks", "2"), "compares block 2 of the teacher, which has 2"),
    (distill("--teacher", "micro"), "random weights"),
    (distill("--teacher", "nowhere"), "unknown preset 'nowhere'"),
    (distill("--epochs", 3), "--epochs goes with --task; leave it out"),
    (distill("--recipe", "pd", "--transfer-steps", 3),
     "--transfer-steps means nothing beside --recipe, which has values of its own"),
    (distill("--stages", "stages.json"), "--batch-size means nothing beside --stages"),
    (with_stages("corpus/corpus.json"), "corpus.json: expected array, got object"),
    (with_stages("stages.json"), "No such file")])
def test_wrong_arguments_are_one_sentence(mobilebert, here, monkeypatch, arguments, said):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    run = mobilebert(*arguments)
    assert run.status == 2, run.err
    assert said in run.err.replace("\n", " ")
    assert "Traceback" not in run.err
    assert not (here / "run" / "model").exists()


@pytest.mark.parametrize(("changes", "said"), [
    ({"rates": {"block_1": 1.0}}, "trains block_1, which the student does not have"),
    ({"batch_size": 100}, "stage 'late' has a batch size of 100"),
    ({"losses": {"attention": 1.0}, "blocks": [[0, 7]]}, "compares block 7 of the teacher"),
    ({"wrong": 1}, "stages.json, [1]: object contains unknown field wrong"),
    ({"name": "transfer"}, "different names")])
def test_a_late_stage_that_does_not_fit_is_refused_before_the_first(mobilebert, here, changes,
                                                                  said):
    run = mobilebert(*stages_file(here, **changes))
    assert run.status == 2, run.err
    assert said in run.err
    assert "transfer 1/2" not in run.err
    assert not (here / "run" / "metrics.jsonl").exists()


@pytest.mark.parametrize(("changes", "said"), [
    ({"length": 64}, "examples of up to 64 tokens, student takes 40"),
    ({"size": 130}, "has another vocabulary than other")])
def test_a_corpus_for_another_model_is_refused(mobilebert, here, make_corpus, changes, said):
    make_corpus(here / "other", **changes)
    run = mobilebert(*pretrain(corpus="other"))
    assert run.status == 2, run.err
    assert said in run.err


def test_several_corpora_are_mixed_and_need_no_validation_examples(mobilebert, here, make_corpus):
    make_corpus(here / "other", train=8, validation=0)
    # More than either has.
    run = mobilebert(*pretrain("--corpus", "other", "--steps", 1, "--batch-size", 12, "--json",
                               "result.json", corpus="plain"))
    assert run.status == 0, run.err
    assert "pretraining 1/1: loss" in run.err
    assert json.loads((here / "result.json").read_text())["validation"] == []


def test_a_loss_that_is_not_finite_stops_behind_a_checkpoint(mobilebert, here):
    run = mobilebert(*pretrain("--steps", 8, "--learning-rate", 1e30, "--optimizer", "adamw",
                               "--checkpoint-every", 1))
    assert run.status == 2
    sentence = run.err[run.err.index("Error:"):]
    assert "is not finite" in sentence
    assert "lower learning rate" in sentence
    kept = sorted((here / "run" / "checkpoints").glob("stage-*"))
    assert f"{kept[-1].relative_to(here)} is kept" in sentence.replace("\n", " ")
    assert "Traceback" not in run.err
    assert not (here / "run" / "model").exists()


def test_ctrl_c_leaves_a_checkpoint(mobilebert, here, monkeypatch):
    real = Reporting.stepped

    def stepped(self, position, scalars):
        real(self, position, scalars)
        if position == Position(0, 3):
            os.kill(os.getpid(), signal.SIGINT)

    # Where the tests run in the background, it is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with monkeypatch.context() as patch:
        patch.setattr(Reporting, "stepped", stepped)
        run = mobilebert(*pretrain(corpus="plain"))
    signal.signal(signal.SIGINT, before)
    assert run.status == 130
    assert ("stopped at stage 1 of 1, step 3; run it again with the same arguments to continue"
            in run.err)
    assert "Traceback" not in run.err
    run = mobilebert(*pretrain(corpus="plain"))
    assert run.status == 0, run.err
    assert "continuing at stage 1 of 1, step 3" in run.err


@pytest.mark.slow
def test_half_precision_in_parts_by_adamw(mobilebert, here):
    import tf_keras as keras

    run = mobilebert(*pretrain("--precision", "mixed_bfloat16", "--accumulation", 2,
                               "--optimizer", "adamw", "--whole-word"))
    assert run.status == 0, run.err
    assert keras.mixed_precision.global_policy().name == "float32"  # as before the run
    line, *_ = (here / "run" / "metrics.jsonl").read_text().splitlines()
    assert 2 < json.loads(line)["masked_lm"] < 8
    model = model_directory.load("run/model").model
    assert {layer.compute_dtype for layer in model.encoder.blocks} == {"float32"}


@pytest.mark.slow
def test_a_student_of_a_preset_starts_from_its_teacher(mobilebert, here):
    run = mobilebert(*distill("--teacher", "teacher", "--student", "micro", "--blocks", "0,0,1",
                              "--strategy", "auxiliary", "--transfer-steps", 2,
                              "--distillation-steps", 1, "--keep", 1, "--checkpoint-every", 1))
    assert run.status == 0, run.err
    assert "copied from the teacher" in run.err
    assert "auxiliary 3/3: loss" in run.err
    assert [path.name for path in (here / "run" / "checkpoints").glob("stage-*")] == [
        "stage-01-step-00000000"]
