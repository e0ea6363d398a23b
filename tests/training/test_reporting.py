"""What a run shows: metrics.jsonl, TensorBoard's curves, and lines for people."""

import re

import pytest
import tensorflow as tf

from mobilebert_tf.errors import InputError
from mobilebert_tf.resuming.position import Position
from mobilebert_tf.training.reporting import Reporting
from mobilebert_tf.training.stage import Stage

from ..full_disk import room_in_a_file
from .metrics import lines

STAGES = tuple(Stage(name=name, steps=steps, losses={"masked_lm": 0.5}, rates={"mlm": 1.0},
                     learning_rate=1.0, batch_size=2)
               for name, steps in (("first", 5), ("second", 4)))


def steps(reporting, stage, numbers):
    for step in numbers:
        reporting.stepped(Position(stage, step), {
            "masked_lm": 2.0 * step, "loss": float(step), "gradient_norm": 3.0 * step,
            "tokens": 10.0, "places/predictions": 4.0})


def reported(directory, position=Position(0, 0), every=2):  # noqa: B008
    reporting = Reporting(directory, STAGES, every)
    reporting.start(position)
    return reporting


@pytest.fixture
def whole(tmp_path):
    """The directory of a run of both stages."""
    with reported(tmp_path) as reporting:
        steps(reporting, 0, range(1, 6))
        reporting.validated(0, {"loss": 0.5, "masked_lm": 0.25})
        steps(reporting, 1, range(1, 5))
        reporting.validated(1, {"loss": 0.75, "masked_lm": 0.5})
    return tmp_path


def test_lines_hold_means_since_the_line_before_and_sums_of_tokens(whole):
    found = lines(whole)
    assert [(line["split"], line["stage"], line["stage_index"], line["step"], line["loss"],
             line["masked_lm"]) for line in found] == [
        ("train", "first", 0, 2, 1.5, 3.0), ("train", "first", 0, 4, 3.5, 7.0),
        ("train", "first", 0, 5, 5.0, 10.0), ("validation", "first", 0, 5, 0.5, 0.25),
        ("train", "second", 1, 2, 1.5, 3.0), ("train", "second", 1, 4, 3.5, 7.0),
        ("validation", "second", 1, 4, 0.75, 0.5)]
    assert [line.get("tokens") for line in found] == [20.0, 20.0, 10.0, None, 20.0, 20.0, None]
    assert [line.get("gradient_norm") for line in found] == [
        4.5, 10.5, 15.0, None, 4.5, 10.5, None]
    assert all(line["tokens_per_second"] > 0 for line in found if line["split"] == "train")


def test_each_loss_of_a_line_counts_its_own_places(tmp_path):
    """A step of single sentences has no pair; its next-sentence loss of 0 is none."""
    stage = Stage(name="mixed", steps=3, losses={"masked_lm": 1.0, "next_sentence": 2.0},
                  rates={"mlm": 1.0}, learning_rate=1.0, batch_size=2)
    reporting = Reporting(tmp_path, (stage,), 2)
    reporting.start(Position(0, 0))
    with reporting:
        for step, masked_lm, predictions, next_sentence, pairs in (
                (1, 4.0, 10, 0.75, 2), (2, 1.0, 30, 0.0, 0), (3, 5.0, 10, 0.0, 0)):
            reporting.stepped(Position(0, step), {
                "masked_lm": masked_lm, "next_sentence": next_sentence, "loss": 99.0,
                "gradient_norm": 1.0, "tokens": 10.0, "places/predictions": predictions,
                "places/pairs": pairs})
    mixed, single = lines(tmp_path)
    assert (mixed["masked_lm"], mixed["next_sentence"], mixed["loss"]) == (1.75, 0.75, 3.25)
    assert (single["masked_lm"], single["loss"]) == (5.0, 5.0)
    assert "next_sentence" not in single


