"""Client metadata: the description of a file that phone libraries read.

It is the table `TFLITE_METADATA` of TensorFlow Lite's metadata schema (`metadata_schema.fbs`, file
identifier M001) in a buffer of the model. MediaPipe Tasks and the Task Library find the names of
the inputs and outputs there, and the vocabulary and the labels.
"""

import dataclasses

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from mobilebert_tf.export.file import flatbuffer as graph_file

NAME = b"TFLITE_METADATA"
_IDENTIFIER = b"M001"

_INPUTS = {
    "ids": "vocabulary ids of [CLS], the text, [SEP], then of the second text and [SEP] where "
           "there is one, then padding",
    "mask": "1 for these tokens, 0 for padding",
    "segment_ids": "0 for the first text and its [SEP], 1 for the second, 0 for padding",
}
_LICENSE = ("The code that made this file: Apache License 2.0. The weights: the licence that their "
            "owner gave them, which this file does not know.")
_AXIS_LABELS, _VOCABULARY = 2, 5  # AssociatedFileType
_BERT_TOKENIZER = 4  # ProcessUnitOptions


# The schema's tables. The position of a field is its number in the schema; later fields are left
# out.


@dataclasses.dataclass
class _AssociatedFile:
    name: str
    description: str
    type: int


@dataclasses.dataclass
class _BertTokenizerOptions:
    vocab_file: list


@dataclasses.dataclass
class _ProcessUnit:
    options_type: int
    options: _BertTokenizerOptions


@dataclasses.dataclass
class _TensorMetadata:
    name: str
    description: str | None
    dimension_names: None = None
    content: None = None
    process_units: None = None
    stats: None = None
    associated_files: list | None = None


@dataclasses.dataclass
class _SubGraphMetadata:
    name: str
    description: None
    input_tensor_metadata: list
    output_tensor_metadata: list
    associated_files: None
    input_process_units: list | None


@dataclasses.dataclass
class _ModelMetadata:
    name: str
    description: str
    version: str
    subgraph_metadata: list
    author: str
    license: str
    associated_files: None
    min_parser_version: str


def insert(model: bytes, metadata) -> bytes:
    """Return the flatbuffer with the table in it; an earlier table is replaced.

    A graph has a description for each of its inputs and outputs, in its own order, with the names
    of the signature. The tokenizer is stated only for vocabularies of lower-cased text: clients
    lower-case every text. Without a tokenizer they refuse the file instead of giving it wrong
    words.

    Args:
      model: a flatbuffer without a zip archive behind it.
      metadata: the file's `metadata.Metadata`.
    """
    content = schema.ModelT.InitFromObj(schema.Model.GetRootAs(model, 0))
    table = np.frombuffer(_finish(_model(content, metadata)), np.uint8)
    _buffer(content).data = table
    return graph_file.pack(content)


def _buffer(content):
    """The model's buffer for the table; a new one if there is none."""
    for entry in content.metadata:
        if entry.name == NAME:
            return content.buffers[entry.buffer]
    entry = schema.MetadataT()
    entry.name, entry.buffer = NAME, len(content.buffers)
    content.metadata.append(entry)
    content.buffers.append(schema.BufferT())
    return content.buffers[-1]


def _model(content, metadata):
    kind = metadata.kind.name.replace("_", " ")
    lengths = " or ".join(map(str, metadata.lengths))
    units = _process_units(metadata)
    signatures = {signature.subgraphIndex: signature for signature in content.signatureDefs}
    return _ModelMetadata(
        name=f"Text {kind}",
        description=f"An encoder of {metadata.config.num_blocks} blocks for {kind}, exported with "
                    f"the recipe {metadata.recipe} for {lengths} tokens.",
        version=metadata.version,
        subgraph_metadata=[_subgraph(graph, signatures[index], metadata, units)
                           for index, graph in enumerate(content.subgraphs)],
        author=f"mobilebert-tf {metadata.version}", license=_LICENSE, associated_files=None,
        # The schema's history: process units came with 1.1.0, all else here with the first.
        min_parser_version="1.0.0" if units is None else "1.1.0")


def _subgraph(graph, signature, metadata, units):
    names = {tensor.tensorIndex: tensor.name.decode()
             for tensor in (*signature.inputs, *signature.outputs)}
    labels = None if metadata.labels is None else [
        _AssociatedFile("labels.txt", "a name for each class, one a line", _AXIS_LABELS)]
    return _SubGraphMetadata(
        name=signature.signatureKey.decode(), description=None,
        input_tensor_metadata=[_TensorMetadata(names[tensor], _INPUTS[names[tensor]])
                               for tensor in graph.inputs],
        output_tensor_metadata=[_output(metadata.kind, names[tensor], labels)
                                for tensor in graph.outputs],
        associated_files=None, input_process_units=units)


def _output(kind, name, labels):
    output = kind.outputs[name]
    return _TensorMetadata(output.client_name or name, output.description, associated_files=labels)


def _process_units(metadata):
    if metadata.vocabulary is None or not metadata.lower_case:
        return None
    vocabulary = _AssociatedFile("vocab.txt", "WordPiece vocabulary, a piece a line", _VOCABULARY)
    return [_ProcessUnit(_BERT_TOKENIZER, _BertTokenizerOptions([vocabulary]))]


def _finish(root):
    builder = flatbuffers.Builder()
    builder.Finish(_write(builder, root), _IDENTIFIER)
    return bytes(builder.Output())


def _write(builder, value):
    """Write a string, a list of tables or a table with its contents; return its offset."""
    if isinstance(value, str):
        return builder.CreateString(value)
    if isinstance(value, list):
        offsets = [_write(builder, item) for item in value]
        builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            builder.PrependUOffsetTRelative(offset)
        return builder.EndVector()
    values = [getattr(value, field.name) for field in dataclasses.fields(value)]
    # The objects that a table refers to are written first; integers lie within it.
    written = [item if item is None or isinstance(item, int) else _write(builder, item)
               for item in values]
    builder.StartObject(len(values))
    for slot, (item, offset) in enumerate(zip(values, written, strict=True)):
        if isinstance(item, int):
            builder.PrependInt8Slot(slot, item, 0)
        elif item is not None:
            builder.PrependUOffsetTRelativeSlot(slot, offset, 0)
    return builder.EndObject()
