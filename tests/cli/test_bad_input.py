"""What is wrong in files and arguments is said at once: one sentence, without TensorFlow."""

import json
import os
import re
import subprocess
import sys

import pytest

SST2 = "sentence\tlabel\n"
GOOD = SST2 + "fine\t1\nbad\t0\n"
TABLE = "text,folder\nhello,x\nbye,y\n"
BIO = "Ann\tB-PER\nSmith\tI-PER\n\nwent\tO\n"


def squad(text="Ada", start=0, **changes):
    return json.dumps({"data": [{"paragraphs": [{"context": "Ada wrote it.", "qas": [
        {"id": "1", "question": "Who?", "answers": [{"text": text, "answer_start": start}],
         **changes}]}]}]}, indent=1)


FILES = {
    "good/train.tsv": GOOD, "good/dev.tsv": GOOD,
    "short.tsv": SST2 + "fine\t1\nbad\n", "labels.tsv": SST2 + "fine\t1\nbad\t2\n",
    "empty.tsv": SST2, "nothing.tsv": "", "latin.tsv": SST2.encode() + b"caf\xe9\t1\n",
    "wide.tsv": SST2.encode("utf-16"),
    "table/train.csv": TABLE, "table/dev.csv": TABLE, "unseen.csv": TABLE + "why,z\n",
    "one.csv": "text,folder\nhello,x\n", "quotes.csv": 'text,folder\n"hello,x\n',
    "points.csv": "text,folder\nhello,1.5\nbye,many\n",
    "good.bio": BIO, "other.bio": "Ann\tB-PER\n\nOslo\tB-LOC\n", "empty.bio": "\n\n",
    "broken.bio": BIO + "to\tO\nNew\tI-LOC\n", "short.bio": BIO + "alone\n",
    "latin.bio": BIO.encode() + b"\nJos\xe9\tB-PER\n",
    "good.json": squad(), "moved.json": squad(start=4), "absent.json": squad("Bob"),
    "both.json": squad(is_impossible=True), "none.json": '{"data": []}', "broken.json": '{"data":',
    "latin.json": squad().encode().replace(b"wrote", b"\xe9tat"),
    "run/model.json": json.dumps({"kind": "classification", "labels": ["negative", "positive"],
                                  "lower_case": True, "task": "sst2", "columns": None}),
    "run/model.keras": "", "alone.keras": "", "broken/model.json": "{",
    "answerer/model.json": json.dumps({"kind": "question_answering", "labels": None,
                                       "lower_case": True, "task": "squad"}),
    "answerer/model.keras": "", "package/model.json": "{}", "package/a.tflite": "",
}
OWN = ("--text", "text", "--label", "folder")


def finetune(task, *arguments):
    return ("finetune", "--task", task, "--preset", "micro", "--output", "out", *arguments)


def glue(train="good/train.tsv", dev="good/dev.tsv"):
    return finetune("sst2", "--train", train, "--dev", dev)


def tagging(train="good.bio", dev="good.bio"):
    return finetune("tagging", "--train", train, "--dev", dev)


def answering(train="good.json", dev="good.json"):
    return finetune("squad", "--train", train, "--dev", dev)


def evaluate(task, *arguments, model="run"):
    return ("evaluate", model, "--task", task, *arguments)


