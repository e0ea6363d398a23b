import dataclasses
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mobilebert_tf as mb
from mobilebert_tf import kinds, model_directory
from mobilebert_tf.data.datasets import glue, glue_dataset
from mobilebert_tf.export.failed_gate import FailedGate
from mobilebert_tf.export.file import calibration
from mobilebert_tf.export.package import write as package
from mobilebert_tf.export.package.card import model_card as card_text
from mobilebert_tf.export.package.write import Details
from mobilebert_tf.tasks import catalogue

from ...folders import bytes_of
from ...full_disk import fill_after
from .. import every_kind, sst2
from ..conftest import LABELS, LENGTH, randomize

MEMBERS = {"tiny_float32.tflite", "tiny_dynamic_int8.tflite", "vocab.txt", "labels.txt",
           "model.json", "README.md", "NOTICE.txt", "SHA256SUMS"}


@pytest.fixture(scope="module")
def data(vocabulary, tmp_path_factory):
    return sst2.write_files(tmp_path_factory.mktemp("data") / "SST-2", vocabulary, 50, right=45)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A directory with the run.json that finetune writes."""
    directory = tmp_path_factory.mktemp("runs") / "mine"
    directory.mkdir()
    write_note(directory, "sst2", {"accuracy": 0.9})
    return directory


def write_note(directory, task, scores, **more):
    (directory / "run.json").write_text(json.dumps({
        **more, "task": task, "preset": None, "checkpoint": "/home/me/all-MiniLM-L6-v2",
        # It stopped early.
        "settings": {"learning_rate": 5e-5, "epochs": 20, "patience": 1},
        "result": {"best_epoch": 2, "metric": next(iter(scores)), "scores": scores,
                   "history": {"loss": [0.5, 0.25, 0.125]}}}))


@pytest.fixture(scope="module")
def write(data, source, vocabulary):
    def write(directory, recipe_names=("float32",), contents=None, **details):
        return package.write(
            directory, contents or sst2.contents(vocabulary),
            Details(**{"name": "tiny", "source": source, "data": sst2.data(data), **details}),
            recipe_names, (LENGTH,), lambda batches, description: batches, say=lambda line: None)

    return write


@pytest.fixture
def cheap(vocabulary, monkeypatch):
    """Replace each conversion by one that is done once for all tests."""
    monkeypatch.setattr(calibration, "to_tflite", lambda model, recipe, lengths, **_: sst2.exported(
        sst2.classifier(), recipe, vocabulary))


@pytest.fixture(scope="module")
def written(write, tmp_path_factory):
    directory = tmp_path_factory.mktemp("out") / "tiny"
    facts = write(directory, ("float32", "dynamic_int8"), licence="apache-2.0",
                  samples=("a fine film", "it drags"), trained_on="films (for research)",
                  base_model="sentence-transformers/all-MiniLM-L6-v2")
    return directory, facts


def test_holds_what_an_app_needs(written, vocabulary):
    directory, facts = written
    assert {path.name for path in directory.iterdir()} == MEMBERS
    assert json.loads((directory / "model.json").read_text()) == facts
    assert facts["samples"] == ["a fine film", "it drags"]
    assert "--sample 'a fine film' --sample 'it drags'" in (directory / "README.md").read_text()
    assert (directory / "vocab.txt").read_text().split("\n")[:-1] == list(vocabulary.pieces)
    assert (directory / "labels.txt").read_text() == "negative\npositive\n"
    assert (facts["task"], facts["kind"], facts["lengths"], facts["labels"]) == (
        "sst2", "classification", [LENGTH], list(sst2.LABELS))
    assert (facts["lower_case"], facts["pairs"], facts["settings"]) == (True, False, None)
    assert facts["training"]["scores"] == {"accuracy": 0.9}
    assert facts["training"]["scorings"] == 3
    assert facts["signatures"] == {str(LENGTH): "serving_default"}
    assert list(facts["inputs"]) == ["ids", "mask", "segment_ids"]
    assert facts["outputs"] == {"probabilities": {"type": "float32", "shape": [1, 2]}}
    assert facts["parameters"] == sst2.classifier().count_params()
    assert set(facts["versions"]) >= {"mobilebert-tf", "tensorflow", "ai-edge-litert"}
    for file in facts["files"]:
        content = (directory / file["file"]).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (
            file["bytes"], file["sha256"])
        assert file["minimum_runtime"] == mb.export.Runner(content).metadata.runtime
        assert (file["gate"]["model_score"], file["gate"]["passed"]) == (0.9, True)
    assert [file["recipe"] for file in facts["files"]] == ["float32", "dynamic_int8"]


def test_the_sums_are_those_of_every_other_file(written):
    directory, _ = written
    sums = dict(reversed(line.split("  ")) for line in
                (directory / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == MEMBERS - {"SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((directory / name).read_bytes()).hexdigest() == digest


def test_the_card_says_what_was_measured_and_on_what(written):
    directory, facts = written
    card = (directory / "README.md").read_text()
    front = card.split("---\n")[1]
    assert "metrics:\n- accuracy\ntags:" in front
    for line in ("license: apache-2.0", "library_name: litert", "pipeline_tag: text-classification",
                 "base_model: sentence-transformers/all-MiniLM-L6-v2"):
        assert line in front.splitlines()
    for file in facts["files"]:
        row, = re.findall(rf"^\| {file['file']} .*$", card, re.MULTILINE)
        for cell in (file["recipe"], file["minimum_runtime"], "0.9000",
                     f"{file['gate']['file_score']:.4f}", f"{file['bytes'] / 1e6:.2f}"):
            assert f"| {cell} |" in row
    assert "50 examples of `dev.tsv`" in card
    assert "Data: films (for research)." in card
    assert ("The minimum runtime is the oldest version of LiteRT or TensorFlow Lite known to run "
            "the file.\n") in card
    assert 'encode_batch(tokenizer, ["a fine film"], length=' in card
    assert "mobilebert predict tiny_dynamic_int8.tflite 'a fine film'`" in card
    assert ("from the checkpoint all-MiniLM-L6-v2, with\nlearning_rate 5e-05, epochs 20, "
            "patience 1.") in card
    assert ("mobilebert package mine --task sst2 --recipes float32,dynamic_int8 --lengths 12 "
            "--train train.tsv --dev dev.tsv --output tiny --name tiny --licence apache-2.0 "
            "--base-model sentence-") in card
    assert "/home" not in card + json.dumps(facts), "no places of the machine"
    notice = (directory / "NOTICE.txt").read_text()
    assert notice.endswith("The data: films (for research).\n")
    assert "Apache License 2.0" in notice
    assert "Their licence, as stated: apache-2.0" in notice
    assert "is sentence-transformers/all-MiniLM-L6-v2" in notice


def test_the_card_names_some_of_very_many_labels(written):
    facts = {**written[1], "labels": [f"class_{number}" for number in range(151)]}
    first = card_text(facts, "").split("\n\n# ")[1].split("\n\n")[1].split("\n")[0]
    assert first.endswith("class_8, class_9 and 141 more.")


def test_the_card_says_if_a_comparison_is_weak(written):
    """Both files are compared on 50 examples, so one sentence names both."""
    directory, facts = written
    sentence, *_ = facts["files"][0]["gate"]["weaknesses"]
    assert sentence.startswith("The dev set is small: one of its 50 examples is worth 2 points")
    card = (directory / "README.md").read_text()
    assert ("**The comparison with the Keras model is weak**, though passed:\n\n"
            f"- `tiny_float32.tflite`, `tiny_dynamic_int8.tflite`: {sentence}\n") in card
    strong = {**facts, "files": [{**file, "gate": {**file["gate"], "weaknesses": []}}
                                 for file in facts["files"]]}
    assert "weak" not in card_text(strong, "")
    assert "checks the download.\n\nMeasured on" in card_text(strong, "")


def test_a_test_set_stands_beside_the_dev_set(cheap, write, data, vocabulary, tmp_path):
    """Of its 20 examples 12 are right, and of the 50 of the dev set 45."""
    test = sst2.write_files(tmp_path / "held", vocabulary, 20, right=12) / "dev.tsv"
    test = test.rename(test.with_name("held_out.tsv"))
    facts = write(tmp_path / "tiny", vocab=Path("mine/words.txt"),
                  data=dataclasses.replace(sst2.data(data), test_file=test))
    assert facts["tested_on"] == {
        "file": "held_out.tsv", "examples": 20, "model_score": 0.6,
        "sha256": hashlib.sha256(test.read_bytes()).hexdigest()}
    (file,) = facts["files"]
    assert (file["gate"]["file_score"], file["test_score"]) == (0.9, 0.6)
    card = (tmp_path / "tiny" / "README.md").read_text()
    header, _, row = (line.split(" | ")[-2:] for line in card.splitlines()
                      if line.startswith("| "))
    assert header == ["accuracy on test, Keras model", "accuracy on test, file |"]
    assert row == ["0.6000", "0.6000 |"]
    assert "and tested on the 20 examples of `held_out.tsv`" in card
    assert "The dev set also chose the best epoch, so its scores flatter. The test set" in card
    assert " --dev dev.tsv --test held_out.tsv " in card
    assert " --vocab words.txt" in card
    unknown = {**facts, "tested_on": {**facts["tested_on"], "model_score": None}}
    assert "| not known | 0.6000 |" in card_text(unknown, "")


def test_without_a_test_set_the_card_says_so(written):
    directory, facts = written
    assert facts["tested_on"] is None
    assert [file["test_score"] for file in facts["files"]] == [None, None]
    card = (directory / "README.md").read_text()
    assert ("- There is no test set: all scores are of the dev set, which also chose the best "
            "epoch, so its scores flatter.\n") in card
    assert "on test" not in card
    assert "--test" not in card
    assert ("which may have been used in training, which is not recorded.\n"
            in card_text({**facts, "training": None}, ""))
    once = {**facts["training"], "scorings": 1}
    assert "which chose no epoch, since there is one; whether" in card_text(
        {**facts, "training": once}, "")
    assert "which may have chosen the epoch, which is not recorded." in card_text(
        {**facts, "training": {**once, "scorings": None}}, "")
    assert "Fine-tuned on " in card


@pytest.mark.parametrize(("is_read", "sentence"), [
    (True, "which also chose the best epoch, so its scores flatter."),
    (False, "which had no part in the training.")])
def test_only_a_dev_set_that_the_training_read_chose(is_read, sentence, cheap, write, data,
                                                     tmp_path):
    read = (data / "dev.tsv").read_bytes() if is_read else b"another dev set"
    write_note(tmp_path, "sst2", {"accuracy": 0.9},
               sha256={"glue/dev.tsv": hashlib.sha256(read).hexdigest()})
    facts = write(tmp_path / "tiny", source=tmp_path)
    assert facts["training"]["read_dev_set"] is is_read
    assert sentence in (tmp_path / "tiny" / "README.md").read_text()


def test_the_card_says_what_a_teacher_taught(written):
    _, facts = written
    taught = {**facts["training"], "teacher": "large", "augment": 20,
              "unlabelled": {"files": ["a.txt", "b.txt"], "examples": 1200},
              "settings": {"seed": 1, "log_every": 20},
              "stages": [{"name": "task", "steps": 1500, "batch_size": 32, "learning_rate": 3e-4,
                          "losses": {"soft_label": 1.0, "label": 0.5}}]}
    text = " ".join(card_text({**facts, "training": taught}, "").split())
    assert ("Distilled from the teacher large on the training set of the task sst2, with up to 20 "
            "new examples made of each of its own, and on 1,200 texts without labels of a.txt, "
            "b.txt, from ") in text
    assert ("with seed 1. Stage task: 1,500 updates of 32 rows, learning rate 0.0003, losses "
            "soft_label 1, label 0.5.") in text


def test_a_dataset_of_tfds_has_a_name_and_no_digest(cheap, write, data, tmp_path, monkeypatch):
    monkeypatch.setattr(glue_dataset, "read", lambda name, split: glue.read(
        data / f"{split}.tsv", glue.task(name)))
    task = catalogue.of("sst2")
    facts = write(tmp_path / "tiny", data=catalogue.data(task, Path("tfds:glue/sst2")))
    assert facts["evaluated_on"] == {"file": "tfds:glue/sst2", "examples": 50, "sha256": None}
    card = (tmp_path / "tiny" / "README.md").read_text()
    assert "50 examples of `tfds:glue/sst2`, on " in card
    assert "--lengths 12 --data tfds:glue/sst2 --output tiny" in card


def said_by_the_card(directory):
    """What the Python in a package's card prints."""
    code, = re.findall(r"^```python\n(.*?)^```", (directory / "README.md").read_text(),
                       re.MULTILINE | re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=directory, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_cards_python_runs(written):
    first, second = map(float, re.findall(r"0\.\d+", said_by_the_card(written[0])))
    assert first + second == pytest.approx(1, abs=1e-5)


def test_nothing_is_claimed_that_nobody_stated(cheap, write, tmp_path):
    write(tmp_path / "out", source=tmp_path)
    card, notice = ((tmp_path / "out" / name).read_text() for name in ("README.md", "NOTICE.txt"))
    assert "license: unknown" in card
    assert "base_model" not in card
    assert "How the model was trained is not recorded" in card
    assert "licence has not been stated: ask before you ship" in notice
    assert "has not been stated by who published" in notice


def test_equal_inputs_give_equal_bytes(write, tmp_path):
    for name in ("one", "two"):
        write(tmp_path / name)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_a_failing_file_leaves_what_was_there(cheap, write, vocabulary, tmp_path, monkeypatch):
    write(tmp_path / "out")
    before = bytes_of(tmp_path / "out")
    models = {"float32": sst2.classifier(), "dynamic_int8": sst2.opposite()}
    monkeypatch.setattr(calibration, "to_tflite", lambda model, recipe, lengths, **_: sst2.exported(
        models[recipe], recipe, vocabulary))
    with pytest.raises(FailedGate, match="dynamic_int8: .* beyond the 0.5") as failure:
        write(tmp_path / "out", ("float32", "dynamic_int8"))
    assert failure.value.report.recipe == "dynamic_int8"
    assert before == bytes_of(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_full_disk_leaves_nothing(cheap, write, tmp_path, monkeypatch):
    fill_after(0, monkeypatch)
    with pytest.raises(mb.InputError, match="No space left"):
        write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_what_an_app_cannot_show_is_refused_before_an_export(models, vocabulary, tmp_path,
                                                          monkeypatch):
    monkeypatch.setattr(calibration, "calibrated", None)
    tuned = every_kind.tuned("regression", models["regression"], vocabulary, tmp_path / "data")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("one,other,class\nal,bl,negative\ncl,dm,positive\n")
    task = catalogue.of("classification", {"text": "one", "second_text": "other", "label": "class"})
    for contents, data, message in (
            (tuned.contents, tuned.data, "this is a model for regression"),
            (sst2.contents(vocabulary, task=task.name),
             catalogue.data(task.bound(sst2.LABELS, None), None, (), pairs), "reads pairs")):
        with pytest.raises(mb.InputError, match=message):
            package.write(None, contents, Details(name="tiny", source=tmp_path, data=data),
                          ("float32",), (LENGTH,), lambda batches, description: batches,
                          assets=tmp_path / "assets")
    assert not (tmp_path / "assets").exists()


def test_a_directory_with_other_things_is_not_replaced(write, tmp_path):
    (tmp_path / "thesis.txt").write_text("years")
    (tmp_path / "SHA256SUMS").write_text("0123  model.json\n")
    with pytest.raises(mb.InputError, match="has thesis.txt in it, which is not of a package"):
        write(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years"
    # Its checksums do not make it a package.
    (tmp_path / "SHA256SUMS").write_text("0123  thesis.txt\n")
    with pytest.raises(mb.InputError, match="has SHA256SUMS in it, which is not of a package"):
        write(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years"


def test_an_unknown_recipe_is_refused_before_the_first_export(write, tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "calibrated", None)
    with pytest.raises(mb.InputError, match="unknown recipe 'int9'"):
        write(tmp_path / "out", ("float32", "int9"))


def test_a_model_of_another_task_is_refused(write, vocabulary, tmp_path):
    other = sst2.contents(vocabulary, labels=("no", "yes"))
    with pytest.raises(mb.InputError, match="has other labels than the task sst2"):
        write(tmp_path / "out", contents=other)


@pytest.mark.parametrize("text", ["{", "[]", '{"task": "sst2"}', """{"task": "sst2", "preset":
    null, "checkpoint": null, "settings": {}, "result": {}}"""])
def test_a_damaged_note_of_training_is_refused(cheap, write, tmp_path, text):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(mb.InputError, match=r"run\.json( is|: expected|: object|, result: object)"):
        write(tmp_path / "out", source=tmp_path)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("changes", [
    {"name": "a b"}, {"name": "../up"}, {"name": ""}, {"licence": "mine: all"},
    {"base_model": "a/b/c"}])
def test_names_that_break_files_or_front_matter_are_refused(changes, tmp_path):
    with pytest.raises(mb.InputError, match="should be letters, digits"):
        Details(**{"name": "tiny", "source": tmp_path, "data": sst2.data(tmp_path), **changes})


def test_a_blank_sample_is_refused(tmp_path):
    with pytest.raises(mb.InputError, match="a sample is blank"):
        Details(name="tiny", source=tmp_path, data=sst2.data(tmp_path), samples=("good", " "))


@pytest.fixture(scope="module")
def packaged(models, exported, vocabulary, tmp_path_factory):
    """kind -> (package, its facts), which `package.write` made of a float32 file."""
    made = {}

    def package_of(kind):
        if kind not in made:
            place = tmp_path_factory.mktemp(kind)
            tuned = every_kind.tuned(kind, models[kind], vocabulary, place / "data")
            write_note(place, tuned.data.task.name, {"f1": 1.0})
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(calibration, "to_tflite", lambda *_, **__: exported(kind, "float32"))
                facts = package.write(
                    place / "tiny", tuned.contents,
                    Details(name="tiny", source=place, data=tuned.data), ("float32",), (LENGTH,),
                    lambda batches, description: batches, say=lambda line: None)
            made[kind] = place / "tiny", facts
        return made[kind]

    return package_of


# What differs: the hub's names, whether there are pairs, Kotlin's outputs, and a word on each.
CARDS = {
    "multi_label": ("text-classification", ["f1"], False,
                    {"probabilities": "Array(1) { FloatArray(4) }"},
                    "One threshold, 0.52, serves all labels"),
    "regression": ("text-classification", ["pearsonr", "spearmanr"], True,
                   {"score": "Array(1) { FloatArray(1) }"}, "on the scale of stsb"),
    "embedding": ("sentence-similarity", ["spearmanr"], False,
                  {"sentence_embedding": "Array(1) { FloatArray(48) }"}, "a vector of 48 numbers"),
    "tagging": ("token-classification", ["seqeval"], False,
                {"logits": f"Array(1) {{ Array({LENGTH}) {{ FloatArray(5) }} }}"},
                "Marks words of a text, on phones: loc, per."),
    "question_answering": ("question-answering", ["f1"], True,
                           {"end_logits": f"Array(1) {{ FloatArray({LENGTH}) }}",
                            "start_logits": f"Array(1) {{ FloatArray({LENGTH}) }}"},
                           "windows, each 128 tokens after"),
}


@pytest.mark.parametrize("kind", CARDS)
def test_every_kind_is_packaged_with_a_card_of_its_own(kind, packaged):
    directory, facts = packaged(kind)
    tag, metrics, pairs, outputs, words = CARDS[kind]
    labels = LABELS.get(kind)
    names = {path.name for path in directory.iterdir()}
    assert names == {"tiny_float32.tflite", *(MEMBERS - {
        "tiny_dynamic_int8.tflite", *([] if labels else ["labels.txt"])})}
    assert json.loads((directory / "model.json").read_text()) == facts
    assert facts["labels"] == (labels and list(labels))
    assert (facts["task"], facts["kind"], facts["pairs"], facts["lower_case"]) == (
        every_kind.NAMES[kind], kind, pairs, True)
    assert set(facts["outputs"]) == set(outputs)
    card = (directory / "README.md").read_text()
    front = card.split("---\n")[1]
    assert f"pipeline_tag: {tag}\n" in front
    assert re.findall(r"^- (\w+)$", front.split("tags:")[0], re.MULTILINE) == metrics
    assert words in card
    kotlin = {re.sub("_(.)", lambda found: found[1].upper(), name): (name, array)
              for name, array in outputs.items()}
    for name, (output, array) in kotlin.items():
        assert f"- `{name}` is `{array}`\n" in card
        assert f'"{output}" to {name}' in card
    assert "vocabulary and labels inside" in card if labels else "\nvocabulary inside" in card
    assert ("| - |" in card) == (kind in ("regression", "embedding"))
    assert ("TextEmbedder.create" in card) == (kind == "embedding")
    assert "{" not in re.sub("```.*?```|`.*?`", "", card, flags=re.DOTALL), "a gap not filled"
    assert ("--second-text" in card) == pairs
    assert max(map(len, card.splitlines())) < 300


@pytest.mark.slow
@pytest.mark.parametrize("kind", CARDS)
def test_every_cards_python_runs(kind, packaged):
    said = said_by_the_card(packaged(kind)[0])
    numbers = [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", said)]
    if kind == "embedding":
        assert sum(number ** 2 for number in numbers) == pytest.approx(1, abs=1e-4)
    elif kind == "multi_label":
        assert len(re.findall("True|False", said)) == len(LABELS[kind])
    else:
        assert len(numbers) == {"regression": 1, "tagging": LENGTH, "question_answering": 2}[kind]


def test_an_app_gets_the_settings_that_answers_were_scored_with(packaged):
    """run_squad.py's; and no threshold, since SQuAD v1.1 has an answer to every question."""
    assert packaged("question_answering")[1]["settings"] == {
        "max_question_length": 64, "stride": 128, "max_answer_length": 30, "n_best": 20,
        "null_threshold": None}
    assert packaged("multi_label")[1]["settings"] == {"threshold": 0.52}
    for kind in ("tagging", "embedding"):
        assert packaged(kind)[1]["settings"] is None


@pytest.mark.parametrize("threshold", [-1.5, None])
def test_the_settings_are_the_models(
        threshold, models, exported, vocabulary, tmp_path, monkeypatch):
    tuned = every_kind.tuned("question_answering", models["question_answering"], vocabulary,
                             tmp_path)
    data = catalogue.data(catalogue.of("squad_v2"), None, tuned.data.train_files,
                          tuned.data.dev_file)
    contents = dataclasses.replace(tuned.contents, kind=tuned.contents.kind.with_settings(
        stride=3, null_threshold=threshold))
    monkeypatch.setattr(calibration, "to_tflite",
                        lambda *_, **__: exported("question_answering", "float32"))
    facts = package.write(
        tmp_path / "tiny", contents, Details(name="tiny", source=tmp_path, data=data),
        ("float32",), (LENGTH,), lambda batches, description: batches, say=lambda line: None)
    assert facts["settings"] == {
        "max_question_length": 64, "stride": 3, "max_answer_length": 30, "n_best": 20,
        "null_threshold": threshold}
    assert facts["files"][0]["gate"]["metric"] == "f1"
    card = (tmp_path / "tiny" / "README.md").read_text()
    assert "metrics:\n- f1\n" in card
    end = "." if threshold is None else ", or says that there is none."
    assert f"\nFinds the answer to a question in a text, on phones{end}\n" in card


def test_every_task_has_a_card():
    """The card of its kind has the hub's names of its metric."""
    columns = {"text": "text", "label": "label"}
    for name in catalogue.names():
        is_own = name in kinds.names() and kinds.get(name).table is not None
        task = catalogue.of(name, columns if is_own else None)
        assert task.kind.card.metrics[task.metrics.main], name


def test_mediapipe_is_not_promised_what_it_would_misread(write, vocabulary, tmp_path):
    write(tmp_path / "out", contents=sst2.contents(vocabulary, lower_case=False))
    card = (tmp_path / "out" / "README.md").read_text()
    assert "createFromFile" not in card
    assert "MediaPipe's TextClassifier lower-cases whatever it is given" in card
    assert "Text keeps its case before" in card


@pytest.mark.slow
def test_a_trained_model_is_packaged(trained_nano, shared_data, tmp_path):
    contents = model_directory.load(trained_nano)
    details = Details(name="nano", source=trained_nano,
                      data=sst2.data(shared_data / "glue" / "SST-2"))
    for name in ("one", "two"):
        facts = package.write(
            tmp_path / name, contents, details, ("float32", "dynamic_int8"), (64,),
            lambda batches, description: batches)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    gates = [file["gate"] for file in facts["files"]]
    assert gates[0]["drop"] == 0.0
    assert gates[0]["equal_predictions"] == 1.0
    for report in gates:
        assert report["examples"] == 872
        assert report["model_score"] > 0.75
        assert report["passed"]
    assert gates[0]["outputs"]["probabilities"]["max"] < 1e-5


@pytest.mark.parametrize("pooler", ["relu", "relu_tanh"])
def test_classifiers_with_other_dense_poolers_are_packaged(pooler, write, vocabulary, tmp_path):
    """DistilBERT's and TinyBERT's; the files are scored before they are written."""
    config = dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1, pooler=pooler)
    model = randomize(mb.Classifier(mb.Encoder(config), 2))
    write(tmp_path / "package", ("float32", "dynamic_int8"),
          sst2.contents(vocabulary, model=model))
    assert {path.name for path in (tmp_path / "package").iterdir()} == MEMBERS
