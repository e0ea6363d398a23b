"""Bar: a bar of a chart."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Bar:
    """One bar.

    Args:
      group: the label of neighbouring bars.
      series: the entry of the legend, which has a colour.
      value: length of the bar.
      high: end of its whisker.
    """

    group: str
    series: str
    value: float
    high: float
