import dataclasses
import json
import types

import msgspec
import numpy as np
import pytest
from safetensors.numpy import load_file

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.cli import output
from mobilebert_tf.kinds.encoding import Encoding
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary


def test_presets_show_counts_beside_the_papers(mobilebert, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    run = mobilebert("presets", "--json", tmp_path / "presets.json")
    assert run.status == 0
    assert "24,581,888" in run.out
    records = {record["name"]: record for record in
               json.loads((tmp_path / "presets.json").read_text())["presets"]}
    mobilebert_record = records["mobilebert"]
    assert mobilebert_record["parameters"]["total"] == 24_581_888
    assert mobilebert_record["paper_flops"] == 5.7e9
    assert "micro" not in records
    for record in records.values():
        if record["paper_parameters"]:
            # Every distance above 1 % is explained.
            distance = abs(record["parameters"]["total"] / record["paper_parameters"] - 1)
            assert distance < 0.07
            assert distance < 0.011 or record["note"], record["name"]


def test_presets_count_a_config_of_ones_own(mobilebert, tmp_path):
    config = dataclasses.replace(mb.presets.get("mobilebert_mini"), num_blocks=4)
    path = tmp_path / "own.json"
    path.write_text(config.to_json())
    run = mobilebert("presets", path, "--json", tmp_path / "presets.json")
    assert run.status == 0
    (record,) = json.loads((tmp_path / "presets.json").read_text())["presets"]
    assert record["name"] == str(path)
    assert record["parameters"]["total"] == mb.counting.parameters(config).total


def test_numbers_that_are_not_finite_are_null_in_json(tmp_path):
    path = tmp_path / "result.json"
    output.write_json(path, {"a": [1.5, float("nan")], "b": (np.float64("inf"), {"c": "NaN"})})
    assert msgspec.json.decode(path.read_bytes()) == {"a": [1.5, None], "b": [None, {"c": "NaN"}]}


def test_tokenize_shows_pieces_where_they_stand(mobilebert, tmp_path):
    vocab = tmp_path / "vocab.txt"
    vocab.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "zu", "##rich", "!"]))
    run = mobilebert("tokenize", "--vocab", vocab, "Z\u00fcrich!", "--json", tmp_path / "out.json")
    assert run.status == 0
    assert "##rich" in run.out
    assert json.loads((tmp_path / "out.json").read_text()) == [
        {"text": "Z\u00fcrich!", "pieces": ["zu", "##rich", "!"], "ids": [5, 6, 7],
         "offsets": [[0, 2], [2, 6], [6, 7]]}]


@pytest.fixture
def checkpoint(tmp_path):
    """A Hugging Face directory of random weights."""
    config = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, num_feed_forwards=2)
    mb.checkpoints.save_huggingface(mb.Pretrainer(mb.Encoder(config)), tmp_path / "huggingface")
    return tmp_path / "huggingface"


def test_convert_goes_round_without_a_change(mobilebert, checkpoint, tmp_path):
    google, keras, back = (tmp_path / name for name in ("google", "keras", "back"))
    run = mobilebert("convert", checkpoint, "--to", "google", "--output", google / "model.ckpt",
                     "--json", tmp_path / "report.json")
    assert run.status == 0, run.err
    report = json.loads((tmp_path / "report.json").read_text())
    assert len(report["used"]) == len(load_file(checkpoint / "model.safetensors"))
    assert mobilebert("convert", google / "model.ckpt", "--to", "keras", "--output",
                      keras).status == 0
    assert mobilebert("convert", keras, "--to", "huggingface", "--output", back).status == 0
    before, after = (load_file(path / "model.safetensors") for path in (checkpoint, back))
    assert before.keys() == after.keys()
    for name, value in before.items():
        np.testing.assert_array_equal(value, after[name], err_msg=name)
    assert (checkpoint / "config.json").read_text() == (back / "config.json").read_text()


