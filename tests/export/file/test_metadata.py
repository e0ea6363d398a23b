import dataclasses
import hashlib
import io
import json
import zipfile

import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

import mobilebert_tf as mb
from mobilebert_tf.export import Runner
from mobilebert_tf.export.file import metadata
from mobilebert_tf.kinds.classification import Classification

from ..conftest import CONFIG, LENGTH


def test_the_file_lists_and_gives_back_what_it_carries(exported, vocabulary, tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(exported("classification", "dynamic_int8").model)
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["model.json", "vocab.txt", "labels.txt"]
        assert archive.testzip() is None
        assert archive.read("labels.txt") == b"bad\nso so\ngut\n"
        assert archive.read("vocab.txt").decode().splitlines() == list(vocabulary.pieces)
        facts = json.loads(archive.read("model.json"))
    assert facts["kind"] == "classification"
    assert facts["recipe"] == "dynamic_int8"
    assert facts["lengths"] == [LENGTH]
    assert facts["runtime"] == "2.17.0"
    assert facts["config"] == CONFIG.to_dict()
    read = metadata.read(path)
    assert read.config == CONFIG
    assert read.labels == ("bad", "so so", "gut")
    assert read.vocabulary.pieces == vocabulary.pieces
    content = path.read_bytes()
    assert metadata.attach(content[:content.index(b"PK\3\4")], read) == content


def test_offsets_count_from_the_start_of_the_whole_file(exported):
    # Phone libraries look where the directory says, without Python's leniency for prefixes.
    model = exported("classification", "float32").model
    with zipfile.ZipFile(io.BytesIO(model)) as archive:
        for entry in archive.infolist():
            assert entry.compress_type == zipfile.ZIP_STORED
            assert entry.header_offset > len(model) // 2
            assert model[entry.header_offset:entry.header_offset + 4] == b"PK\3\4"
        directory_end = model.rindex(b"PK\5\6")
        stated = int.from_bytes(model[directory_end + 16:directory_end + 20], "little")
        assert model[stated:stated + 4] == b"PK\1\2"


def test_constants_lie_on_the_boundaries_that_the_schema_asks_for(exported):
    model = schema.Model.GetRootAs(exported("classification", "dynamic_int8").model, 0)
    starts = [buffer._tab.Vector(buffer._tab.Offset(4))
              for buffer in map(model.Buffers, range(model.BuffersLength()))
              if not buffer.DataIsNone()]
    assert len(starts) > 50
    assert all(start % 16 == 0 for start in starts)


def test_the_runner_refuses_what_is_not_ours(exported, tmp_path):
    ours = exported("classification", "dynamic_int8").model
    bare = ours[:ours.index(b"PK\3\4")]
    with zipfile.ZipFile(other := io.BytesIO(bare), "a") as archive:
        archive.writestr("vocab.txt", "a\n")
    no_description = "was not exported by mobilebert, or is not whole: it holds no model.json"
    for content, sentence in (
            (b"", "is not a .tflite file"),
            (b"a text, not a model", "is not a .tflite file"),
            (bare, no_description),
            (other.getvalue(), no_description),
            (ours[:-100], no_description),
            (with_model_json(bare, {}), "object missing required field kind; export the model"),
            (with_model_json(bare, []), "expected object, got array; export the model again"),
            (with_model_json(bare, facts(ours) | {"sha256": "0" * 64}), "is damaged"),
            (signed(b"\0\0\0\0TFL3" + b"\xff" * 99, facts(ours)), "LiteRT cannot open")):
        path = tmp_path / "model.tflite"
        path.write_bytes(content)
        with pytest.raises(mb.InputError) as error:
            Runner(path)
        assert sentence in str(error.value)
        assert str(path) in str(error.value)
    with pytest.raises(mb.InputError, match="cannot read .*absent.tflite: No such file"):
        Runner(tmp_path / "absent.tflite")
    with pytest.raises(mb.InputError, match="cannot read"):
        Runner(tmp_path)
    with pytest.raises(mb.InputError, match="cannot read a.b: embedded null byte"):
        metadata.read("a\0b")
    with pytest.raises(mb.InputError, match="file should be a path. Received: None"):
        Runner(None)


@pytest.mark.parametrize(("start", "message"), [
    (b"a video", "huge.tflite is not a .tflite file"),
    (b"\x1c\0\0\0TFL3", "huge.tflite is larger than 4 GB")])
def test_a_huge_file_is_not_read_into_memory(start, message, tmp_path):
    path = tmp_path / "huge.tflite"
    with open(path, "wb") as file:
        file.write(start)
        file.truncate(1 << 43)
    with pytest.raises(mb.InputError, match=message):
        metadata.read(path)
    with pytest.raises(mb.InputError, match="/dev/zero is not a .tflite file"):
        metadata.read("/dev/zero")


@pytest.mark.parametrize(("threads", "message"), [
    (0, "threads should be a whole number, 1 or more. Received: 0$"),
    *((threads, f"1 to 1,024. Received: {threads:,}$") for threads in (1025, 100_000, 1 << 40))])
def test_the_runner_refuses_threads_that_no_system_has(threads, message, exported):
    with pytest.raises(mb.InputError, match=message):
        Runner(exported("classification", "dynamic_int8").model, num_threads=threads)


def facts(model):
    with zipfile.ZipFile(io.BytesIO(model)) as archive:
        return json.loads(archive.read("model.json"))


def with_model_json(flatbuffer, value):
    with zipfile.ZipFile(file := io.BytesIO(flatbuffer), "a") as archive:
        archive.writestr("model.json", json.dumps(value))
    return file.getvalue()


def signed(flatbuffer, value, words=None, labels=None):
    """Add a description of this flatbuffer, of a vocabulary and of labels."""
    digest = hashlib.sha256(flatbuffer)
    for name, text in (("vocab.txt", words), ("labels.txt", labels)):
        if text is not None:
            digest.update(name.encode() + text.encode())
    return with_model_json(flatbuffer, value | {"sha256": digest.hexdigest()})


def test_words_that_are_missing_or_others_are_found(exported):
    ours = exported("classification", "dynamic_int8").model
    bare = ours[:ours.index(b"PK\3\4")]
    with pytest.raises(mb.InputError, match="is damaged"):
        metadata.read(with_model_json(bare, facts(ours)))
    assert ours.count(b"so so") == 1
    with pytest.raises(mb.InputError, match=r"is damaged|holds no model\.json"):
        metadata.read(ours.replace(b"labels.txt", b"Labels.txt"))


def test_one_wrong_bit_of_the_graph_is_found_when_a_file_is_opened(exported):
    ours = exported("classification", "dynamic_int8").model
    graph = ours.index(b"PK\3\4")
    for place in np.random.default_rng(3).integers(8, graph, 40):
        damaged = bytearray(ours)
        damaged[place] ^= 1
        with pytest.raises(mb.InputError, match="the model is damaged: it is not the file"):
            Runner(bytes(damaged))


def test_an_older_file_does_not_say_whether_it_reads_pairs(exported):
    ours = exported("classification", "dynamic_int8").model
    older = facts(ours)
    assert older.pop("pairs") is None
    assert Runner(signed(ours[:ours.index(b"PK\3\4")], older)).pairs is None


def test_lengths_that_the_graph_does_not_have_are_refused(exported):
    ours = exported("classification", "dynamic_int8").model
    bare = ours[:ours.index(b"PK\3\4")]
    with pytest.raises(mb.InputError, match=r"inputs of 13 tokens, and its graph takes \(1, 12\)"):
        Runner(signed(bare, facts(ours) | {"lengths": [LENGTH + 1]}))


@pytest.mark.parametrize(("changes", "labels", "message"), [
    ({"kind": "regression", "num_classes": None}, None,
     "a model for regression, whose outputs are score, and its graph gives probabilities"),
    ({"num_classes": 2}, "bad\ngut\n",
     r"2 classes, and its graph gives probabilities of shape \(1, 3\)")])
def test_outputs_that_are_not_of_the_description_are_refused(changes, labels, message, exported):
    ours = exported("classification", "dynamic_int8").model
    bare = ours[:ours.index(b"PK\3\4")]
    file = io.BytesIO(signed(bare, facts(ours) | changes, labels=labels))
    if labels is not None:
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr("labels.txt", labels)
    with pytest.raises(mb.InputError, match=message):
        Runner(file.getvalue())


def test_outputs_per_token_of_another_length_are_refused(exported, monkeypatch):
    content = exported("classification", "dynamic_int8").model
    monkeypatch.setattr(Classification, "outputs", {
        "probabilities": dataclasses.replace(Classification.outputs["probabilities"],
                                             per_token=True)})
    with pytest.raises(mb.InputError, match=r"inputs of 12 tokens, .* probabilities of shape"):
        Runner(content)


def test_a_vocabulary_of_another_size_inside_is_refused(exported, tmp_path):
    ours = exported("classification", "dynamic_int8").model
    words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
    file = io.BytesIO(signed(ours[:ours.index(b"PK\3\4")], facts(ours), words))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("vocab.txt", words)
    path = tmp_path / "model.tflite"
    path.write_bytes(file.getvalue())
    with pytest.raises(mb.InputError, match="has 5 pieces, the model has 120"):
        Runner(path)


def test_what_is_attached_changes_no_answer(exported, batch):
    with_tail = exported("classification", "float32").model
    known = metadata.read(with_tail)
    details = dataclasses.replace(known, vocabulary=None, kind=known.kind.bound(None, None))
    without = metadata.attach(with_tail[:with_tail.index(b"PK\3\4")], details)
    np.testing.assert_array_equal(Runner(with_tail)(batch)["probabilities"],
                                  Runner(without)(batch)["probabilities"])
    with pytest.raises(mb.InputError, match="carries no vocabulary"):
        Runner(without).tokenizer  # noqa: B018
