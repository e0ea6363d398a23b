"""The formats of shards, read by what we did not write."""

import json

import numpy as np
import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch import formats

from ...needed import needed

ROWS = [{"id": "a:1", "text": "é\u2028\n", "classes": [{"label": "x", "probability": 0.1}]},
        {"id": "a:2", "text": "", "second_text": "s", "classes": []}]
VECTORS = np.array([[0.1, -2.0, 3.0], [4.0, 5.0, 1e-8]], np.float32)


@pytest.mark.parametrize("name", list(formats.FORMATS))
@pytest.mark.parametrize("vectors", [VECTORS, None])
def test_a_shard_gives_back_what_was_written(name, vectors, tmp_path):
    form = formats.of(name)
    paths = form.write(tmp_path / "part-1", ROWS, vectors)
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    assert form.rows(tmp_path / "part-1") == ROWS
    if vectors is not None:
        found = form.vectors(tmp_path / "part-1")
        assert found.dtype == np.float32
        assert np.array_equal(found, vectors)


def test_json_lines_are_what_json_and_numpy_read(tmp_path):
    formats.of("jsonl").write(tmp_path / "part-1", ROWS, VECTORS)
    lines = (tmp_path / "part-1.jsonl").read_bytes().split(b"\n")
    assert [json.loads(line) for line in lines[:-1]] == ROWS
    assert lines[-1] == b""
    assert np.array_equal(np.load(tmp_path / "part-1.npy"), VECTORS)
    assert isinstance(formats.of("jsonl").vectors(tmp_path / "part-1"), np.memmap)


def test_parquet_is_what_pyarrow_reads(tmp_path):
    pq = needed("pyarrow.parquet")
    formats.of("parquet").write(tmp_path / "part-1", ROWS, VECTORS)
    table = pq.read_table(tmp_path / "part-1.parquet")
    assert table.column("id").to_pylist() == ["a:1", "a:2"]
    assert table.column("second_text").to_pylist() == [None, "s"]
    assert json.loads(table.column("prediction")[0].as_py()) == {"classes": ROWS[0]["classes"]}
    assert str(table.schema.field("vector").type) == "fixed_size_list<element: float>[3]"
    assert np.array_equal(np.array(table.column("vector").to_pylist(), np.float32), VECTORS)


def test_a_shard_without_a_column_is_refused(tmp_path):
    pq = needed("pyarrow.parquet")
    form = formats.of("parquet")
    form.write(tmp_path / "part-1", ROWS, None)
    with pytest.raises(InputError, match="part-1.parquet has no column vector; make it again"):
        form.vectors(tmp_path / "part-1")
    whole = pq.read_table(tmp_path / "part-1.parquet")
    pq.write_table(whole.drop_columns(["text"]), tmp_path / "part-1.parquet")
    with pytest.raises(InputError, match="part-1.parquet has no column text; make it again"):
        form.rows(tmp_path / "part-1")


@pytest.mark.parametrize(("column", "values", "message"), [
    ("prediction", [None, "{}"], "a row without JSON in the column prediction; make it again"),
    ("prediction", ["{}", "no"], "is not JSON"), ("prediction", ["[1]", "{}"], "xpected object"),
    ("vector", ["a", "b"], "a column vector of string, not of one vector of floats for each row"),
    ("vector", [[1.0], [1.0, 2.0]], "a column vector of list<"),
])
def test_a_column_of_something_else_is_refused(column, values, message, tmp_path):
    pq, pa = needed("pyarrow.parquet"), needed("pyarrow")
    form = formats.of("parquet")
    (file,) = form.write(tmp_path / "part-1", ROWS, VECTORS)
    whole = pq.read_table(file).drop_columns([column])
    pq.write_table(whole.append_column(column, pa.array(values)), file)
    with pytest.raises(InputError, match=f"part-1.parquet.*{message}"):
        (form.vectors if column == "vector" else form.rows)(tmp_path / "part-1")


def test_an_unknown_format_is_an_error():
    with pytest.raises(InputError, match="jsonl or parquet. Received: 'csv'"):
        formats.of("csv")
