"""A run's event file: one, that says what the run's record says, whatever was killed before."""

import pytest

# The one behind TensorBoard's pages.
from tensorboard.backend.event_processing.plugin_event_accumulator import EventAccumulator

from mobilebert_tf.errors import InputError
from mobilebert_tf.resuming.tensorboard_log import TensorBoardLog

from ..folders import names
from ..full_disk import room_in_a_file

RECORDED = [(2, {"train/loss": 4.0, "train/tokens": 10.0}), (4, {"train/loss": 2.0})]


def shown(events):
    """What TensorBoard has read: {tag: [(step, value)]}."""
    return {tag: [(event.step, float(event.tensor_proto.float_val[0]))
                  for event in events.Tensors(tag)] for tag in events.Tags()["tensors"]}


@pytest.fixture
def killed(tmp_path):
    """The logs of a process that was killed after step 6, and TensorBoard's reader of them."""
    log = TensorBoardLog(tmp_path / "logs")
    log.start([])
    for step, scalars in (*RECORDED, (6, {"train/loss": 99.0})):
        log.write(step, scalars)
    (file,) = (tmp_path / "logs").iterdir()
    with open(file, "ab") as half:
        half.write(b"\x20\0\0")
    events = EventAccumulator(str(tmp_path / "logs")).Reload()
    assert shown(events)["train/loss"] == [(2, 4.0), (4, 2.0), (6, 99.0)]
    return tmp_path / "logs", events


def test_the_next_process_writes_what_is_recorded_and_goes_on(killed):
    directory, watching = killed
    before = names(directory)
    (directory / "notes").touch()
    log = TensorBoardLog(directory)
    log.start(RECORDED)
    log.write(6, {"train/loss": 1.0, "validation/loss": 3.0})
    expected = {"train/loss": [(2, 4.0), (4, 2.0), (6, 1.0)], "train/tokens": [(2, 10.0)],
                "validation/loss": [(6, 3.0)]}
    # TensorBoard that runs meanwhile reads on, and forgets what was not so.
    assert shown(watching.Reload()) == expected
    log.close()
    assert shown(EventAccumulator(str(directory)).Reload()) == expected
    (new,) = set(names(directory)) - {"notes"}
    assert new > before[0]


def test_a_full_disk_is_said_in_a_sentence_when_it_happens(tmp_path):
    log = TensorBoardLog(tmp_path / "logs")
    log.start(RECORDED)
    with room_in_a_file(10):
        with pytest.raises(InputError) as write:
            log.write(6, {"train/loss": 1.0})
        log.close()  # says nothing more
        with pytest.raises(InputError) as start:
            TensorBoardLog(tmp_path / "others").start(RECORDED)
    for caught, directory in ((write, "logs"), (start, "others")):
        assert str(caught.value) == (
            f"cannot write {tmp_path / directory}: File too large; run it again with the same "
            "arguments to continue from the last checkpoint")
