"""Runner: an exported file, opened with LiteRT. No TensorFlow here."""

import dataclasses
import os
from functools import cached_property
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter

from mobilebert_tf import reasons
from mobilebert_tf.checks import check_threads
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.file import metadata
from mobilebert_tf.export.package.file_settings import pairs_of, settings_of
from mobilebert_tf.text.tokenizer import Tokenizer

# The names of the encoder's inputs in a file, in the order of its graph.
INPUT_NAMES = {"ids": "input_word_ids", "mask": "input_mask", "segment_ids": "input_type_ids"}


class Runner:
    """Runs an exported file on batches, through its signatures.

    Args:
      file: path of a .tflite file that this project exported, or its content.
      num_threads: threads of the CPU kernels, 1 to 1,024; None for LiteRT's default.

    It is a `ModelRunner`. Its kind has the settings of the file's package, if there is one, else
    those of the file.

    Attributes:
      metadata: a `Metadata`.
      kind: of the model, with its labels and settings.
      pairs: whether it reads pairs of texts. Its package says so, else the file; None if neither
        does.

    Raises:
      InputError: as `metadata.read` does, if LiteRT cannot open the file, if its graph has other
        inputs or outputs than it describes, and for threads, and settings of its package, that are
        out of range.
    """

    def __init__(self, file: str | os.PathLike | bytes, num_threads: int | None = None):
        if num_threads is not None:
            check_threads(num_threads)
            num_threads = int(num_threads)  # LiteRT takes no integer of NumPy
        self.metadata = metadata.read(file)
        self.kind = self.metadata.kind
        # Apps read the package's model.json, so that what is changed there holds here too.
        self.pairs = self.metadata.pairs
        if not isinstance(file, bytes) and self.kind.table is not None:
            self.pairs = pairs_of(Path(file), self.metadata)
        if not isinstance(file, bytes) and self.kind.settings_type is not None:
            beside = settings_of(Path(file), self.kind)
            self.kind = dataclasses.replace(self.kind, settings=beside or self.kind.settings)
        source = ({"model_content": file} if isinstance(file, bytes)
                  else {"model_path": os.fsencode(file)})  # names need not be UTF-8
        self._name = "the model" if isinstance(file, bytes) else os.fspath(file)
        try:
            self._interpreter = Interpreter(**source, num_threads=num_threads)
            self._interpreter.allocate_tensors()
            self._signatures = {
                length: self._interpreter.get_signature_runner(self.metadata.signature(length))
                for length in self.metadata.lengths}
        except (ValueError, RuntimeError) as error:
            raise InputError(
                f"LiteRT cannot open {self._name}: {reasons.last_line(error)}") from error
        for length, signature in self._signatures.items():
            self._check(length, _shapes(signature.get_input_details()),
                        _shapes(signature.get_output_details()))

    def _check(self, length, inputs, outputs):
        """Raise InputError unless a graph's inputs and outputs are those of the description."""
        if inputs.keys() != INPUT_NAMES.keys():
            raise InputError(f"{self._name} should have the inputs {', '.join(INPUT_NAMES)}, and "
                             f"its graph takes {', '.join(inputs)}")
        if set(inputs.values()) != {(1, length)}:
            raise InputError(f"{self._name} describes inputs of {length} tokens, and its graph "
                             f"takes {', '.join(map(str, sorted(set(inputs.values()))))}")
        if outputs.keys() != self.kind.outputs.keys():
            raise InputError(f"{self._name} describes a model for {self.kind.name}, whose outputs "
                             f"are {', '.join(self.kind.outputs)}, and its graph gives "
                             f"{', '.join(outputs)}")
        classes = self.metadata.num_classes
        for name, shape in outputs.items():
            rows = (1, length) if self.kind.outputs[name].per_token else (1,)
            if shape[:len(rows)] != rows:
                raise InputError(f"{self._name} describes inputs of {length} tokens, and its graph "
                                 f"gives {name} of shape {shape}")
            if classes is not None and shape[-1:] != (classes,):
                raise InputError(f"{self._name} describes {classes} classes, and its graph gives "
                                 f"{name} of shape {shape}")

    @property
    def length(self) -> int:
        return self.metadata.length

    def length_for(self, tokens: int) -> int:
        return self.metadata.length_for(tokens)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the file's vocabulary.

        Raises:
          InputError: if the file carries no vocabulary.
        """
        if self.metadata.vocabulary is None:
            raise InputError(f"{self._name} carries no vocabulary: export it again with one")
        return Tokenizer(self.metadata.vocabulary, self.metadata.lower_case)

    def __call__(self, inputs) -> dict[str, np.ndarray]:
        """Run a batch, one row after the other.

        Args:
          inputs: `input_word_ids`, `input_mask`, `input_type_ids`, int32 `(batch, length)`, as
            `text.packing.encode_batch` makes them. They are padded to the shortest signature that
            holds them; `length_for` tells the length to pack to.
        Returns:
          float32 `(batch, ...)` by output name; outputs per token are as long as the signature.
        Raises:
          InputError: for inputs longer than the file takes, for a missing one, and unless all have
            one shape.
        """
        count, width = self._check_inputs(inputs)
        length = next((length for length in self._signatures if length >= width), None)
        if length is None:
            raise InputError(f"{self._name} takes {self.metadata.length} tokens. "
                             f"Received: inputs of {width}")
        padded = {name: np.pad(inputs[keras_name], ((0, 0), (0, length - width))).astype(np.int32)
                  for name, keras_name in INPUT_NAMES.items()}
        if not count:
            return {name: np.zeros((0, *shape[1:]), np.float32) for name, shape in _shapes(
                self._signatures[length].get_output_details()).items()}
        rows = [self._signatures[length](
            **{name: values[row:row + 1] for name, values in padded.items()})
            for row in range(count)]
        return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}

    def _check_inputs(self, inputs):
        """Return the shape that all inputs have."""
        missing = [name for name in INPUT_NAMES.values() if name not in inputs]
        if missing:
            raise InputError(f"{self._name} needs the input {missing[0]}")
        shapes = {np.shape(inputs[name]) for name in INPUT_NAMES.values()}
        if len(shapes) > 1 or len(shape := shapes.pop()) != 2:
            raise InputError(f"{self._name} takes inputs of one shape (batch, length). Received: "
                             + ", ".join(f"{name} {np.shape(inputs[name])}"
                                         for name in INPUT_NAMES.values()))
        return shape

    @property
    def output_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each output for one row of the longest length, by its name."""
        return _shapes(self._signatures[self.length].get_output_details())

    def delegation(self) -> tuple[int, int]:
        """Return the number of partitions that the CPU delegate runs, and of all nodes."""
        # LiteRT has no public function for it. The list has every node, then the partitions.
        names = [node["op_name"] for node in self._interpreter._get_ops_details()]
        partitions = names.count("DELEGATE")
        return partitions, len(names) - partitions


def _shapes(details):
    """Return the shapes of a signature's inputs or outputs by name."""
    return {name: tuple(map(int, one["shape"])) for name, one in details.items()}
