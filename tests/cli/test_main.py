import importlib
import json
import re
import shlex
import subprocess
import sys

import pytest
import rich.markup
import typer

from mobilebert_tf.checks import check_length
from mobilebert_tf.cli.main import app
from mobilebert_tf.errors import InputError

COMMANDS = sorted(typer.main.get_command(app).commands)


def test_help_names_every_command(mobilebert):
    run = mobilebert("--help")
    assert run.status == 0
    assert all(re.search(rf"│ {command} ", run.out) for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(mobilebert, command):
    run = mobilebert(command, "--help")
    assert run.status == 0
    assert f"mobilebert {command}" in run.out.partition("Examples")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_can_be_pasted_from_a_narrow_terminal(mobilebert, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = mobilebert(command, "--help").out.partition("Examples")[2]
    # What a shell makes of the lines.
    shown = "\n".join(line.strip() for line in shown.splitlines()).replace("\\\n", "")
    module = importlib.import_module(f"mobilebert_tf.cli.{command.replace('-', '_')}")
    written = [line for line in rich.markup.render(module.EXAMPLES).plain.splitlines()
               if line.startswith("mobilebert ")]
    assert written
    assert [shlex.split(line) for line in shown.splitlines()
            if line.startswith("mobilebert ")] == [shlex.split(line) for line in written]


@pytest.mark.parametrize("command", ["embed", "evaluate", "predict", "score"])
def test_help_names_the_least_length_that_a_model_is_opened_with(command):
    (least,) = (option.min for option in typer.main.get_command(app).commands[command].params
                if option.name == "length")
    check_length(least)
    with pytest.raises(InputError, match=f"at least {least}"):
        check_length(least - 1)


def test_help_and_bad_arguments_need_no_tensorflow():
    code = ("import sys; sys.argv = ['mobilebert', 'finetune', '--task', 'sst2', '--data', 'x',"
            " '--output', 'y', '--preset', 'mobilbert']\n"
            "from mobilebert_tf.cli.main import main\n"
            "try: main()\n"
            "except SystemExit as error: print(error.code, 'tensorflow' in sys.modules)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "False"]
    assert "did you mean mobilebert" in done.stderr


def test_wrong_usage_exits_with_2(mobilebert):
    for arguments in (["nonsense"], ["finetune"], ["presets", "--nonsense"],
                      ["presets", "--length", "-5"],
                      ["convert", "x", "--to", "torch", "--output", "y"]):
        assert mobilebert(*arguments).status == 2, arguments


def test_results_printed_to_a_full_disk_end_with_a_sentence():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from mobilebert_tf.cli.main import main; main()", "presets"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2, "Error: no space is left on a disk that the command writes to\n")


def error(run):
    assert run.status == 2, (run.out, run.err)
    sentence, = re.findall(r"Error: (.*)", run.err)
    return sentence


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A directory with one of everything that is wrong."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good").mkdir()
    for name in ("train.tsv", "dev.tsv"):
        (tmp_path / "good" / name).write_text("sentence\tlabel\nfine\t1\nbad\t0\n")
    (tmp_path / "corrupt").mkdir()
    (tmp_path / "corrupt" / "config.json").write_text(json.dumps(
        {"model_type": "bert", "architectures": ["BertModel"]}))
    (tmp_path / "corrupt" / "model.safetensors").write_bytes(b"\x08\x00\x00\x00not tensors")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "config.json").write_text(json.dumps(
        {"model_type": "gpt2", "architectures": ["GPT2Model"]}))
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "model.json").write_text('{"kind": "encoding", "lower_case": true}')
    (tmp_path / "own" / "model.keras").write_bytes(b"not a zip")
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\na\n")
    (tmp_path / "some.tflite").write_bytes(b"\x1c\x00\x00\x00TFL3 and nothing behind it")
    return tmp_path


FINETUNE = ("finetune", "--task", "sst2", "--output", "out")


@pytest.mark.parametrize(("arguments", "message"), [
    (("presets", "mobilebrt"), "unknown preset 'mobilebrt'; did you mean mobilebert"),
    ((*FINETUNE, "--data", "good", "--checkpoint", "corrupt"),
     "corrupt/model.safetensors is not a safetensors file"),
    ((*FINETUNE, "--data", "good", "--checkpoint", "own"),
     "own/model.keras cannot be read as a model"),
    ((*FINETUNE, "--data", "good", "--preset", "micro", "--vocab", "vocab.txt"),
     "vocab.txt: the piece 'a' is on line 6 and again on line 7"),
    (("tokenize", "hello", "--vocab", "none.txt"), "cannot read the vocabulary none.txt"),
    (("convert", "foreign", "--to", "google", "--output", "out/x.ckpt"),
     "foreign/config.json: model_type 'gpt2' is not supported; known are mobilebert, bert"),
    (("convert", "nothing.ckpt", "--to", "keras", "--preset", "micro", "--output", "out"),
     r"there is no directory nothing.ckpt and no TF1 checkpoint .*\(nothing.ckpt.index\)"),
    (("export", "good", "--output", "out.tflite"), "good is not a model directory"),
    (("export", "good", "--output", "out.tflite", "--recipe", "int9"), "int9"),
    (("package", "good", "--data", "good", "--output", "out"), "good is not a model directory"),
    (("package", "good", "--data", "good", "--output", "good"), "which is not of a package"),
    (("package", "good", "--data", "good", "--output", "out", "--recipes", "int9"), "int9"),
    (("predict", "some.tflite", "hello"), "some.tflite"),
    (("predict", "none.tflite", "hello"), "none.tflite"),
    (("evaluate", "some.tflite", "--task", "sst2", "--data", "good"), "some.tflite"),
    (("lengths", "good", "--texts", "vocab.txt", "--candidates", ""), "--candidates is empty"),
    (("benchmark", "--presets", "brt_base"), "unknown preset 'brt_base'; did you mean bert_base"),
], ids=lambda value: " ".join(value) if isinstance(value, tuple) else "")
def test_bad_input_is_one_sentence_and_status_2(mobilebert, place, arguments, message):
    before = sorted(place.rglob("*"))
    assert re.search(message, error(mobilebert(*arguments)))
    assert sorted(place.rglob("*")) == before, "nothing half-written may stay"
