from pathlib import Path

import pytest

from mobilebert_tf.data.datasets import glue, glue_dataset
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.errors import InputError
from mobilebert_tf.tasks import catalogue

COLUMNS = {"text": "body", "label": "folder"}
TSV = {"sst2": "sentence\tlabel\na\t1\n",
       "stsb": "sentence1\tsentence2\tscore\na\tb\t2.5\nc\td\t1\n"}


def task(name):
    own = name in ("classification", "multi_label", "regression")
    return catalogue.of(name, COLUMNS if own else None)


def test_every_task_has_a_kind_a_metric_and_files():
    kinds = {name: task(name).kind.name for name in catalogue.names()}
    assert set(kinds) == {*glue.TASKS, "similarity", "squad", "squad_v2", "tagging",
                          "classification", "regression", "multi_label"}
    assert set(kinds.values()) == {"classification", "regression", "multi_label", "tagging",
                                   "question_answering", "embedding"}
    for name in catalogue.names():
        assert task(name).name == name
        assert task(name).metrics.main in task(name).metrics.names
    assert catalogue.of("mnli_mismatched").dev_file == "dev_mismatched.tsv"
    assert catalogue.of("squad_v2").kind.length == 384


@pytest.mark.parametrize(("name", "options", "message"), [
    ("sst3", None, "unknown task 'sst3'; known are cola, "),
    ("sst2", COLUMNS, "the task sst2 has its own format: columns cannot be named"),
    ("classification", None, "reads your own table: name the columns of the text and the label"),
    ("regression", {"text": "body"}, "name the columns of the text and the label"),
    ("multi_label", {"label": "tags"}, "name the columns of the text and the label"),
    ("classification", {**COLUMNS, "pair": "other"}, "classification has no column for 'pair'"),
])
def test_what_is_no_task_is_refused(name, options, message):
    with pytest.raises(InputError, match=message):
        catalogue.of(name, options)


def test_a_models_labels_are_taken_where_the_task_does_not_fix_them():
    assert catalogue.of("classification", COLUMNS, ("x", "y")).labels == ("x", "y")
    assert catalogue.of("sst2", None, ("x", "y")).labels == ("negative", "positive")


def test_files_are_those_of_the_directory_unless_they_are_named():
    found = catalogue.data(task("sst2"), Path("glue/SST-2"))
    assert (found.train_files, found.dev_file) == (
        (Path("glue/SST-2/train.tsv"),), Path("glue/SST-2/dev.tsv"))
    found = catalogue.data(task("sst2"), Path("glue"), [Path("a"), Path("b")], Path("c"))
    assert (found.train_files, found.dev_file) == ((Path("a"), Path("b")), Path("c"))
    found = catalogue.data(task("squad"), None, (), Path("dev.json"))
    with pytest.raises(InputError, match="no training data for the task squad"):
        found.require_train_files()
    with pytest.raises(InputError, match="no data for the task squad: name its directory"):
        catalogue.data(task("squad"), None)


def test_a_test_set_is_one_with_labels(tmp_path):
    """GLUE's test.tsv has none, and nobody knows of a table's."""
    for name in ("test.bio", "test.tsv", "dev.tsv"):
        (tmp_path / name).touch()
    assert catalogue.data(task("tagging"), tmp_path).test_file == tmp_path / "test.bio"
    for name in ("sst2", "similarity", "classification"):
        assert catalogue.data(task(name), tmp_path, ("train",)).test_file is None
    named = catalogue.data(task("sst2"), tmp_path, test_file=Path("labelled.tsv"))
    assert named.test_file == Path("labelled.tsv")
    with pytest.raises(InputError, match=r"dev\.tsv is the dev file, and a test set is one that"):
        catalogue.data(task("sst2"), tmp_path, test_file=tmp_path / "x" / ".." / "dev.tsv")
    (tmp_path / "test.bio").unlink()
    assert catalogue.data(task("tagging"), tmp_path).test_file is None


def test_tables_are_found_by_the_ends_of_their_names(tmp_path):
    for name in ("train.csv", "dev.jsonl"):
        (tmp_path / name).touch()
    found = catalogue.data(task("classification"), tmp_path)
    assert (found.train_files, found.dev_file) == (
        (tmp_path / "train.csv",), tmp_path / "dev.jsonl")
    (tmp_path / "dev.tsv").touch()
    with pytest.raises(InputError, match=r"should have one of dev\.tsv, dev\.tsv\.gz, .*, "
                                         r"dev\.jsonl\.gz, and has 2 of them"):
        catalogue.data(task("classification"), tmp_path)


def test_tables_without_training_files_can_be_scored_on_but_not_trained_on(tmp_path):
    (tmp_path / "dev.tsv").touch()
    found = catalogue.data(task("classification"), tmp_path)
    assert (found.train_files, found.dev_file) == ((), tmp_path / "dev.tsv")
    with pytest.raises(InputError, match=r"should have one of train\.tsv, .*, and has 0 of them"):
        found.require_train_files()
    for name in ("train.csv", "train.jsonl"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=r"should have one of train\.tsv, .*, and has 2 of them"):
        catalogue.data(task("classification"), tmp_path)


