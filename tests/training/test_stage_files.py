"""A file of stages holds them all, and what is no list of stages is refused."""

import dataclasses
import json

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.training import stage_files
from mobilebert_tf.training.distillation_plan import STRATEGIES, DistillationPlan
from mobilebert_tf.training.stage import Stage

VALID = {"name": "one", "steps": 10, "losses": {"masked_lm": 1.0}, "rates": {"mlm": 1.0},
         "learning_rate": 1e-3, "batch_size": 8}
COMPARING = {"losses": {"attention": 1.0}, "blocks": ((0, 0),)}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_file_of_stages_holds_them_all(strategy, tmp_path):
    plan = DistillationPlan(strategy=strategy, transfer_steps=100, distillation_steps=50,
                            options={"temperature": 2.0, "teacher_reads_masks": False})
    written = plan.stages(("embedding", "block_0", "block_1", "mlm"), ((0, 0), (1, 1)))
    stage_files.save(tmp_path / "stages.json", written)
    assert stage_files.load(tmp_path / "stages.json") == written
    as_json = json.loads((tmp_path / "stages.json").read_text("utf-8"))
    assert [set(stage) for stage in as_json] == [
        {field.name for field in dataclasses.fields(Stage)}] * len(written)
    embedding = Stage(**{**VALID, **COMPARING, "blocks": (("embedding", "embedding"), (0, 0))})
    stage_files.save(tmp_path / "embedding.json", (embedding,))
    assert stage_files.load(tmp_path / "embedding.json") == (embedding,)
    # What is left out has its default.
    (tmp_path / "short.json").write_text(json.dumps([VALID]))
    assert stage_files.load(tmp_path / "short.json") == (Stage(**VALID),)


@pytest.mark.parametrize(("text", "message"), [
    (None, "cannot read .*No such file"), ("no json", "is not JSON"),
    ("3", "expected array, got int"), ('{"name": "one"}', "expected array, got object"),
    ('[["name"]]', r"json, \[0\]: expected object, got array"),
    ("[]", "should hold stages of different names"),
    (json.dumps([{**VALID, "stepps": 3}]), "stepps"),
    (json.dumps([{"name": "one"}]), "missing"),
    (json.dumps([{**VALID, "steps": "10"}]), r"\[0\]\.steps: expected int \| null, got str"),
    (json.dumps([{**VALID, "losses": ["masked_lm"]}]),
     r"\[0\]\.losses: expected object, got array"),
    (json.dumps([{**VALID, **COMPARING, "blocks": [0, 1]}]),
     r"\[0\]\.blocks\[0\]: expected array, got int"),
    (json.dumps([{**VALID, **COMPARING, "blocks": [[0, "pooler"]]}]),
     r"\[0\]\.blocks\[0\]\[1\]: invalid enum value 'pooler'"),
    (json.dumps([{**VALID, "steps": 0}]), "has 0 steps"),
    (json.dumps([VALID, VALID]), "different names. Received: ..one., .one"),
])
def test_a_file_that_holds_no_stages_is_refused(text, message, tmp_path):
    if text is not None:
        (tmp_path / "stages.json").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        stage_files.load(tmp_path / "stages.json")
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(("stages", "message"), [
    ([VALID], "of the class Stage, or a JSON file of them. Received: a dict"),
    (Stage(**VALID), "stages should be a list. Received: a Stage")])
def test_what_is_no_list_of_stages_is_refused(stages, message):
    with pytest.raises(InputError, match=message):
        stage_files.from_arguments(stages, None)


@pytest.mark.parametrize("stages", [[], [Stage(**VALID), Stage(**VALID)]])
def test_stages_as_arguments_are_refused_as_those_of_a_file(stages):
    with pytest.raises(InputError, match="argument stages should hold stages of different names"):
        stage_files.from_arguments(stages, None)
