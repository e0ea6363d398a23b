"""The record of epochs against values by hand, and files that do not fit the checkpoint."""

import json

import pytest

import mobilebert_tf as mb
from mobilebert_tf.finetuning.epoch_record import EpochRecord
from mobilebert_tf.finetuning.result import FineTuningResult

SCORES = (0.25, 0.75, 0.5, 0.75)


@pytest.fixture
def record(tmp_path):
    record = EpochRecord(tmp_path / "epochs.json", "f1")
    for epoch, score in enumerate(SCORES, start=1):
        record.add({"loss": 1 / epoch, "val_f1": score, "val_loss_of": epoch}, seconds=10.0 * epoch)
    return record


def test_the_result_is_that_of_the_first_of_the_best_epochs(record):
    assert record.result == FineTuningResult(
        2, "f1", {"f1": 0.75, "loss_of": 2.0},
        {"loss": [1.0, 0.5, 1 / 3, 0.25], "val_f1": list(SCORES),
         "val_loss_of": [1.0, 2.0, 3.0, 4.0]})
    assert record.result.score == 0.75
    assert (record.epochs, record.seconds) == (4, 100.0)


def test_an_epoch_has_its_line_and_its_scalars(record):
    assert record.line == "epoch 4: loss 0.2500, dev f1 0.7500, dev loss_of 4.0000, 40 s"
    assert record.scalars(2) == {"train/loss": 0.5, "validation/f1": 0.75,
                                 "validation/loss_of": 2.0}


def test_a_file_may_have_an_epoch_that_no_checkpoint_has(record, tmp_path):
    record.write()
    found = EpochRecord(tmp_path / "epochs.json", "f1")
    found.read(3)
    assert found.epochs == 3
    assert found.result.history == {name: values[:3]
                                    for name, values in record.result.history.items()}
    found.add({"loss": 0.25, "val_f1": 0.75, "val_loss_of": 4}, 40.0)
    assert found.result == record.result
    found.write()
    assert json.loads((tmp_path / "epochs.json").read_text())["seconds"] == [10, 20, 30, 40]


def test_files_that_do_not_fit_are_named(record, tmp_path):
    record.write()
    with pytest.raises(mb.InputError, match="cannot be continued: .*epochs.json has fewer epochs "
                                            "than the checkpoint; choose another output"):
        EpochRecord(tmp_path / "epochs.json", "f1").read(5)
    (tmp_path / "epochs.json").write_text('{"history": {"loss": ["x"]}, "seconds": [1]}')
    with pytest.raises(mb.InputError, match=r"cannot be continued: .*history\[\.\.\.\]"):
        EpochRecord(tmp_path / "epochs.json", "f1").read(1)
