"""ExportReport: what was exported, and how near it is to the Keras model."""

import dataclasses

from mobilebert_tf.export.file.output_report import OutputReport


@dataclasses.dataclass(frozen=True, kw_only=True)
class ExportReport:
    """What was exported, and how near it is to the Keras model.

    Args:
      kind: what the model does, as in its model.json.
      recipe: name of the recipe.
      lengths: tokens of its inputs, ascending.
      bytes: size of the file, with its metadata.
      outputs: `OutputReport` by output name.
      xnnpack_partitions: partitions of the longest length's graph that the CPU delegate runs; 1 is
        best.
      nodes: number of operations in that graph.
      runtime: the oldest version of TensorFlow Lite known to run the file. 2.20.0 stands for LiteRT
        1.4, which came out with it; LiteRT 2 is newer than all of them.
      versions: of the packages that made and checked it.
    """

    kind: str
    recipe: str
    lengths: tuple[int, ...]
    bytes: int
    outputs: dict[str, OutputReport]
    xnnpack_partitions: int
    nodes: int
    runtime: str
    versions: dict[str, str]

    @property
    def max_difference(self) -> float:
        return max(output.max_difference for output in self.outputs.values())

    @property
    def max_relative_difference(self) -> float:
        return max(output.max_relative_difference for output in self.outputs.values())

    def to_dict(self) -> dict:
        return {**dataclasses.asdict(self), "max_difference": self.max_difference,
                "max_relative_difference": self.max_relative_difference}
