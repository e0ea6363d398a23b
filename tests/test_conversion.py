"""convert, as a Python function; tests/cli compares the tensors of every layout."""

import dataclasses
import json

import numpy as np
import pytest
import tokenizers
from typer.testing import CliRunner

import mobilebert_tf as mb
from mobilebert_tf import kinds, model_directory
from mobilebert_tf.cli.main import app
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.text import tokenizer_config
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

from .folders import bytes_of
from .full_disk import fill_after

CONFIG = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, num_feed_forwards=1)


def test_gives_what_was_written_and_the_report_of_a_published_layout(randomize, tmp_path):
    model = randomize(mb.Pretrainer(mb.Encoder(CONFIG)))
    mb.checkpoints.save_huggingface(model, tmp_path / "published")
    converted = mb.convert(tmp_path / "published", "keras", tmp_path / "ours")
    assert (converted.model, converted.parameters) == ("Pretrainer", model.count_params())
    assert len(converted.report.used) == len(model.weights)
    back = mb.convert(tmp_path / "ours", "google", tmp_path / "google" / "model.ckpt",
                      encoder_only=True)
    assert (back.model, back.report) == ("Encoder", None)
    found = mb.checkpoints.load_google(tmp_path / "google" / "model.ckpt", CONFIG)
    for value, right in zip(found.weights, model.encoder.weights, strict=True):
        np.testing.assert_array_equal(value, right)


@pytest.mark.parametrize(("layout", "name"), [("huggingface", ""), ("google", "bert.ckpt")])
def test_the_tokenizer_of_an_earlier_model_does_not_stay(layout, name, tmp_path):
    vocabulary = Vocabulary([*SPECIAL_PIECES, "good"])
    encoder = mb.Encoder(dataclasses.replace(CONFIG, vocab_size=len(vocabulary)))
    output = tmp_path / "published"
    for one in (vocabulary, None):
        model_directory.save(tmp_path / "ours", ModelDirectory(
            encoder, one, kinds.of(encoder), lower_case=False))
        mb.convert(tmp_path / "ours", layout, output / name)
        for file in ("vocab.txt", "tokenizer.json", "tokenizer_config.json"):
            assert (output / file).exists() == (one is not None)


@pytest.mark.parametrize(("layout", "name", "flushes"), [
    ("huggingface", "", 2), ("google", "bert.ckpt", 3)])
def test_a_full_disk_leaves_no_tokenizer_of_another_model(layout, name, flushes, tmp_path,
                                                          monkeypatch):
    vocabulary = Vocabulary([*SPECIAL_PIECES, "good"])
    encoder = mb.Encoder(dataclasses.replace(CONFIG, vocab_size=len(vocabulary)))
    model_directory.save(tmp_path / "ours", ModelDirectory(encoder, vocabulary, kinds.of(encoder)))
    mb.convert(tmp_path / "ours", layout, tmp_path / "published" / name)
    fill_after(flushes, monkeypatch)  # the weights and their configs are written
    with pytest.raises(mb.InputError, match="No space left on device"):
        mb.convert(tmp_path / "ours", layout, tmp_path / "published" / name)
    assert not (tmp_path / "published" / "vocab.txt").exists()


@pytest.mark.parametrize(("layout", "name"), [
    ("huggingface", ""), ("google", "bert.ckpt"), ("keras", "")])
def test_a_vocabulary_without_a_model_stays(layout, name, tmp_path):
    encoder = mb.Encoder(CONFIG)
    mb.checkpoints.save_huggingface(encoder, tmp_path / "published")
    output = tmp_path / "output"
    output.mkdir()
    (output / "vocab.txt").write_text("mine")
    mb.convert(tmp_path / "published", layout, output / name)
    assert (output / "vocab.txt").read_text() == "mine"


