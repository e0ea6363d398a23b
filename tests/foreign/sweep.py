"""Wrong values at every place of a JSON file, and damage to the bytes of any file."""

import copy
import itertools
import json
import time
from collections.abc import Callable, Iterator

import numpy as np

from mobilebert_tf.errors import InputError

DEEP = 1000
HALF_PAIR = "\ud83d"
# Of every type, and of no sensible range. A list is spelled out where Python cannot nest so deep.
WRONG = (True, -1, 0, 10**9, 2**31, 10**12, 10**30, 1e30, -1.5, "", "x", "\x1b[31m", HALF_PAIR,
         [], [None], [1], [[]], [HALF_PAIR], {}, {"a": 1}, {"0": HALF_PAIR}, {"0": [None]})
_DEEP_MARK = "deep-list-here"
# What a stranger's file may cost, in seconds of CPU and in memory.
MOST_SECONDS, MOST_BYTES = 20, 1 << 30


def places(value, path=()) -> Iterator[tuple]:
    """The paths of all values of a JSON value; of a list the first two members.

    Of an object with 30 members or more, such as one a tensor, the first three.
    """
    yield path
    if isinstance(value, dict):
        for key, inner in itertools.islice(value.items(), 3 if len(value) >= 30 else None):
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value[:2]):
            yield from places(inner, (*path, index))


def replaced(value, path, wrong):
    """A copy of the JSON value with another one at the path."""
    if not path:
        return wrong
    changed = copy.deepcopy(value)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = wrong
    return changed


def wrong_texts(value) -> Iterator[tuple[tuple, str, bytes]]:
    """(path, what is wrong, JSON) of every place of a JSON value with every wrong value."""
    for path in places(value):
        for wrong in (*WRONG, _DEEP_MARK):
            name = f"{'.'.join(map(str, path)) or 'all'} = {str(wrong)[:20]!r}"
            yield path, name, text(replaced(value, path, wrong))
    more = {**value, "unknown": _DEEP_MARK} if isinstance(value, dict) else [*value, _DEEP_MARK]
    yield (), "an unknown field nested deeply", text(more)


def missing_texts(value) -> Iterator[tuple[str, bytes]]:
    """(what is wrong, JSON) with every value of an object left out, and with null for it."""
    for path in places(value):
        yield f"{path} is null", text(replaced(value, path, None))
        if path and isinstance(path[-1], str):
            changed = copy.deepcopy(value)
            inner = changed
            for key in path[:-1]:
                inner = inner[key]
            del inner[path[-1]]
            yield f"{path} is left out", text(changed)


def text(value) -> bytes:
    deep = "[" * DEEP + "]" * DEEP
    return json.dumps(value).replace(f'"{_DEEP_MARK}"', deep).encode()


def random_texts(value, count: int, random: np.random.Generator
                 ) -> Iterator[tuple[list[tuple], str, bytes]]:
    """(paths, what is wrong, JSON) with one to three wrong values at random places."""
    every = list(places(value))
    for _ in range(count):
        changed, paths, names = value, [], []
        for _ in range(random.integers(1, 4)):
            path = every[random.integers(len(every))]
            wrong = WRONG[random.integers(len(WRONG))]
            try:
                changed = replaced(changed, path, wrong)
            except (TypeError, LookupError, AttributeError):
                continue  # an outer value has gone
            paths.append(path)
            names.append(f"{'.'.join(map(str, path)) or 'all'} = {str(wrong)[:20]!r}")
        yield paths, "; ".join(names), text(changed)


def damaged(content: bytes, count: int, random: np.random.Generator, first: int = 0,
            last: int | None = None) -> Iterator[tuple[str, bytes]]:
    """(what is wrong, bytes): a byte changed within a range, cut short, or with a stretch lost."""
    last = len(content) if last is None else last
    for number in range(count):
        place, kind = int(random.integers(first, last)), number % 8
        if kind == 6:
            yield f"cut at {place}", content[:place]
        elif kind == 7:
            size = int(random.integers(1, 64))
            yield f"{size} bytes lost at {place}", content[:place] + content[place + size:]
        else:
            changed = bytearray(content)
            changed[place] ^= int(random.integers(1, 256))
            yield f"byte {place} is {changed[place]}", bytes(changed)


class Tally:
    """Tries files and counts how each ended; anything but a sentence or the same answer fails.

    Args:
      answer: what is read from the file that was written last, as something comparable.
    """

    def __init__(self, answer: Callable[[], object]):
        self._answer, self._right = answer, answer()
        self.counts = {"refused": 0, "same": 0, "other": 0}

    def try_one(self, name: str, may_differ: bool = False,
                says: Callable[[], object] | None = None) -> None:
        """Read the file.

        Args:
          name: what is wrong with it.
          may_differ: whether what it says now has a meaning of its own.
          says: gives the answer that it must have, if it is read.
        """
        started, before = time.process_time(), _reset_peak()
        try:
            found = self._answer()
        except InputError as error:
            sentence, outcome = str(error), "refused"
            assert sentence, name
            assert "\n" not in sentence, f"{name}: {sentence!r}"
        except Exception as error:
            raise AssertionError(f"{name}: {error!r}") from error
        else:
            outcome = "same" if found == self._right else "other"
            if says is not None:
                assert found == says(), f"{name}: not what the file says, {found}"
            else:
                assert outcome == "same" or may_differ, f"{name}: another answer, {found}"
        self.counts[outcome] += 1
        assert time.process_time() - started < MOST_SECONDS, name
        assert _memory("VmHWM") - before < MOST_BYTES, name


def _reset_peak():
    """Make the present memory the peak, so that earlier tests hide nothing; return it in bytes."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return _memory("VmRSS")


def _memory(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))