def test_tokens_per_second_are_those_of_the_time_between_lines(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    with reported(tmp_path) as reporting:
        for step in (1, 2, 3, 4):
            now[0] += step
            steps(reporting, 0, [step])
    assert [line["tokens_per_second"] for line in lines(tmp_path)] == [20 / 3, 20 / 7]


def test_lines_without_a_terminal_are_whole_and_few(whole, capfd):
    capfd.readouterr()
    with reported(whole) as reporting:
        steps(reporting, 0, range(1, 6))
        reporting.validated(0, {f"a_loss_of_a_long_name_{index}": 0.5 for index in range(6)})
    out, err = capfd.readouterr()
    assert out == ""
    first, second, third, validation = err.splitlines()
    assert re.fullmatch(r"first 2/5: loss 1\.5, [\d,]+ tokens/s", first)
    assert third.startswith("first 5/5: loss 5,")
    assert validation.startswith("first: a_loss_of_a_long_name_0 0.5, ")
    assert validation.endswith("a_loss_of_a_long_name_5 0.5 (validation)")


def test_a_terminal_has_a_bar_with_steps_time_left_and_tokens_per_second(
        tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    with reported(tmp_path) as reporting:
        steps(reporting, 0, range(1, 5))
    shown = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", capfd.readouterr().err)
    last = re.split(r"[\r\n]+", shown.strip())[-1]
    assert re.search(r"first .* 4/9 steps .*\d:\d\d:\d\d.* loss 3\.5, [\d,]+ tokens/s", last)


@pytest.mark.parametrize(("position", "kept"), [
    (Position(0, 0), 0), (Position(0, 3), 1), (Position(0, 4), 2), (Position(0, 5), 4),
    (Position(1, 0), 4), (Position(1, 2), 5), (Position(2, 0), 7)])
def test_lines_of_steps_that_are_run_again_are_forgotten(whole, capfd, position, kept):
    before = lines(whole)
    with reported(whole, position):
        pass
    assert lines(whole) == before[:kept]
    said = capfd.readouterr().err
    assert ("continuing at stage" in said) == (Position(0, 0) < position < Position(2, 0))


@pytest.mark.parametrize("rest", ['{"split": "train", "stage": "second", "stage_in',
                                  '{"split": "train"}\n', "\0\0\0\0", "3\n"])
def test_what_a_killed_process_left_of_a_line_is_removed(whole, rest):
    before = lines(whole)
    with open(whole / "metrics.jsonl", "a") as file:
        file.write(rest)
    with reported(whole, Position(2, 0)):
        pass
    assert lines(whole) == before


def test_flushed_steps_are_not_in_the_next_line(tmp_path):
    with reported(tmp_path, every=4) as reporting:
        steps(reporting, 0, [1, 2, 3])
        reporting.flush(Position(0, 3))
        reporting.flush(Position(0, 3))
        steps(reporting, 0, [4])
    assert [(line["step"], line["loss"], line["tokens"]) for line in lines(tmp_path)] == [
        (3, 2.0, 30.0), (4, 4.0, 10.0)]


def test_tensorboard_has_the_same_numbers_over_all_stages(whole):
    found = {}
    (path,) = (whole / "logs").iterdir()
    for event in tf.compat.v1.train.summary_iterator(str(path)):
        for value in event.summary.value:
            found.setdefault(value.tag, []).append(
                (event.step, float(tf.make_ndarray(value.tensor))))
    assert found["train/loss"] == [(2, 1.5), (4, 3.5), (5, 5.0), (7, 1.5), (9, 3.5)]
    assert found["validation/masked_lm"] == [(5, 0.25), (9, 0.5)]
    assert {"train/tokens_per_second", "train/masked_lm", "train/tokens"} <= found.keys()


def test_a_worker_that_does_not_speak_writes_and_says_nothing(tmp_path, capfd):
    reporting = Reporting(tmp_path, STAGES, 1, speaks=False)
    reporting.start(Position(0, 2))
    with reporting:
        steps(reporting, 0, [3, 4, 5])
        reporting.flush(Position(0, 5))
        reporting.validated(0, {"loss": 1.0})
        reporting.say("something")
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")


def test_a_full_disk_is_said_in_a_sentence(tmp_path):
    with reported(tmp_path) as reporting, room_in_a_file(10), \
            pytest.raises(InputError, match=r"cannot write \S*metrics.jsonl: File too large; "
                                            "run .* last checkpoint$"):
        steps(reporting, 0, [1, 2])


class _Watch:
    """In the place of a Heartbeat: what it would say, whenever it is asked."""

    def __init__(self, message, say):
        self.still = message

    def spoke(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def test_without_a_terminal_it_says_what_is_being_waited_for(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr("mobilebert_tf.training.reporting.Heartbeat", _Watch)
    with reported(tmp_path) as reporting:
        assert reporting._heartbeat.still(21.0) is None
        reporting.building(0, "building the graph of the first step (once a stage)")
        assert capfd.readouterr().err == (
            "first: building the graph of the first step (once a stage) ...\n")
        assert reporting._heartbeat.still(42.4) == (
            "first: building the graph of the first step (once a stage): running for 42 s")
        steps(reporting, 0, [1])
        assert reporting._heartbeat.still(61.0) == "first 1/5: running for 61 s"


def test_a_worker_that_does_not_report_says_nothing_of_it(tmp_path, capfd):
    with Reporting(tmp_path, STAGES, 2, speaks=False) as reporting:
        reporting.building(0, "building")
    assert capfd.readouterr().err == ""
