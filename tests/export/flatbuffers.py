"""The content of .tflite files as objects."""

from ai_edge_litert import schema_py_generated as schema


def parse(content):
    """The bytes of a file -> its `ModelT`."""
    return schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