def test_finetune_evaluate_export_predict(mobilebert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    rows = [f"{word} film\t{label}" for label, words in enumerate((("bad", "dull"),
                                                                   ("good", "fine")))
            for word in words] * 20
    for name in ("train.tsv", "dev.tsv"):
        (tmp_path / "data" / name).write_text("sentence\tlabel\n" + "\n".join(rows) + "\n")
    run = mobilebert("finetune", "--task", "sst2", "--data", "data", "--preset", "micro_bert",
                     "--epochs", 5, "--batch-size", 8, "--learning-rate", 3e-3, "--length", 16,
                     "--output", "run", "--json", "result.json")
    assert run.status == 0, run.err
    result = json.loads((tmp_path / "result.json").read_text())
    assert (result["metric"], result["scores"]) == ("accuracy", {"accuracy": 1.0})
    run = mobilebert("export", "run", "--recipe", "float32", "--lengths", 16, "--data", "data",
                     "--output", "model.tflite")
    assert run.status == 0, run.err
    report = json.loads((tmp_path / "model.report.json").read_text())
    assert report["gate"]["task"] == "sst2"
    assert report["gate"]["file_score"] == 1.0
    (tmp_path / "data" / "test.tsv").write_text("index\tsentence\n0\tbad film\n1\tfine film\n")
    scores = []
    for model in ("run", "run/model.keras", "model.tflite"):
        run = mobilebert("evaluate", model, "--task", "sst2", "--data", "data", "--length", 16,
                         "--submission", "sent", "--predictions", "labels.json", "--json",
                         "scores.json")
        assert "sst2 on 80 examples of data/dev.tsv\n  accuracy 1.0000\n" in run.out, run.err
        scores.append(json.loads((tmp_path / "scores.json").read_text()) | {"model": None})
        assert json.loads((tmp_path / "labels.json").read_text())[:4] == [
            "negative", "negative", "positive", "positive"]
        sent = tmp_path / "sent" / "SST-2.tsv"
        assert sent.read_text() == "index\tprediction\n0\t0\n1\t1\n"
        sent.unlink()
    assert scores == [{"model": None, "task": "sst2", "kind": "classification",
                       "data": "data/dev.tsv", "examples": 80,
                       "left_out": 0, "left_out_lines": {}, "metric": "accuracy", "accuracy": 1.0,
                       "parts": dict.fromkeys(("negative", "positive"), {
                           "f1": 1.0, "precision": 1.0, "recall": 1.0, "examples": 40}),
                       "confusion": {"labels": ["negative", "positive"], "missing": [0, 0],
                                     "counts": [[40, 0], [0, 40]]}}] * 3
    run = mobilebert("predict", "model.tflite", "fine film", "dull film", "--top-k", 1)
    assert run.status == 0, run.err
    lines = run.out.splitlines()
    assert "positive" in lines[1]
    assert "negative" in lines[3]


@pytest.mark.slow
def test_a_task_without_a_header_line_goes_the_same_way(mobilebert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "CoLA").mkdir()
    # Most rows are acceptable, as most of CoLA's are; files as these end without a newline.
    rows = ["src\t1\t\tthey sing well"] * 56 + ["src\t0\t*\tthem was singed"] * 24
    for name in ("train.tsv", "dev.tsv"):
        (tmp_path / "CoLA" / name).write_text("\n".join(rows))
    run = mobilebert("finetune", "--task", "cola", "--data", "CoLA", "--preset", "micro",
                     "--pooler", "mean", "--epochs", 6, "--batch-size", 16, "--learning-rate", 5e-3,
                     "--length", 16, "--output", "run", "--json", "result.json")
    assert run.status == 0, run.err
    assert "dev matthews 1.0000" in run.out
    result = json.loads((tmp_path / "result.json").read_text())
    assert (result["metric"], result["scores"]) == ("matthews", {"matthews": 1.0})
    run = mobilebert("export", "run", "--recipe", "float32", "--lengths", 16, "--data", "CoLA",
                     "--output", "model.tflite")
    assert run.status == 0, run.err
    gate = json.loads((tmp_path / "model.report.json").read_text())["gate"]
    assert (gate["task"], gate["metric"], gate["file_score"]) == ("cola", "matthews", 1.0)
    for model in ("run", "model.tflite"):
        run = mobilebert("evaluate", model, "--task", "cola", "--data", "CoLA", "--length", 16)
        assert "cola on 80 examples of CoLA/dev.tsv\n  matthews 1.0000\n" in run.out, run.err
    run = mobilebert("evaluate", "model.tflite", "--task", "squad", "--dev", "CoLA/dev.tsv")
    assert run.status == 2
    assert "model.tflite is for classification; the task squad" in " ".join(run.err.split())


NOTHING_MEASURED = types.SimpleNamespace(table="", notes=[], facts={"records": []})


@pytest.mark.slow
def test_quickstart_goes_the_whole_road(mobilebert, tmp_path, monkeypatch, minilm):
    measured = []

    def of_models(**settings):
        measured.append(settings)
        return NOTHING_MEASURED

    monkeypatch.setattr("mobilebert_tf.cli.benchmark.of_models", of_models)
    run = mobilebert("quickstart", "--model", minilm, "--output", tmp_path / "run", "--json",
                     tmp_path / "result.json")
    assert run.status == 0, run.err
    assert measured == [{}]  # the plan's own presets: MobileBERT and BERT-base
    result = json.loads((tmp_path / "result.json").read_text())
    file = tmp_path / "run" / "quickstart_dynamic_int8.tflite"
    assert result["bytes"] == file.stat().st_size < 24e6
    cosines = [one["cosine"] for one in result["ranking"]]
    assert cosines == sorted(cosines, reverse=True)
    assert "showers" in result["ranking"][0]["sentence"]
    assert cosines[0] > cosines[1] + 0.1
    assert "What to try next" in run.out


def test_quickstart_exports_a_cased_model_as_one(mobilebert, tmp_path, monkeypatch):
    monkeypatch.setattr("mobilebert_tf.cli.benchmark.of_models", lambda: NOTHING_MEASURED)
    vocabulary = Vocabulary([*SPECIAL_PIECES, *"ABCabc"])
    encoder = mb.Encoder(dataclasses.replace(mb.presets.get("micro"), vocab_size=len(vocabulary)))
    model_directory.save(tmp_path / "cased", ModelDirectory(
        encoder, vocabulary, Encoding(), lower_case=False))
    run = mobilebert("quickstart", "--model", tmp_path / "cased", "--output", tmp_path)
    assert run.status == 0, run.err
    file = tmp_path / "quickstart_dynamic_int8.tflite"
    assert not mb.export.Runner(file).metadata.lower_case


def test_quickstart_says_where_it_looked_for_a_model(mobilebert, tmp_path):
    run = mobilebert("quickstart", "--model", tmp_path / "none")
    assert run.status == 2
    assert "name a model directory with --model" in " ".join(run.err.split())