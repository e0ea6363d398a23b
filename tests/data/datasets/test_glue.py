import pytest

from mobilebert_tf.data.datasets import glue
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.errors import InputError

SST2, COLA = glue.task("sst2"), glue.task("cola")


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "train.tsv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_reads_texts_and_classes_and_leaves_quotes_alone(write):
    path = write('sentence\tlabel\nit \'s "fine\t1\r\ncaf\u00e9 is\u2028closed \t0\n\n\n')
    examples = glue.read(path, SST2)
    assert examples == LabelledTexts(
        ('it \'s "fine', "caf\u00e9 is\u2028closed "), (1, 0), names=("negative", "positive"))
    assert examples.lines == (2, 3)


def test_columns_are_found_by_name(write):
    path = write("label\tindex\tsentence\n1\t7\tgood\n")
    assert glue.read(path, SST2) == LabelledTexts(("good",), (1,), names=SST2.labels)


@pytest.mark.parametrize(("content", "message"), [
    ("sentence\tlabel\ngood\t1\nbad\n", r"train.tsv, line 3 has 1 columns, the header has 2"),
    ("sentence\tlabel\ngood\tfine\t1\n", r"line 2 has 3 columns"),
    ("sentence\tlabel\n\ngood\t1\n", r"line 2 has 1 columns"),
    ("sentence\tlabel\ngood\t2\n", r"train.tsv, line 2: the label '2' is not one of 0, 1"),
    ("index\tsentence\n0\tgood\n", r"train.tsv, line 1: there is no column 'label'.*'index'"),
    ("sentence\tlabel\n", r"train.tsv has no rows"),
    ("", r"train.tsv is empty"),
    (b"sentence\tlabel\ngood\t1\n\xff\t0\n", r"train.tsv, line 3 is not UTF-8: .* 0xFF"),
    (b"\xff\xfes\0e\0", r"train.tsv, line 1 is not UTF-8: .* 0xFF; save the file as UTF-8"),
    (b"sentence\tlabel\ngo\0od\t1\n", r"train.tsv, line 2 holds a NUL byte"),
])
def test_bad_rows_are_named_by_file_and_line(write, content, message):
    with pytest.raises(InputError, match=message):
        glue.read(write(content), SST2)


def test_columns_without_a_header_line_are_the_tasks(write):
    # The last line of the official files has no newline; a starred row is an unacceptable one.
    path = write('gj04\t1\t\tSay "when\ngj04\t0\t*\tThey drank the pub.\r\nr-67\t1\t\tGo')
    examples = glue.read(path, COLA)
    assert examples == LabelledTexts(
        ('Say "when', "They drank the pub.", "Go"), (1, 0, 1), names=COLA.labels)
    assert examples.lines == (1, 2, 3)


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
        glue.read(write(content), COLA)


