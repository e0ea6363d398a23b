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


def test_columns_without_a_header_line_are_the_tasks(write):
    # The last line of the official files has no newline; a starred row is an unacceptable one.
    path = write('gj04\t1\t\tSay "when\ngj04\t0\t*\tThey drank the pub.\r\nr-67\t1\t\tGo')
    assert glue.read(path, glue.task("cola")) == glue.LabelledTexts(
        ('Say "when', "They drank the pub.", "Go"), (1, 0, 1))


@pytest.mark.parametrize(("content", "message"), [
    ("gj04\t1\t\tGo\ngj04\t1\tGo\n",
     r"train.tsv, line 2 has 3 columns, there should be 4: source, label, star, sentence"),
    ("sentence\tlabel\nGo\t1\n", r"train.tsv, line 1 has 2 columns, there should be 4"),
    ("source\tlabel\tstar\tsentence\ngj04\t1\t\tGo\n",
     r"train.tsv, line 1: the label 'label' is not one of 0, 1"),
    ("gj04\t1\t\tGo\ngj04\t*\t\tGo\n", r"train.tsv, line 2: the label '\*' is not one of"),
    ("gj04\t1\t\tGo\n\ngj04\t1\t\tGo\n", r"line 2 has 1 columns"),
    ("", r"train.tsv has no rows"),
    ("\n\n", r"train.tsv has no rows"),
    (b"gj04\t1\t\tGo\ngj04\t1\t\t\xff\n", r"train.tsv, line 2 is not UTF-8"),
])
def test_bad_rows_without_a_header_line_are_named_too(write, content, message):
    with pytest.raises(InputError, match=message):
        glue.read(write(content), glue.task("cola"))


def test_a_missing_file_and_an_unknown_task_are_named(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*none.tsv: No such file"):
        glue.read(tmp_path / "none.tsv", glue.task("sst2"))
    with pytest.raises(InputError, match=r"unknown task 'sst3'; known are sst2, cola"):
        glue.task("sst3")


@pytest.mark.parametrize(("name", "folder", "train_rows", "dev_rows", "dev_positive"), [
    ("sst2", "SST-2", 67_349, 872, 444),
    ("cola", "CoLA", 8_551, 1_043, 721),
])
def test_official_files_have_glues_numbers_of_rows(
        shared_data, name, folder, train_rows, dev_rows, dev_positive):
    task = glue.task(name)
    train, dev = (glue.read(shared_data / "glue" / folder / file, task)
                  for file in (task.train_file, task.dev_file))
    assert (len(train.texts), len(dev.texts)) == (train_rows, dev_rows)
    assert sum(dev.labels) == dev_positive
    assert all(dev.texts)