CASES = {
    glue("short.tsv"): "short.tsv, line 3 has 1 columns, the header has 2",
    glue(dev="short.tsv"): "short.tsv, line 3 has 1 columns, the header has 2",
    glue("labels.tsv"): "labels.tsv, line 3: the label '2' is not one of 0, 1",
    glue(dev="empty.tsv"): "empty.tsv has no rows",
    glue("nothing.tsv"): "nothing.tsv is empty",
    glue("latin.tsv"): "latin.tsv, line 2 is not UTF-8: .*0xE9; save the file as UTF-8",
    glue(dev="wide.tsv"): "wide.tsv, line 1 is not UTF-8",
    glue("absent.tsv"): "cannot read absent.tsv: No such file",
    finetune("classification", "--data", "table", "--dev", "unseen.csv", *OWN):
        "unseen.csv, line 4: the folder 'z' is not one of x, y",
    finetune("classification", "--train", "one.csv", "--dev", "one.csv", *OWN):
        "the column folder of one.csv holds only 'x'; a classifier needs at least two classes",
    finetune("classification", "--train", "quotes.csv", "--dev", "one.csv", *OWN):
        "quotes.csv, line 2 begins a row that is not CSV",
    finetune("classification", "--data", "table", "--text", "body", "--label", "folder"):
        "table/train.csv, line 1: there is no column 'body'",
    ("finetune", "--task", "sst2", "--checkpoint", "run", "--cased", "--output", "out"):
        "cased goes with a preset",
    finetune("classification", "--data", "table"): "name the columns of the text and the label",
    finetune("regression", "--train", "points.csv", "--dev", "points.csv", *OWN):
        "points.csv, line 3: the folder 'many' is not a number",
    tagging("broken.bio"): "broken.bio, line 6: 'New' begins an entity with I-LOC",
    tagging(dev="broken.bio"): "broken.bio, line 6: 'New' begins an entity with I-LOC",
    tagging(dev="other.bio"): "other.bio, line 3: 'Oslo' has the tag B-LOC, which is not one of O",
    tagging("short.bio"): "short.bio, line 5 has one column, 'alone'",
    tagging("empty.bio"): "empty.bio has no sentences",
    tagging(dev="latin.bio"): "latin.bio, line 6 is not UTF-8",
    answering("moved.json"):
        "moved.json, question '1': the answer 'Ada' is not at its answer_start 4",
    answering(dev="absent.json"): "absent.json, question '1': the answer 'Bob' is not at",
    answering("both.json"): "question '1' is marked impossible and has answers",
    answering("none.json"): "none.json has no questions",
    answering("broken.json"): "broken.json is not JSON",
    answering("latin.json"): r"latin.json, line \d+ is not UTF-8",
    finetune("similarity", "--data", "good"): "similarity is only evaluated: nothing is fine-tuned",
    finetune("sst3", "--data", "good"): "unknown task 'sst3'; known are cola",
    finetune("sst2"): "no data for the task sst2: name its directory, or a dev",
    finetune("sst2", "--dev", "good/dev.tsv"): "no training data for the task sst2",
    finetune("sst2", "--data", "good", *OWN): "sst2 has its own format: columns cannot be named",
    finetune("squad", "--data", "tfds:squad"): "squad is read from files, not from tfds:squad",
    finetune("sst2", "--data", "good", "--checkpoint", "run"): "give either a preset .* or a ch",
    finetune("sst2", "--data", "good", "--pooler", "max"): "unknown pooler 'max'; known are",
    finetune("sst2", "--data", "good", "--learning-rate", "0"): "learning_rate should be above 0",
    finetune("sst2", "--data", "good", "--grid", "seed=x"): "grid seed=x: invalid literal",
    finetune("sst2", "--data", "good", "--metric", "f2"):
        "the task sst2 has no metric 'f2'; known are accuracy",
    (*tagging(), "--class-weights", "balanced"): "class weights are for one class per text, and",
    finetune("sst2", "--data", "good", "--grid", "class_weights=none,rare"):
        "class_weights should be one of none, balanced, and is rare",
    ("finetune", "--task", "sst2", "--data", "good", "--output", "out", "--checkpoint", "nowhere"):
        "there is no model directory nowhere",
    ("finetune", "--task", "sst2", "--data", "good", "--output", "out", "--checkpoint", "good"):
        "good is not a model directory: it has neither model.json nor config.json",
    evaluate("sst2", "--dev", "short.tsv"): "short.tsv, line 3 has 1 columns",
    evaluate("squad", "--dev", "good.json"):
        "run is for classification; the task squad needs a model for question_answering",
    evaluate("cola", "--data", "good"): "run has other labels than the task cola: it alone has",
    evaluate("sst2", "--data", "good", model="nowhere"): "there is no model nowhere",
    evaluate("sst2", "--data", "good", model="alone.keras"):
        "alone.keras is not a Keras model; name a model directory, or a .keras file",
    evaluate("sst2", "--data", "good", model="package"): "name the file in it: package/a.tflite",
    evaluate("sst2", "--data", "good", model="broken"): "broken/model.json is not JSON",
    evaluate("sst2", "--data", "good", model="good/dev.tsv"): "good/dev.tsv",
    evaluate("sst2", "--data", "good", "--null-threshold", "1"):
        "--null-threshold is for questions without an answer, and the task sst2 has none",
    evaluate("sst2", "--dev", "good/dev.tsv", "--submission", "out"):
        "--submission answers the test set in the task's directory",
    evaluate("sst2", "--data", "good", "--submission", "out"): "cannot read good/test.tsv",
    evaluate("sst2", "--data", "good", "--n-best", "n.json"): "--n-best is for questions, and the",
    evaluate("squad", "--dev", "good.json", "--null-odds", "n.json", model="answerer"):
        "--null-odds is for questions without an answer, and the task squad has none",
    ("predict", "run"): "no text was given",
    ("predict", "run", "--file", "nothing.tsv"): "there is no text in nothing.tsv",
    ("benchmark", "--files", "a.tflite", "--recipes", "int8"): "--recipes is for presets",
    ("benchmark", "--peers", "--recipes", "int8"): "--recipes is for presets",
    ("predict", "run", "a", "--pairs", "--second-text", "b"): "leave out --second-text",
    ("predict", "run", "a\tb", "c", "--pairs"): "one tab between; text 2 has 0 tabs",
    ("predict", "run", "caf\udce9"): "'caf.udce9' is not valid Unicode",
    ("predict", "nowhere", "hello"): "there is no model nowhere",
    ("predict", "run", "--file", "absent.txt"): "cannot read absent.txt",
    ("predict", "run", "--file", "rows.jsonl"): "rows.jsonl has an object a line, and --file",
    ("predict", "run", "--file", "latin.tsv"): "latin.tsv, line 2 is not UTF-8: .*0xE9",
}

