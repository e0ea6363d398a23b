import json
import typing

import pytest

import mobilebert_tf as mb
from mobilebert_tf.cli import benchmark
from mobilebert_tf.export.benchmark import compare as compare_module
from mobilebert_tf.export.benchmark import peers
from mobilebert_tf.export.benchmark.plan import Plan

from ..commands import invoke


def test_models_are_printed_and_written(several_lengths, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["/usr/bin/mobilebert", "benchmark", "--files", "a b.tflite"])
    result = invoke(benchmark, "--files", several_lengths, "--lengths", "6,16", "--runs", 2,
                    "--threads", 1, "--json", tmp_path / "facts.json", "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    facts = json.loads((tmp_path / "facts.json").read_text())
    assert facts == json.loads((tmp_path / "out" / "benchmark.json").read_text())
    assert [(one["name"], one["length"], one["latency"]["num_runs"], one["num_threads"],
             one["ratio"]) for one in facts["records"]] == [
        ("several", 6, 2, 1, 1.0), ("several", 16, 2, 1, 1.0)]
    assert all(one["command"] == "mobilebert benchmark --files 'a b.tflite'"
               for one in facts["records"])
    assert "mobilebert benchmark --files 'a b.tflite'" in (
        tmp_path / "out" / "benchmark.md").read_text()
    assert "several" in result.output
    assert "nothing here is a phone's latency" in " ".join(result.output.split())


def test_texts_are_printed_and_written(several_lengths, tmp_path):
    (tmp_path / "texts.txt").write_text("al bl\ncm dn eo fp gq\n")
    result = invoke(benchmark, "--files", several_lengths, "--texts", tmp_path / "texts.txt",
                    "--threads", 1, "--json", tmp_path / "facts.json", "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    record, = json.loads((tmp_path / "facts.json").read_text())["records"]
    assert (record["texts"], record["runs_by_length"], record["equal_predictions"],
            record["ratio"]) == (2, {"6": 1, "16": 1}, 1.0, 1.0)
    assert "2 texts" in result.output
    assert (tmp_path / "out" / "benchmark.png").read_bytes().startswith(b"\x89PNG")


def test_a_shipped_model_is_measured_by_its_short_name(repository, tmp_path):
    (tmp_path / "texts.txt").write_text("a quiet film\n")
    result = invoke(benchmark, "--files", f"mini_sst2,{repository}/models/mobilebert_mini_intent",
                    "--texts", tmp_path / "texts.txt", "--threads", 1, "--json",
                    tmp_path / "facts.json")
    assert result.exit_code == 0, result.output
    records = json.loads((tmp_path / "facts.json").read_text())["records"]
    assert [one["name"] for one in records] == [
        "mobilebert_mini_sst2_int8", "mobilebert_mini_intent_int8"]


@pytest.mark.parametrize(("arguments", "expected"), [
    ((), ("mobilebert", "bert_base")), (("--files", "x.tflite"), ()), (("--peers",), ()),
    (("--files", "x.tflite", "--presets", "micro, bert_tiny", "--lengths", "8"),
     ("micro", "bert_tiny"))])
def test_the_two_presets_are_measured_where_nothing_else_is_named(
        arguments, expected, monkeypatch, tmp_path):
    measured = []

    def compare(plan, **_):
        measured.append(plan.presets)
        raise mb.InputError("enough")

    monkeypatch.setattr(compare_module, "compare", compare)
    monkeypatch.setattr(peers, "PEERS", ())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.tflite").touch()
    assert str(invoke(benchmark, *arguments).exception) == "enough"
    assert measured == [expected]


def test_the_help_shows_the_plans_defaults():
    """The command does not import the exporter for its help, so it repeats the defaults."""
    shown = {name: typing.get_args(annotation)[1].show_default
             for name, annotation in benchmark.run.__annotations__.items()
             if typing.get_origin(annotation) is typing.Annotated}
    plan = Plan(command="")
    for name in ("presets", "recipes", "lengths"):
        assert shown[name].partition(";")[0] == ",".join(map(str, getattr(plan, name)))
    assert (shown["kind"], shown["runs"]) == (plan.kind, str(plan.runs))


@pytest.mark.parametrize(("arguments", "sentence"), [
    (("--lengths", "64,long"), "--lengths should be whole numbers separated by commas.*: 64,long"),
    (("--peers", "--kind", "encoding"), "--kind is for presets: name some with --presets"),
    (("--texts", "x", "--presets", "micro"), "each text once: leave out --presets"),
    (("--texts", "x", "--peers", "--runs", "9"), "leave out --peers, --runs"),
    (("--texts", "absent.txt", "--files", "x.tflite"), "cannot read absent.txt"),
    (("--files", "x"), "there is no model x, neither a path nor a name"),
    (("--presets", "micro", "--lengths", "8", "--baseline", "bert"), "one of micro")])
def test_bad_arguments_are_named(arguments, sentence):
    result = invoke(benchmark, *arguments)
    assert isinstance(result.exception, mb.InputError)
    with pytest.raises(mb.InputError, match=sentence):
        raise result.exception
