"""Turns: steps that are compared take them, so that a machine that slows down slows all alike."""

from collections.abc import Callable, Mapping

WARM_UP, A_TURN = 2, 2


def interleaved(steps: Mapping[str, Callable[[], float]], rounds: int,
                on_round: Callable[[int, int], None] = lambda done, of: None
                ) -> dict[str, list[float]]:
    """Does steps of each, round by round, one at a time; returns the seconds of those that count.

    The first of a turn does not count: the others have emptied the caches.

    Args:
      steps: name -> a function that does one step and returns its seconds.
      rounds: turns of each.
      on_round: is told the rounds done, and of how many; after the warm-up too.
    """
    for step in steps.values():
        for _ in range(WARM_UP):
            step()
    seconds = {name: [] for name in steps}
    on_round(0, rounds)
    for done in range(1, rounds + 1):
        for name, step in steps.items():
            step()
            seconds[name] += [step() for _ in range(A_TURN)]
        on_round(done, rounds)
    return seconds