def test_a_missing_file_and_an_unknown_task_are_named(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*none.tsv: No such file"):
        glue.read(tmp_path / "none.tsv", SST2)
    with pytest.raises(InputError, match=r"unknown task 'sst3'; known are cola, sst2"):
        glue.task("sst3")


@pytest.mark.parametrize(("name", "content", "expected"), [
    # The official file of the dev set begins with a byte order mark.
    ("mrpc", "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t7\t8\ta\tb\n0\t9\t10\tc\td\n",
     (("a", "c"), (1, 0), ("b", "d"))),
    ("stsb", "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2"
     "\tscore\n0\tg\tf\ty\t0000\tnone\tnone\ta\tb\t3.800\n1\tg\tf\ty\t1\tnone\tnone\tc\td\t0\n",
     (("a", "c"), (3.8, 0.0), ("b", "d"))),
    ("qqp", "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n5\t1\t2\ta\tb\t0\n"
     "6\t3\t4\tc\td\t1\n", (("a", "c"), (0, 1), ("b", "d"))),
    ("qnli", "index\tquestion\tsentence\tlabel\n0\ta\tb\tentailment\n1\tc\td\tnot_entailment\n",
     (("a", "c"), (0, 1), ("b", "d"))),
    ("rte", "index\tsentence1\tsentence2\tlabel\n0\ta\tb\tnot_entailment\n1\tc\td\tentailment\n",
     (("a", "c"), (1, 0), ("b", "d"))),
    ("wnli", "index\tsentence1\tsentence2\tlabel\n0\ta\tb\t0\n1\tc\td\t1\n",
     (("a", "c"), (0, 1), ("b", "d"))),
])
def test_pairs_of_each_tasks_columns(write, name, content, expected):
    task = glue.task(name)
    assert glue.read(write(content), task) == LabelledTexts(*expected, names=task.labels)


MNLI_COLUMNS = ("index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse"
                "\tsentence1_parse\tsentence2_parse\tsentence1\tsentence2")


@pytest.mark.parametrize("annotators", [1, 5])
@pytest.mark.parametrize("name", ["mnli", "mnli_mismatched"])
def test_mnlis_label_is_the_gold_one(write, name, annotators):
    """Training rows have one more, rows of the dev sets five."""
    header = [f"label{number + 1}" for number in range(annotators)]
    rows = [[*"01234567", f"a{gold}", f"b{gold}", *["neutral"] * annotators, gold]
            for gold in ("entailment", "contradiction", "neutral")]
    path = write("\n".join(["\t".join([MNLI_COLUMNS, *header, "gold_label"]),
                            *map("\t".join, rows)]))
    # The ids of google-research/bert: contradiction, entailment, neutral.
    assert glue.read(path, glue.task(name)) == LabelledTexts(
        ("aentailment", "acontradiction", "aneutral"), (1, 0, 2),
        ("bentailment", "bcontradiction", "bneutral"), ("contradiction", "entailment", "neutral"))


def test_mnlis_two_kinds_have_their_own_dev_and_test_files():
    assert [(task.train_file, task.dev_file, task.test_file, task.submission_file)
            for task in (glue.task("mnli"), glue.task("mnli_mismatched"))] == [
        ("train.tsv", "dev_matched.tsv", "test_matched.tsv", "MNLI-m.tsv"),
        ("train.tsv", "dev_mismatched.tsv", "test_mismatched.tsv", "MNLI-mm.tsv")]


QQP = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"


def test_qqps_broken_rows_are_left_out_and_counted(write):
    """As transformers' processor does: a newline in a question makes two short rows."""
    path = write(f"{QQP}1\t1\t2\ta\tb\t1\n2\t3\t4\tbro\nken\td\t0\n3\t5\t6\te\tf\t0\n")
    examples = glue.read(path, glue.task("qqp"))
    assert (examples.texts, examples.second_texts) == (("a", "e"), ("b", "f"))
    assert examples.labels == (1, 0)
    assert examples.lines == (2, 5)
    assert [(row.line, row.reason) for row in examples.skipped] == [
        (3, "too few columns"), (4, "too few columns")]
    with pytest.raises(InputError, match="line 2 has 7 columns, the header has 6"):
        glue.read(write(f"{QQP}1\t1\t2\ta\tb\t1\t0\n"), glue.task("qqp"))
    with pytest.raises(InputError, match="train.tsv has no row with all columns"):
        glue.read(write(f"{QQP}1\t1\t2\ta\n"), glue.task("qqp"))


def test_a_test_set_has_texts_a_header_and_no_labels(write):
    assert glue.read_unlabelled(write("index\tsentence\n0\tBill left.\n"), COLA) == LabelledTexts(
        ("Bill left.",), None, names=COLA.labels)
    path = write("id\tquestion1\tquestion2\n0\ta\tb\n1\tc\td\n")
    examples = glue.read_unlabelled(path, glue.task("qqp"))
    assert (examples.texts, examples.second_texts) == (("a", "c"), ("b", "d"))
    assert examples.lines == (2, 3)
    # A submission has a line for every row.
    with pytest.raises(InputError, match="line 3 has 2 columns"):
        glue.read_unlabelled(write("id\tquestion1\tquestion2\n0\ta\tb\n1\tc\n"), glue.task("qqp"))


# Numbers of rows, and sums of label ids, are those of transformers 4.30.2's processors.
@pytest.mark.parametrize(("name", "folder", "rows", "sums"), [
    ("cola", "CoLA", (8_551, 1_043, 1_063), (6_023, 721)),
    ("sst2", "SST-2", (67_349, 872, 1_821), (37_569, 444)),
    ("mrpc", "MRPC", (3_668, 408, 1_725), (2_474, 279)),
    ("stsb", "STS-B", (5_749, 1_500, 1_379), (15_528.0433968, 3_545.8613333)),
    ("qnli", "QNLI", (None, 5_463, 5_463), (None, 2_761)),
    ("rte", "RTE", (2_490, 277, 3_000), (1_241, 131)),
    ("wnli", "WNLI", (635, 71, 146), (312, 31)),
])
def test_official_files_are_read_as_the_processors_read_them(
        shared_data, name, folder, rows, sums):
    task, directory = glue.task(name), shared_data / "glue" / folder
    for file, count, total in zip((task.train_file, task.dev_file), rows, sums, strict=False):
        if count is not None:
            examples = glue.read(directory / file, task)
            assert (len(examples), sum(examples.labels)) == (count, pytest.approx(total, rel=1e-9))
            assert all(examples.texts)
            assert examples.second_texts is None or all(examples.second_texts)
            assert examples.skipped == ()
    test = glue.read_unlabelled(directory / task.test_file, task)
    assert (len(test), test.labels, all(test.texts)) == (rows[2], None, True)
