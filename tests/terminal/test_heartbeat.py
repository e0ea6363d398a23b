"""Long work says a line at least every 30 seconds."""

import io

import pytest
from rich.console import Console

from mobilebert_tf.terminal import progress as progress_module
from mobilebert_tf.terminal import waiting as waiting_module
from mobilebert_tf.terminal.heartbeat import Heartbeat
from mobilebert_tf.terminal.progress import Progress, track
from mobilebert_tf.terminal.waiting import waiting


class Time:
    """A clock, and an event that ends at a second; `during` is called whenever time passes."""

    def __init__(self, end, during=lambda now: None):
        self.now, self._end, self._during = 0.0, end, during

    def clock(self):
        return self.now

    def wait(self, seconds):
        self.now += seconds
        self._during(self.now)
        return self.now >= self._end

    def set(self):
        pass


def test_a_line_at_least_every_30_seconds():
    time = Time(100)
    said = []
    with Heartbeat(lambda seconds: f"{seconds:.0f} s", lambda line: said.append((time.now, line)),
                   time.clock, time) as beat:
        beat._thread.join()
    assert said == [(second, f"{second} s") for second in (20, 40, 60, 80)]


def test_no_line_where_one_was_just_said():
    said = []
    beat = None
    time = Time(95, lambda now: beat.spoke() if now < 45 else None)
    beat = Heartbeat(lambda seconds: "still there", lambda line: said.append(time.now), time.clock,
                     time)
    with beat:
        beat._thread.join()
    assert said == [60, 80]


class _Once:
    """In the place of a Heartbeat: says its line at the end, as after 31 seconds."""

    def __init__(self, message, say):
        self._message, self._say = message, say

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._say(self._message(31.4))


@pytest.fixture
def pipe(monkeypatch):
    for module in (progress_module, waiting_module):
        monkeypatch.setattr(module, "Heartbeat", _Once)
    return Console(file=io.StringIO(), width=1000)


def test_waiting_says_for_what_at_once_and_how_long_later(pipe):
    with waiting("Building [mobilebert]", pipe):
        assert pipe.file.getvalue() == "Building [mobilebert] ...\n"
    assert pipe.file.getvalue().splitlines()[1:] == ["Building [mobilebert]: 31 s so far"]


def test_progress_says_how_many_are_done(pipe):
    with Progress("Epoch 1", 1234, "steps", console=pipe) as progress:
        progress.update(1010)
    assert pipe.file.getvalue() == "Epoch 1: 1,010 of 1,234 steps, 31 s\n"


def test_progress_says_what_comes_before_the_first(pipe):
    with Progress("Epoch 1", 5, "steps", "building the graph", console=pipe):
        pass
    assert pipe.file.getvalue() == "Epoch 1, building the graph: 0 of 5 steps, 31 s\n"


def test_progress_says_no_number_until_the_total_is_known(pipe):
    with Progress("starting", None, "MB", console=pipe) as progress:
        assert progress.line(20) == "starting: 20 s"
        progress.update(3, "1 of 4 parts", 12)
    assert pipe.file.getvalue() == "1 of 4 parts: 3 of 12 MB, 31 s\n"


def test_on_a_terminal_there_is_a_bar(monkeypatch):
    console = Console(file=io.StringIO(), width=80, force_terminal=True)
    with Progress("Epoch [1]", 5, console=console) as progress:
        progress.update(5)
    assert "Epoch [1]" in console.file.getvalue()
    assert "5/5" in console.file.getvalue()
    with Progress("Corpus", None, console=console) as progress:
        progress.update(3, total=7)
    assert "3/7" in console.file.getvalue()


def test_track_gives_all_and_ends_its_thread_after_an_error(pipe, monkeypatch):
    monkeypatch.setattr(progress_module, "new_console", lambda stderr: pipe)
    assert list(track([3, 4], "Dev set")) == [3, 4]
    assert pipe.file.getvalue() == "Dev set: 2 of 2 batches, 31 s\n"
    left = track([3, 4], "Test set")
    next(left)
    left.close()
    assert pipe.file.getvalue().endswith("Test set: 0 of 2 batches, 31 s\n")
