"""Compare a file's latency with that of its dense layers alone: the same file without attention.

  python docs/experiments/floor.py --preset mobilebert --recipes dynamic_int8,int8 \\
    --files others.tflite,others.onnx

Export a classifier of random weights by every recipe twice: as it is, and with the sum of query,
key and value in place of attention, which leaves dense layers and residual sums. Measure these and
the given files in one interleaved run, once with one thread and once with as many as `mobilebert
benchmark` uses. Ratios are to the first file.
"""

import argparse
import contextlib
import tempfile
from pathlib import Path
from unittest import mock

from mobilebert_tf.export import recipes
from mobilebert_tf.export.benchmark import compare, host, random_weights
from mobilebert_tf.export.file.convert import to_tflite
from mobilebert_tf.export.lean import graph as lean_graph

LENGTH = 128


def without_attention(model, query, key, value, padding, tap):
    """Replace attention by a sum that reads the same tensors at a fraction of the cost."""
    return query + key[:, :query.shape[1]] + value[:, :query.shape[1]]


def export(directory, preset, recipe):
    """Write the recipe's two files; return their paths."""
    model = random_weights.classifier(preset)
    calibration = ({"calibration": random_weights.calibration(preset, LENGTH)}
                   if recipes.get(recipe).calibrated else {})
    paths = []
    for name, replaced in (
            (recipe, contextlib.nullcontext()),
            (f"{recipe}, without attention",
             mock.patch.object(lean_graph, "_attention", without_attention))):
        paths.append(directory / name)
        with replaced:
            paths[-1].write_bytes(to_tflite(model, recipe, (LENGTH,), **calibration).model)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="mobilebert")
    parser.add_argument("--recipes", default="dynamic_int8,int8", help="comma-separated")
    parser.add_argument("--files", default="", help="others' files, comma-separated")
    parser.add_argument("--runs", type=int, default=100, help="timed runs of each file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        files = [Path(file) for file in arguments.files.split(",") if file]
        for recipe in arguments.recipes.split(","):
            files += export(Path(directory), arguments.preset, recipe)
        print(compare.machine())
        for threads in sorted({1, host.default_threads()}):
            measured = host.measure([(file, None) for file in files], threads, arguments.runs)
            first = measured[0].latency.median_ms
            print(f"\n{threads} thread(s): median ms, ratio to {files[0].name}")
            for file, one in zip(files, measured, strict=True):
                print(f"{one.latency.median_ms:8.2f}  {one.latency.median_ms / first:.2f}  "
                      f"{file.name}")


if __name__ == "__main__":
    main()
