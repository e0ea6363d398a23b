"""Turns: steps that are compared take turns, so that a change of the machine affects all alike."""

from collections.abc import Callable, Mapping

WARM_UP, A_TURN = 2, 2


def interleaved(steps: Mapping[str, Callable[[], float]], rounds: int,
                on_round: Callable[[int, int], None] = lambda done, of: None
                ) -> dict[str, list[float]]:
    """Do a few steps of each in turn, round by round; return the seconds of those that count.

    The first step of a turn does not count: the other steps have emptied the caches.

    Args:
      steps: name -> a function that does one step and returns its seconds.
      rounds: turns of each step.
      on_round: called with (rounds that are done, all rounds) after the warm-up and each round.
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
