"""Keep a fine-tuned teacher as what it changed in the model that it started from.

A fine-tuning of bge-small-en-v1.5 has 33 million weights, and changes each of them little. Here a
change is a bit of sign for each weight of a block's kernels and a scale for each of its columns
(Liu et al. 2024, BitDelta, arXiv:2402.10193), the embedding is the base's, and everything else is
kept in 16 bits: 3 MB instead of 133. The rebuilt teacher is another model than the one that was
fine-tuned; evaluate it before you use it.

  python docs/experiments/teacher_changes.py keep bge-small-en-v1.5 teachers/cola cola.safetensors
  python docs/experiments/teacher_changes.py rebuild bge-small-en-v1.5 cola.safetensors cola
"""

import argparse
import json
from pathlib import Path

import numpy as np
import tf_keras as keras
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from mobilebert_tf import kinds, model_directory
from mobilebert_tf.files import written_atomically

SIGNS, SCALES = "signs/", "scales/"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("what", choices=("keep", "rebuild"))
    parser.add_argument("base", type=Path, help="directory of the model before fine-tuning")
    parser.add_argument("source", type=Path, help="the fine-tuned model; or the file")
    parser.add_argument("output", type=Path, help="the file; or the model directory")
    arguments = parser.parse_args()
    {"keep": keep, "rebuild": rebuild}[arguments.what](
        arguments.base, arguments.source, arguments.output)


def keep(base, source, output):
    """Write the changes of a model directory as one file."""
    contents = model_directory.load(source)
    before = base_weights(base)
    tensors = {}
    for variable in contents.model.weights:
        tensors.update(changes(variable.name, variable.numpy(), before.get(variable.name)))
    facts = {"model": json.dumps(keras.saving.serialize_keras_object(contents.model)),
             "description": (source / "model.json").read_text("utf-8")}
    with written_atomically(output) as (temporary,):
        save_file(tensors, temporary, metadata=facts)
    print(f"{output}: {output.stat().st_size / 1e6:.1f} MB")


def rebuild(base, source, output):
    """Write the model directory that a file of changes tells of."""
    before = base_weights(base)
    with safe_open(source, framework="numpy") as file:
        facts = file.metadata()
    tensors = load_file(source)
    model = keras.saving.deserialize_keras_object(json.loads(facts["model"]))
    for variable in model.weights:
        variable.assign(changed(variable.name, tuple(variable.shape), tensors,
                                before.get(variable.name)))
    described = json.loads(facts["description"])
    kind = kinds.described(*(described.pop(name) for name in ("kind", "labels", "settings")),
                           str(source))
    model_directory.save(output, model_directory.ModelDirectory(
        model, model_directory.load(base).vocabulary, kind, **described))


def base_weights(directory):
    """The weights of a directory's encoder, by name."""
    encoder = model_directory.load(directory).model.encoder
    return {variable.name: variable.numpy() for variable in encoder.weights}


def changes(name, value, before):
    """Return the tensors that tell a weight: none for a table of the base."""
    if before is None or value.ndim == 1:
        return {name: value.astype(np.float16)}
    if "block" not in name:
        return {}
    change = value - before
    return {SIGNS + name: np.packbits(change > 0),
            SCALES + name: np.abs(change).mean(0).astype(np.float16)}


def changed(name, shape, tensors, before):
    """Return the weight that `changes` told."""
    if name in tensors:
        return tensors[name]
    if SIGNS + name not in tensors:
        return before
    signs = np.unpackbits(tensors[SIGNS + name], count=int(np.prod(shape))).reshape(shape)
    return before + (2.0 * signs - 1.0) * tensors[SCALES + name].astype(np.float32)


if __name__ == "__main__":
    main()