@pytest.mark.parametrize(("name", "labels"), [("sst2", (1,)), ("stsb", (2.5, 1.0))])
def test_reads_glue_from_files(name, labels, tmp_path):
    (tmp_path / "dev.tsv").write_text(TSV[name])
    assert task(name).read(tmp_path / "dev.tsv").labels == labels


@pytest.fixture
def tfds(monkeypatch):
    """What is asked of tensorflow-datasets, of which nothing is needed here."""
    asked = []

    def read(name, split):
        asked.append((name, split))
        return LabelledTexts((split, split), (0.0, 1.0) if name == "stsb" else (0, 1), None,
                             glue.task(name).labels)

    monkeypatch.setattr(glue_dataset, "read", read)
    return asked


@pytest.mark.parametrize(("name", "place", "source"), [
    ("sst2", "tfds:glue/sst2", "sst2"), ("stsb", "tfds:glue/stsb", "stsb"),
    ("mnli_mismatched", "tfds:glue/mnli", "mnli_mismatched"),
    ("similarity", "tfds:glue/stsb", "stsb")])
def test_reads_glue_from_tfds(name, place, source, tfds):
    data = catalogue.data(task(name), Path(place))
    assert set(data.task.read_train(data.train_files).texts) == {"train"}
    assert set(data.task.read(data.dev_file).texts) == {"dev"}
    assert tfds == [(source, "train"), (source, "dev")]


def test_another_dataset_of_tfds_is_refused(tfds):
    data = catalogue.data(task("sst2"), Path("tfds:glue/cola"))
    with pytest.raises(InputError, match="tfds:glue/cola is not the task sst2 of TFDS: the "
                                         "data should be tfds:glue/sst2"):
        data.task.read(data.dev_file)
    with pytest.raises(InputError, match="named by their directory, tfds:glue/sst2, or with train"):
        data.task.read(Path("tfds:glue/sst2/validation"))
    with pytest.raises(InputError, match="the task squad is read from files, not from tfds:squad"):
        catalogue.data(task("squad"), Path("tfds:squad"))
    assert not tfds


def test_test_sets_are_glues(tfds, tmp_path):
    (tmp_path / "test.tsv").write_text("index\tsentence\n0\tb\n")
    assert catalogue.read_test("sst2", tmp_path) == LabelledTexts(
        ("b",), None, names=("negative", "positive"))
    catalogue.read_test("mnli_mismatched", Path("tfds:glue/mnli"))
    assert tfds == [("mnli_mismatched", "test")]
    with pytest.raises(InputError, match="unknown task 'squad'"):
        catalogue.read_test("squad", tmp_path)


def test_examples_for_training_are_read_once_with_the_labels_of_the_training_files(tmp_path):
    for name, folders in (("train.csv", "xy"), ("dev.csv", "y")):
        (tmp_path / name).write_text("body,folder\n" + "".join(f"a,{one}\n" for one in folders))
    data = catalogue.data(task("classification"), tmp_path)
    found, train, dev = data.for_training
    assert (found.labels, train.labels, dev.labels) == (("x", "y"), (0, 1), (1,))
    (tmp_path / "train.csv").unlink()
    assert data.for_training[1] is train


def test_named_columns_stand_in_place_of_the_models_own():
    pair = {**COLUMNS, "second_text": "other"}
    assert catalogue.in_place_of(None, None, "runs/x") is None
    assert catalogue.in_place_of(COLUMNS, None, "runs/x") == COLUMNS
    assert catalogue.in_place_of(None, COLUMNS, "runs/x") == COLUMNS
    assert catalogue.in_place_of(pair, {"text": "said"}, "runs/x") == {**pair, "text": "said"}
    with pytest.raises(InputError, match="runs/x was fine-tuned on single texts: leave second_"):
        catalogue.in_place_of(COLUMNS, pair, "runs/x")


@pytest.mark.parametrize(("name", "columns", "pairs"), [
    ("sst2", None, False), ("mrpc", None, True), ("stsb", None, True), ("squad", None, True),
    ("similarity", None, False), ("tagging", None, False),
    ("classification", COLUMNS, False), ("regression", {**COLUMNS, "second_text": "c"}, True),
    (None, None, None), ("a kind of the user's", None, None)])
def test_a_task_tells_whether_its_models_read_pairs(name, columns, pairs):
    assert catalogue.reads_pairs(name, columns) is pairs


@pytest.mark.parametrize(("given", "message"), [
    ({"dev_file": ["dev.tsv"]}, r"dev should be a path. Received: \['dev.tsv'\]"),
    ({"directory": 5}, "data should be a path. Received: 5"),
    ({"directory": "d", "train_files": ["a.tsv", None]}, r"train\[1\] should be a path.*: None"),
    ({"directory": "d", "test_file": 5}, "test should be a path. Received: 5")])
def test_what_is_no_path_is_named(given, message):
    with pytest.raises(InputError, match=message):
        catalogue.data(task("sst2"), **{"directory": None, **given})
