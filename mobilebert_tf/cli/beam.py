"""What the commands share that are Apache Beam jobs."""

import contextlib
from collections.abc import Iterator, Sequence

from mobilebert_tf.cli import output, startup
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.console import SafeConsole
from mobilebert_tf.terminal.progress import Progress
from mobilebert_tf.terminal.stderr import kept_aside


@contextlib.contextmanager
def progress(unit: str, flags: Sequence[str]) -> Iterator[Progress]:
    """Show the progress of a job; without `flags`, keep the messages of local workers aside.

    They would break the bar; those of other runners are shown.
    """
    with contextlib.ExitStack() as stack:
        if flags:
            stack.enter_context(startup.system_temporary_directory())
        console = output.progress if flags else SafeConsole(
            file=stack.enter_context(kept_aside(InputError)))
        yield stack.enter_context(Progress("starting", None, unit, console=console))
