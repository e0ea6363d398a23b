"""Plan: what a comparison measures and how, checked before anything is exported."""

import dataclasses
from pathlib import Path

from mobilebert_tf import presets
from mobilebert_tf.errors import InputError
from mobilebert_tf.export import recipes
from mobilebert_tf.export.benchmark import onnx_model, peers

DEFAULT_BASELINE = "bert_base"
TASKS = ("classification", "encoding")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan:
    """What is measured, and how.

    Args:
      presets, recipes, lengths: every combination is exported with random weights.
      task: classification or encoding: what they are exported for.
      files: paths of .tflite and .onnx files to measure with them, anybody's. One with several
        lengths is measured at those of `lengths` that it has, at its longest where that is none.
      with_peers: whether other exporters' MobileBERT is made and measured, at each length.
      threads: of the CPU kernels.
      runs: timed runs of each.
      baseline: the name that ratios refer to; None for BERT-base or, where that is not measured,
        the first.
      command: what makes the numbers again.

    Raises:
      InputError: for a name that is unknown, a file that is not there or cannot be measured,
        nothing to measure.
    """

    presets: tuple[str, ...] = ()
    recipes: tuple[str, ...] = ("dynamic_int8",)
    lengths: tuple[int, ...] = (128,)
    task: str = TASKS[0]
    files: tuple[Path, ...] = ()
    with_peers: bool = False
    threads: int
    runs: int = 50
    baseline: str | None = None
    command: str

    def __post_init__(self):
        for name in self.recipes:
            recipes.get(name)
        for name in self.presets:
            positions = presets.get(name).max_positions
            if not all(0 < length <= positions for length in self.lengths):
                raise InputError(f"{name} takes lengths up to {positions}. Received: "
                                 f"{', '.join(map(str, self.lengths))}")
        if self.task not in TASKS:
            raise InputError(f"unknown task {self.task!r}; a benchmark knows {', '.join(TASKS)}")
        if (self.presets and not (self.recipes and self.lengths)
                or not self.presets and not self.files and not self.with_peers):
            raise InputError("nothing to benchmark: name presets with recipes and lengths, or "
                             "files")
        for file in self.files:
            if not Path(file).is_file():
                raise InputError(f"there is no file {file}")
            if Path(file).suffix == ".onnx":
                onnx_model.check_installed(file)
        names = [*self.presets, *(Path(file).stem for file in self.files),
                 *(peer.name for peer in peers.PEERS
                   if self.with_peers and peer.missing() is None)]
        if self.baseline is not None and self.baseline not in names:
            raise InputError(f"the baseline {self.baseline!r} is not measured; it should be one "
                             f"of {', '.join(names)}")
