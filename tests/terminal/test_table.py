"""Tables fit their terminal, whole."""

import io

import pytest
from rich.console import Console

from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.table import Table

# As of `mobilebert benchmark`.
BENCHMARK = Table(
    "4 threads, 50 runs in turn; ratio: times as fast as bert_base",
    (Column("model", words=True), Column("recipe", words=True), Column("len", rank=1),
     Column("median ms"), Column("p95 ms", rank=3), Column("ratio"), Column("file MB"),
     Column("peak MB", rank=2), Column("paper, Pixel 4", rank=4)),
    [("mobilebert", "dynamic_int8", "128", "1056.41", "1102.32", "12.31x", "26.7", "144", "5.5x"),
     ("bert_base", "dynamic_int8", "128", "13456.41", "13502.32", "1.00x", "110.5", "364", "1.0x")])


def printed(table, width):
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    console.print(table)
    return console.file.getvalue()


def cells(text):
    return {word for line in text.splitlines() for word in line.split()}


@pytest.mark.parametrize(("width", "left"), [
    (100_000, ()), (90, ()), (80, ("paper, Pixel 4",)), (70, ("p95 ms", "paper, Pixel 4")),
    (60, ("p95 ms", "peak MB", "paper, Pixel 4")),
    (46, ("len", "p95 ms", "peak MB", "paper, Pixel 4"))])
def test_the_least_important_columns_leave_and_no_cell_is_cut(width, left):
    text = printed(BENCHMARK, width)
    assert "…" not in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    for row in BENCHMARK.rows:
        for column, cell in zip(BENCHMARK.columns, row, strict=True):
            if column.heading not in left and not column.words:
                assert cell in cells(text), (column, cell)
    for column in BENCHMARK.columns:
        if column.heading not in left:
            assert set(column.heading.split()) <= cells(text)
    assert ("Too wide" in text) == bool(left)
    if left:
        told = " ".join(text[text.index("Too wide"):].split())
        assert told == f"Too wide for this terminal: {', '.join(left)}; --json FILE has all."


def test_words_break_before_they_are_cut():
    path = "runs/a_directory_of_a_long_name/and_a_file_of_an_even_longer_one.tflite"
    text = printed(Table("", (Column("file", words=True), Column("median ms")),
                         [(path, "12.34")]), 50)
    assert "…" not in text
    assert "12.34" in text
    assert path in "".join(line.replace("12.34", "").strip() for line in text.splitlines())


def test_markup_and_emoji_are_shown_as_they_are():
    assert "[red]:b:" in printed(Table("[b]", (Column("[i]", words=True),), [("[red]:b:",)]), 80)


def test_a_cell_of_a_markdown_table_may_have_a_bar_in_it():
    table = Table("t", (Column("model", words=True), Column("ms")), [("a|b.tflite", "1")])
    assert table.markdown().splitlines()[-1] == r"| a\|b.tflite | 1 |"
