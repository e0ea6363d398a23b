"""TFDS's own builder of GLUE reads files that lie here, and so is what ours is held against."""

import random
from unittest import mock

import pytest

from mobilebert_tf.data.datasets import glue, glue_dataset
from mobilebert_tf.data.datasets.tfds import prepared
from mobilebert_tf.errors import InputError

from ...needed import needed

FOLDERS = {"cola": "CoLA", "sst2": "SST-2", "stsb": "STS-B", "qqp": "QQP", "mnli": "MNLI",
           "mnli_mismatched": "MNLI", "qnli": "QNLI", "rte": "RTE", "wnli": "WNLI"}
ROWS = 30


def write_files(task, folder):
    """Small files of a task; every text says which row of which file it is of."""
    folder.mkdir(parents=True, exist_ok=True)
    seeded = random.Random(5)
    for file in {task.train_file, task.dev_file, task.test_file}:
        header = ["index", *task.columns.texts]
        if file != task.test_file:
            header = list(task.header or [*header, task.columns.label])
        rows = [] if task.header and file != task.test_file else [header]
        for row in range(ROWS):
            cells = {column: f'{file} {row} "{column}' for column in task.columns.texts}
            label = f"{row * 5 / ROWS:.3f}" if task.values is None else seeded.choice(task.values)
            rows.append([{**cells, task.columns.label: label}.get(column, str(row))
                         for column in header])
        (folder / file).write_text("\n".join(map("\t".join, rows)) + "\n")


def prepare(config, files, directory):
    """Has TFDS build a config of its GLUE from files that are there, and nothing downloaded."""
    tfds = needed("tensorflow_datasets")
    with mock.patch.object(tfds.download.DownloadManager, "download_and_extract",
                           return_value=str(files)):
        tfds.builder(f"glue/{config}", data_dir=directory).download_and_prepare()


def check(name, files, directory):
    """Every split of a task is the same from TFDS as from its files."""
    task = glue.task(name)
    folder = files / FOLDERS[name]
    for split, file in (("train", task.train_file), ("dev", task.dev_file)):
        expected = glue.read(folder / file, task)
        found = glue_dataset.read(name, split, str(directory))
        assert (found.texts, found.second_texts, found.names) == (
            expected.texts, expected.second_texts, expected.names)
        assert found.labels == (expected.labels if task.labels else
                                pytest.approx(expected.labels, rel=1e-7))
        assert {type(label) for label in found.labels} == {int if task.labels else float}
    found = glue_dataset.read(name, "test", str(directory))
    assert found == glue.read_unlabelled(folder / task.test_file, task)


@pytest.mark.parametrize("names", [
    ("cola",), ("stsb",), ("qnli",), ("mnli", "mnli_mismatched")], ids="-".join)
def test_tasks_from_tfds_are_those_from_files(names, tmp_path):
    """A class, a score, a pair with a question; MNLI, whose classes TFDS numbers otherwise."""
    for name in names:
        write_files(glue.task(name), tmp_path / "files" / FOLDERS[name])
    prepare(names[0], tmp_path / "files", tmp_path / "tfds")
    for name in names:
        check(name, tmp_path / "files", tmp_path / "tfds")


def test_mrpc_from_tfds(tmp_path):
    """TFDS makes it from Microsoft's own files."""
    tfds = needed("tensorflow_datasets")
    header = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
    rows = [f"{row % 2}\t{row}\t{row + 50}\tfirst {row}\tsecond {row}\n" for row in range(20)]
    files = {name: tmp_path / name for name in ("dev_ids", "train", "test")}
    files["dev_ids"].write_text("3\t53\n8\t58\n")
    files["train"].write_text("\ufeff" + header + "".join(rows))
    files["test"].write_text(header + "".join(rows[:5]))
    with mock.patch.object(tfds.download.DownloadManager, "download", return_value={
            name: str(path) for name, path in files.items()}):
        tfds.builder("glue/mrpc", data_dir=tmp_path / "tfds").download_and_prepare()
    dev = glue_dataset.read("mrpc", "dev", str(tmp_path / "tfds"))
    assert (dev.texts, dev.second_texts, dev.labels, dev.names) == (
        ("first 3", "first 8"), ("second 3", "second 8"), (1, 0), ("not_equivalent", "equivalent"))
    assert len(glue_dataset.read("mrpc", "train", str(tmp_path / "tfds"))) == 18
    with pytest.raises(InputError, match="mrpc of TFDS has no split 'dev'; it has .*validation"):
        prepared("glue/mrpc", str(tmp_path / "tfds"), "dev")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cola", "stsb", "rte", "wnli"])
def test_official_files_through_tfds(name, shared_data, tmp_path):
    prepare(name, shared_data / "glue", tmp_path)
    check(name, shared_data / "glue", tmp_path)


def test_what_is_not_there_is_named(tmp_path):
    tfds = needed("tensorflow_datasets")
    with pytest.raises(InputError, match="unknown split 'validation'; known are train, dev, test"):
        glue_dataset.read("sst2", "validation", str(tmp_path))
    with pytest.raises(InputError, match="unknown task 'sst3'"):
        glue_dataset.read("sst3", "dev", str(tmp_path))
    with (mock.patch.object(tfds.core.DatasetBuilder, "download_and_prepare",
                            side_effect=OSError("no network")),
          pytest.raises(InputError, match="cannot get the dataset glue/sst2 .*: no network")):
        glue_dataset.read("sst2", "dev", str(tmp_path))
    with (mock.patch.dict("sys.modules", {"tensorflow_datasets": None}),
          pytest.raises(InputError, match="need tensorflow-datasets: install the extra `data`")):
        glue_dataset.read("sst2", "dev", str(tmp_path))
