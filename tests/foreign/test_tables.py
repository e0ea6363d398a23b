"""Tables with a byte changed, cut short, or with a stretch lost: other rows, or a sentence."""

import numpy as np
import pytest

from mobilebert_tf.data.datasets import conll as tagging
from mobilebert_tf.data.datasets import glue, tables
from mobilebert_tf.data.datasets.columns import Columns

from . import sweep

COLUMNS = Columns("text", "label")
ROWS = [("a quiet film", "1"), ("it \"drags\", mostly", "0"), ("caf\u00e9, twice", "1")] * 4
FILES = {
    "dev.tsv": ("sentence\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in ROWS),
                lambda path: glue.read(path, glue.task("sst2"))),
    "cola.tsv": ("".join(f"gj04\t{label}\t\t{text}\n" for text, label in ROWS),
                 lambda path: glue.read(path, glue.task("cola"))),
    "own.tsv": ("text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in ROWS),
                lambda path: tables.read(path, COLUMNS, ("0", "1"))),
    "own.csv": ("text,label\n" + "".join('"{}",{}\n'.format(text.replace('"', '""'), label)
                                         for text, label in ROWS),
                lambda path: tables.read(path, COLUMNS, None)),
    "words.bio": ("Ann\tB-PER\nSmith\tI-PER\nwent\tO\n\nto\tO\nOslo\tB-LOC\n\n" * 3,
                  lambda path: tagging.read(path)),
}


def damage(name, count, seed, tmp_path, record_property):
    text, read = FILES[name]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    tally = sweep.Tally(lambda: read(path))
    for what, content in sweep.damaged(text.encode(), count, np.random.default_rng(seed)):
        path.write_bytes(content)
        tally.try_one(what, may_differ=True)
    record_property("outcomes", str(tally.counts))
    assert min(tally.counts["refused"], tally.counts["other"]) > count // 20


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_table_is_read_or_refused(name, tmp_path, record_property):
    damage(name, 200, 1, tmp_path, record_property)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_many_damaged_tables_are_read_or_refused(name, tmp_path, record_property):
    damage(name, 5000, 2, tmp_path, record_property)
