"""Score tables: the published tables, one for each source, with the averages told apart."""

import dataclasses
from collections.abc import Collection

from mobilebert_tf.export.comparison.averages import AVERAGES
from mobilebert_tf.export.comparison.figures import Figures
from mobilebert_tf.export.comparison.published import PUBLISHED
from mobilebert_tf.export.comparison.published_table import PublishedTable
from mobilebert_tf.export.comparison.systems import SYSTEMS
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.table import Table

# GLUE's test tables of all sources have these columns, so their mean is one scale.
COMMON = "plain_nine"
_HEADINGS = {
    "cola": "CoLA", "sst2": "SST-2", "mrpc": "MRPC", "stsb": "STS-B", "qqp": "QQP",
    "mnli_m": "MNLI-m", "mnli_mm": "MNLI-mm", "qnli": "QNLI", "rte": "RTE", "wnli": "WNLI",
    "squad1_em": "SQuAD v1.1 EM", "squad1_f1": "SQuAD v1.1 F1", "squad2_em": "SQuAD v2.0 EM",
    "squad2_f1": "SQuAD v2.0 F1"}


@dataclasses.dataclass(frozen=True)
class ScoreTable:
    """A published table, and a sentence on what its numbers are."""

    table: Table
    note: str


def published(systems: Collection[str]) -> tuple[Figures, ...]:
    """Return the published rows of these systems, table by table."""
    return tuple(figures for figures in PUBLISHED if figures.system in systems)


def main_figures(system: str) -> Figures | None:
    """Return the published row that a summary takes: the first with a score on the common scale.

    Rows that a footnote corrects do not count. If no row has such a score, it is the first row.
    """
    rows = [one for one in published((system,)) if not one.is_wrong]
    return next((one for one in rows if common_score(one) is not None), rows[0] if rows else None)


def common_score(figures: Figures) -> float | None:
    """Return the plain mean of nine columns of GLUE's test sets; None for other tables."""
    average = AVERAGES[COMMON]
    return average.of(figures) if figures.source.split == average.split else None


def label(system: str, footnotes=(), numbers=()) -> str:
    """Return a system's label with its asterisk and the numbers of its footnotes."""
    marks = "".join(f" [{numbers.index(name) + 1}]" for name in footnotes)
    return SYSTEMS[system].label + "*" * SYSTEMS[system].is_task_specific + marks


def number(value: float | None, unit: float = 1, digits: int = 1) -> str:
    """Return a number in a unit; a dash for None."""
    return "-" if value is None else f"{value / unit:.{digits}f}"


def tables(rows: tuple[Figures, ...], footnotes: list[str]) -> list[ScoreTable]:
    """Return a table for each source of the rows."""
    sources = dict.fromkeys(one.source.name for one in rows)
    return [_table([one for one in rows if one.source.name == name], footnotes)
            for name in sources]


def _table(rows, footnotes):
    source = rows[0].source
    kinds = [source.average] if source.average else []
    if source.split == AVERAGES[COMMON].split and COMMON not in kinds:
        kinds.append(COMMON)
    columns = [
        (Column("system", words=True), [label(one.system, one.footnotes, footnotes)
                                        for one in rows]),
        (Column("parameters, M", rank=1), [number(one.parameters, 1e6) for one in rows]),
        (Column("FLOPs, B", rank=1), [number(one.flops, 1e9) for one in rows]),
        (Column("speed", rank=1), [one.speed or "-" for one in rows]),
        *((Column(_HEADINGS[task]), [number(one.scores.get(task)) for one in rows])
          for task in source.columns),
        (Column("average, printed"), [number(one.average) for one in rows]),
        *((Column(f"{AVERAGES[kind].heading}, computed"),
           [number(AVERAGES[kind].of(one), digits=2) for one in rows]) for kind in kinds)]
    columns = [(column, cells) for column, cells in columns if set(cells) != {"-"}]
    return ScoreTable(Table(source.name, [column for column, _ in columns],
                            list(zip(*(cells for _, cells in columns), strict=True))),
                      _note(source))


def _note(source: PublishedTable):
    sentences = [f"From {source.where}. Scores are of the {source.split} sets."]
    if source.average:
        sentences.append(f"The printed average is {AVERAGES[source.average].description}.")
    if source.speed:
        sentences.append(f"Speed: {source.speed}.")
    return " ".join(sentences)
