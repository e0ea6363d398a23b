"""The table that clients read, as the schema's own reader sees it."""

import dataclasses

import pytest
from ai_edge_litert.interpreter import Interpreter

import mobilebert_tf as mb
from mobilebert_tf.export.file import metadata

from ..flatbuffers import parse


@pytest.fixture
def table(metadata_schema):
    """A file's content -> its ModelMetadata."""

    def read(content):
        model = parse(content)
        (entry,) = (entry for entry in model.metadata if entry.name == b"TFLITE_METADATA")
        data = bytes(model.buffers[entry.buffer].data)
        root = metadata_schema.ModelMetadata
        assert root.ModelMetadataBufferHasIdentifier(data, 0)
        return metadata_schema.ModelMetadataT.InitFromObj(root.GetRootAs(data, 0))

    return read


def names(entries):
    return [entry.name.decode() for entry in entries]


def without_archive(content):
    return content[:content.index(b"PK\3\4")]


def test_a_classifier_is_described(exported, table, metadata_schema):
    described = table(exported("classification", "dynamic_int8").model)
    assert described.name == b"Text classification"
    for word in (b"classification", b"2 blocks", b"dynamic_int8", b"12 tokens"):
        assert word in described.description
    assert described.version.decode() == mb.__version__
    assert described.author.decode() == f"mobilebert-tf {mb.__version__}"
    assert b"Apache License 2.0" in described.license
    assert b"does not know" in described.license  # the weights', which are the user's
    assert described.minParserVersion == b"1.1.0"

    (graph,) = described.subgraphMetadata
    assert graph.name == b"serving_default"
    assert names(graph.inputTensorMetadata) == ["ids", "mask", "segment_ids"]
    assert all(tensor.description and tensor.associatedFiles is None
               for tensor in graph.inputTensorMetadata)
    (output,) = graph.outputTensorMetadata
    assert (output.name, output.description) == (
        b"probability", b"probability of each class; they sum to 1")
    (labels,) = output.associatedFiles
    assert (labels.name, labels.type) == (
        b"labels.txt", metadata_schema.AssociatedFileType.TENSOR_AXIS_LABELS)
    (unit,) = graph.inputProcessUnits
    assert unit.optionsType == metadata_schema.ProcessUnitOptions.BertTokenizerOptions
    (vocabulary,) = unit.options.vocabFile
    assert (vocabulary.name, vocabulary.type) == (
        b"vocab.txt", metadata_schema.AssociatedFileType.VOCABULARY)


def test_a_classifier_of_several_labels_is_described(exported, table):
    """Clients find its labels under the name that they look for, as a classifier's."""
    described = table(exported("multi_label", "float32").model)
    assert described.name == b"Text multi label"
    (output,) = described.subgraphMetadata[0].outputTensorMetadata
    assert (output.name, output.description) == (
        b"probability", b"probability of each label; each is on its own")
    assert names(output.associatedFiles) == ["labels.txt"]


@pytest.mark.parametrize(("kind", "outputs"), [
    ("question_answering", ["end_logits", "start_logits"]), ("regression", ["score"]),
    ("tagging", ["logits"]), ("fill_mask", ["mlm_logits"]), ("encoding", ["sequence_output"]),
    ("embedding", ["sentence_embedding"])])
def test_outputs_stand_in_the_graph_s_order(kind, outputs, exported, table):
    content = exported(kind, "float32").model
    (graph,) = table(content).subgraphMetadata
    assert names(graph.outputTensorMetadata) == outputs
    assert names(graph.inputTensorMetadata) == ["ids", "mask", "segment_ids"]
    details = Interpreter(model_content=content).get_output_details()
    assert [detail["name"] for detail in details] == outputs
    has_labels = [tensor.associatedFiles is not None for tensor in graph.outputTensorMetadata]
    assert has_labels == [kind == "tagging"] * len(outputs)


@pytest.mark.parametrize("changes", [{"vocabulary": None}, {"lower_case": False}])
def test_no_tokenizer_is_stated_that_would_misread(changes, exported, table):
    content = exported("classification", "float32").model
    details = dataclasses.replace(metadata.read(content), **changes)
    described = table(metadata.attach(without_archive(content), details))
    assert described.subgraphMetadata[0].inputProcessUnits is None
    assert described.minParserVersion == b"1.0.0"


def test_every_length_s_graph_is_described(two_graphs, table):
    described = table(two_graphs)
    assert names(described.subgraphMetadata) == ["length_12", "length_8"]
    for graph in described.subgraphMetadata:
        assert names(graph.inputTensorMetadata) == ["ids", "mask", "segment_ids"]
        assert names(graph.outputTensorMetadata) == ["probability"]
    assert b"8 or 12 tokens" in described.description
    assert sorted(Interpreter(model_content=two_graphs).get_signature_list()) == [
        "length_12", "length_8"]


def test_attaching_replaces_what_was_there(exported):
    content = exported("classification", "dynamic_int8").model
    details = metadata.read(content)
    other = metadata.attach(without_archive(content), dataclasses.replace(
        details, kind=details.kind.bound(None, None), recipe="other"))
    assert other != content
    assert metadata.attach(without_archive(other), details) == content