# All in one process, which would show that it has loaded TensorFlow.
RUN = """
import contextlib, io, json, os, sys
from mobilebert_tf.cli.main import main
found = []
for arguments in json.load(sys.stdin):
    sys.argv = ["mobilebert", *arguments]
    with contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code
        except Exception as error:
            code = repr(error)
    found.append([code, err.getvalue(), "tensorflow" in sys.modules or "tf_keras" in sys.modules])
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def refusals(tmp_path_factory):
    """arguments -> (status, what was said, whether TensorFlow was loaded), and what was written."""
    directory = tmp_path_factory.mktemp("bad")
    for name, content in FILES.items():
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = sorted(directory.rglob("*"))
    done = subprocess.run([sys.executable, "-c", RUN], cwd=directory, input=json.dumps(
        list(CASES)), capture_output=True, text=True, env={**os.environ, "COLUMNS": "80"})
    assert done.returncode == 0, done.stderr
    written = sorted(set(directory.rglob("*")) - set(before))
    return dict(zip(CASES, json.loads(done.stdout.splitlines()[-1]), strict=True)), written


@pytest.mark.parametrize("arguments", CASES, ids=" ".join)
def test_is_one_sentence_and_status_2_without_tensorflow(arguments, refusals):
    code, said, loaded = refusals[0][arguments]
    assert code == 2, said
    sentence, = re.findall(r"^Error: (.*)\n\Z", said)
    assert re.search(CASES[arguments], sentence), sentence
    assert not loaded


def test_nothing_is_written(refusals):
    assert refusals[1] == []