def test_a_model_that_is_converted_in_its_own_place_keeps_its_tokenizer(tmp_path):
    mb.checkpoints.save_huggingface(mb.Encoder(CONFIG), tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    mb.convert(tmp_path, "google", tmp_path / "bert.ckpt")
    mb.convert(tmp_path, "huggingface", tmp_path, encoder_only=True)
    assert (tmp_path / "tokenizer.json").read_text() == "{}"


def test_a_checkpoint_does_not_go_beside_the_config_of_another(tmp_path):
    mb.checkpoints.save_huggingface(mb.Encoder(CONFIG), tmp_path / "published")
    (tmp_path / "google").mkdir()
    (tmp_path / "google" / "bert_config.json").write_text("{}")
    with pytest.raises(mb.InputError, match="has a bert_config.json, with which this checkpoint"):
        mb.convert(tmp_path / "published", "google", tmp_path / "google" / "bert.ckpt")
    assert [path.name for path in (tmp_path / "google").iterdir()] == ["bert_config.json"]


def test_a_pooler_without_trained_weights_is_refused(tmp_path):
    for pooler in ("tanh", "mean"):
        mb.checkpoints.save_huggingface(
            mb.Encoder(dataclasses.replace(CONFIG, pooler=pooler)), tmp_path / pooler)
    with pytest.raises(mb.InputError, match="mean has no trained pooler tanh"):
        mb.convert(tmp_path / "mean", "huggingface", tmp_path / "again", encoder_only=True,
                   pooler="tanh")
    mb.convert(tmp_path / "tanh", "huggingface", tmp_path / "same", encoder_only=True,
               pooler="tanh")


@pytest.mark.parametrize(("threshold", "lost"), [(0.5, {}), (0.2, {"threshold": 0.2})])
def test_says_which_settings_a_layout_has_no_place_for(threshold, lost, tmp_path):
    kind = kinds.get("multi_label")(labels=("a", "b"))
    kind = kind.bound(kind.labels, type(kind.used_settings)(threshold=threshold))
    model = kind.build(mb.Encoder(CONFIG))
    model_directory.save(tmp_path / "ours", ModelDirectory(model, None, kind))
    converted = mb.convert(tmp_path / "ours", "huggingface", tmp_path / "published")
    assert converted.lost_settings == lost
    assert mb.convert(tmp_path / "ours", "keras", tmp_path / "copy").lost_settings == {}
    done = CliRunner().invoke(app, ["convert", str(tmp_path / "ours"), "--to", "huggingface",
                                    "--output", str(tmp_path / "again")])
    assert done.exit_code == 0
    assert ("has no place for threshold = 0.2" in done.output) == bool(lost)


@pytest.mark.parametrize(("arguments", "expected"), [
    ({}, "first_token"), ({"encoder_only": True}, "first_token"),
    ({"encoder_only": True, "pooler": "mean"}, "mean"),
    ({"encoder_only": True, "pooler": "first_token"}, None)])
def test_how_embeddings_are_made_is_kept_unless_the_pooler_changes(arguments, expected, tmp_path):
    encoder = mb.Encoder(dataclasses.replace(CONFIG, pooler="tanh"))
    mb.checkpoints.save_huggingface(encoder, tmp_path / "published",
                                    embedding_pooler="first_token")
    mb.convert(tmp_path / "published", "keras", tmp_path / "ours")
    mb.convert(tmp_path / "ours", "huggingface", tmp_path / "again", **arguments)
    assert model_directory.load(tmp_path / "again").embedding_pooler == expected


@pytest.mark.parametrize("lower_case", [True, False])
def test_the_tokenizers_library_reads_the_tokens_of_ours(lower_case, tmp_path):
    vocabulary = Vocabulary([*SPECIAL_PIECES, "a", "A", "good", "Good", "film", "the", "cold",
                             "##old", "!", "日", "g"])
    encoder = mb.Encoder(dataclasses.replace(CONFIG, vocab_size=len(vocabulary)))
    model_directory.save(tmp_path / "ours", ModelDirectory(
        encoder, vocabulary, kinds.of(encoder), lower_case))
    mb.convert(tmp_path / "ours", "huggingface", tmp_path / "published")
    found = tokenizers.Tokenizer.from_file(str(tmp_path / "published" / "tokenizer.json"))
    ours = Tokenizer(vocabulary, lower_case)
    cls, sep = vocabulary.cls_id, vocabulary.sep_id
    known = 0
    for text in ("A Good film!", "the cold\tfilm", "good " * 20, "日本 good", "Göod", ""):
        expected = ours.encode(text)
        known += len(set(expected) - {vocabulary.unk_id})
        assert found.encode(text).ids == [cls, *expected, sep], text
    assert known > 5
    pair = found.encode("good", "a film")
    assert pair.ids == [cls, *ours.encode("good"), sep, *ours.encode("a film"), sep]
    assert pair.type_ids == [0] * (2 + len(ours.encode("good"))) + [1] * (
        1 + len(ours.encode("a film")))
    assert tokenizer_config.lower_case(tmp_path / "published") == lower_case
    fields = json.loads((tmp_path / "published" / "tokenizer_config.json").read_text())
    assert (fields["mask_token"], fields["model_max_length"]) == ("[MASK]", CONFIG.max_positions)


@pytest.mark.parametrize("lower_case", [True, False])
def test_googles_layout_keeps_whether_texts_are_lower_cased(lower_case, tmp_path):
    vocabulary = Vocabulary([*SPECIAL_PIECES, "Good", "good"])
    encoder = mb.Encoder(dataclasses.replace(CONFIG, vocab_size=len(vocabulary)))
    model_directory.save(tmp_path / "ours", ModelDirectory(
        encoder, vocabulary, kinds.of(encoder), lower_case))
    checkpoint = tmp_path / "google" / "bert.ckpt"
    mb.convert(tmp_path / "ours", "google", checkpoint)
    mb.convert(checkpoint, "keras", tmp_path / "back")
    assert model_directory.load(tmp_path / "back").lower_case == lower_case
    # Google's own checkpoints have no such file: the user knows.
    (tmp_path / "google" / tokenizer_config.NAME).unlink()
    for cased in (False, True):
        mb.convert(checkpoint, "keras", tmp_path / f"told {cased}", cased=cased)
        assert model_directory.load(tmp_path / f"told {cased}").lower_case != cased


def test_another_model_is_not_written_over(randomize, tmp_path):
    encoder = randomize(mb.Encoder(CONFIG))
    for name in ("one", "two"):
        mb.checkpoints.save_huggingface(encoder, tmp_path / name)
    before = bytes_of(tmp_path / "two")
    with pytest.raises(mb.InputError, match="two has another model in it: name another directory"):
        mb.convert(tmp_path / "one", "keras", tmp_path / "two")
    assert bytes_of(tmp_path / "two") == before


def test_a_checkpoint_without_a_config_needs_one(randomize, tmp_path):
    mb.checkpoints.save_google(randomize(mb.Encoder(CONFIG)), tmp_path / "bert.ckpt")
    for config in tmp_path.glob("*.json"):
        config.unlink()
    with pytest.raises(mb.InputError, match="there is no .*bert_config.json; name the config or"):
        mb.convert(tmp_path / "bert.ckpt", "keras", tmp_path / "out")


@pytest.mark.parametrize("name", ["typo", "model.keras"])
def test_what_is_no_model_to_convert_is_named(name, tmp_path):
    with pytest.raises(mb.InputError, match=f"no directory .*{name} and no TF1 checkpoint"):
        mb.convert(tmp_path / name, "keras", tmp_path / "out")


@pytest.mark.parametrize(("arguments", "message"), [
    ({"layout": "torch"}, "there is no layout 'torch'; known are huggingface, google, keras"),
    ({"pooler": "mean"}, "pooler goes with encoder_only"),
    ({"preset": "micro"}, "has its own config; config, preset and cased are for TF1 checkpoints"),
    ({"cased": True}, "has its own config; config, preset and cased are for TF1 checkpoints"),
])
def test_wrong_arguments_are_one_sentence(arguments, message, tmp_path):
    with pytest.raises(mb.InputError, match=message):
        mb.convert(tmp_path, **{"layout": "keras", "output": tmp_path / "out", **arguments})
    assert list(tmp_path.iterdir()) == []
