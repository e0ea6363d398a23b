"""Plan: what a comparison measures and how, checked before anything is exported."""

import dataclasses
from pathlib import Path

from mobilebert_tf import machine, presets
from mobilebert_tf.checks import (
    check_count,
    check_lengths,
    check_path,
    check_several,
    check_threads,
)
from mobilebert_tf.errors import InputError
from mobilebert_tf.export import recipes
from mobilebert_tf.export.benchmark import peers, runtimes
from mobilebert_tf.export.benchmark.file_names import names_of
from mobilebert_tf.export.file.file_lengths import LEAST_LENGTH

DEFAULT_BASELINE = "bert_base"
DEFAULT_PRESETS = ("mobilebert", "bert_base")
KINDS = ("classification", "encoding")


def default_threads() -> int:
    """Return the cores that this process may use, at most 4: as many as a phone's benchmark takes.
    """
    return min(machine.usable_cores(), 4)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan:
    """What is measured, and how.

    Args:
      presets: names of presets, exported with random weights by each of `recipes` at each of
        `lengths`. None for MobileBERT and BERT-base, or for no preset with `files` or peers.
      recipes: names of recipes.
      lengths: sequence lengths. A file that has several is measured at those among `lengths`, or
        at its longest.
      kind: classification, or encoding, which computes the last state of every token.
      files: paths of .tflite and .onnx files of any origin with three integer inputs.
      with_peers: whether to make and measure MobileBERT of other exporters, at each length.
      threads: of the CPU kernels.
      runs: timed runs of each model.
      baseline: name of the model that ratios refer to; None for BERT-base or, if that is not
        measured, the first.
      command: the command that makes the numbers again, if there is one; for the report.

    Raises:
      InputError: for an unknown name, a list of another type, a file that is missing or cannot be
        measured, nothing to measure, and threads or runs that are out of range.
    """

    presets: tuple[str, ...] | None = None
    recipes: tuple[str, ...] = ("dynamic_int8",)
    lengths: tuple[int, ...] = (128,)
    kind: str = KINDS[0]
    files: tuple[Path, ...] = ()
    with_peers: bool = False
    threads: int = dataclasses.field(default_factory=default_threads)
    runs: int = 50
    baseline: str | None = None
    command: str = ""

    def __post_init__(self):
        if self.presets is None:
            others = self.files or self.with_peers
            object.__setattr__(self, "presets", () if others else DEFAULT_PRESETS)
        check_several(presets=self.presets, recipes=self.recipes, files=self.files)
        check_lengths(self.lengths)
        check_threads(self.threads)
        check_count(runs=self.runs)
        # JSON takes no integers of NumPy.
        for name, value in (("lengths", tuple(map(int, self.lengths))),
                            ("threads", int(self.threads)), ("runs", int(self.runs))):
            object.__setattr__(self, name, value)
        for name in self.recipes:
            recipes.get(name)
        for name in self.presets:
            positions = presets.get(name).max_positions
            if not all(LEAST_LENGTH <= length <= positions for length in self.lengths):
                raise InputError(f"{name} takes lengths of {LEAST_LENGTH} to {positions}. "
                                 f"Received: {', '.join(map(str, self.lengths))}")
        if self.kind not in KINDS:
            raise InputError(f"unknown kind {self.kind!r}; a benchmark knows {', '.join(KINDS)}")
        if (self.presets and not (self.recipes and self.lengths)
                or not self.presets and not self.files and not self.with_peers):
            raise InputError("nothing to benchmark: name presets with recipes and lengths, or "
                             "files")
        for file in self.files:
            check_path(file=file)
            if not Path(file).is_file():
                raise InputError(f"there is no file {file}")
            runtimes.of(file)
        names = [*self.presets, *self.file_names, *self._peers]
        if self.baseline is not None and self.baseline not in names:
            raise InputError(f"the baseline {self.baseline!r} is not measured; it should be one "
                             f"of {', '.join(names)}")

    @property
    def file_names(self) -> list[str]:
        """The name of each file; see `names_of`."""
        return names_of(self.files, [*self.presets, *self._peers])

    @property
    def _peers(self):
        return [peer.name for peer in peers.PEERS if self.with_peers and peer.missing() is None]
