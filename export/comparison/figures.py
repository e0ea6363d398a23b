"""Figures: what one published table says about one system."""

import dataclasses

from mobilebert_tf.export.comparison.published_table import PublishedTable


@dataclasses.dataclass(frozen=True, kw_only=True)
class Figures:
    """A row of a published table. None, or a task that is absent, is a dash in the table.

    Args:
      system: the name in `systems.SYSTEMS`.
      source: the table.
      scores: task -> points, 0 to 100: F1 for `mrpc` and `qqp`, Spearman for `stsb`, Matthews for
        `cola`, accuracy for the others of GLUE's test set. `mnli_m` and `mnli_mm` are apart. Tables
        of dev sets have the metric that their source takes.
      other_scores: task -> points that only the leaderboard's average takes: accuracy for `mrpc`
        and `qqp`, Pearson for `stsb`, and `wnli` if it is no column of the table.
      average: as printed.
      parameters, flops: as printed.
      speed: as printed, in the unit of the source.
      footnotes: names in `footnotes.FOOTNOTES`.
      is_wrong: whether a footnote says that the row is of another system or out of date. Such a
        row is shown, and used for nothing else.
    """

    system: str
    source: PublishedTable
    scores: dict[str, float]
    other_scores: dict[str, float] = dataclasses.field(default_factory=dict)
    average: float | None = None
    parameters: float | None = None
    flops: float | None = None
    speed: str = ""
    footnotes: tuple[str, ...] = ()
    is_wrong: bool = False
