import pytest

from mobilebert_tf.data import glue
from mobilebert_tf.errors import InputError


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "train.tsv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_reads_texts_and_classes_and_leaves_quotes_alone(write):
    path = write('sentence\tlabel\nit \'s "fine\t1\r\ncaf\u00e9 is closed \t0\n')
    examples = glue.read(path, glue.task("sst2"))
    assert examples == glue.LabelledTexts(('it \'s "fine', "caf\u00e9 is closed "), (1, 0))


def test_columns_are_found_by_name(write):
    path = write("label\tindex\tsentence\n1\t7\tgood\n")
    assert glue.read(path, glue.task("sst2")) == glue.LabelledTexts(("good",), (1,))


@pytest.mark.parametrize(("content", "message"), [
    ("sentence\tlabel\ngood\t1\nbad\n", r"train.tsv, line 3 has 1 columns, the header has 2"),
    ("sentence\tlabel\ngood\tfine\t1\n", r"line 2 has 3 columns"),
    ("sentence\tlabel\n\ngood\t1\n", r"line 2 has 1 columns"),
    ("sentence\tlabel\ngood\t2\n", r"train.tsv, line 2: the label '2' is not one of 0, 1"),
    ("index\tsentence\n0\tgood\n", r"train.tsv, line 1: there is no column 'label'.*'index'"),
    ("sentence\tlabel\n", r"train.tsv has a header and no rows"),
    ("", r"line 1: there is no column 'sentence'"),
    (b"sentence\tlabel\ngood\t1\n\xff\t0\n", r"train.tsv, line 3 is not UTF-8"),
])
def test_bad_rows_are_named_by_file_and_line(write, content, message):
    with pytest.raises(InputError, match=message):
        glue.read(write(content), glue.task("sst2"))


def test_a_missing_file_and_an_unknown_task_are_named(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*none.tsv: No such file"):
        glue.read(tmp_path / "none.tsv", glue.task("sst2"))
    with pytest.raises(InputError, match=r"unknown task 'sst3'; known are sst2"):
        glue.task("sst3")


def test_official_files(shared_data):
    directory = shared_data / "glue" / "SST-2"
    task = glue.task("sst2")
    train, dev = (glue.read(directory / name, task) for name in (task.train_file, task.dev_file))
    # GLUE's own figures for SST-2.
    assert (len(train.texts), len(dev.texts)) == (67349, 872)
    assert sum(dev.labels) == 444
