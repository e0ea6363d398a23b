"""Measure other ways to compute attention, by recipe: size, operations, exactness and latency.

  python docs/experiments/attention.py --preset mobilebert --recipes dynamic_int8,int8 \\
    --variants by_heads,keys_in_place --files others.tflite --output attention

Export a classifier of random weights by every recipe, as `mobilebert export` does and by every
variant. Every variant computes the same function. Then measure the given files and these in one
interleaved run, once with one thread and once with as many as `mobilebert benchmark` uses. Ratios
are to the first file. `op_profile.py` says which operations take the time.

With --check, export a small encoder in float32 instead, and print how far each variant is from the
Keras model, and how far one is that forgets the values' bias.
"""

import argparse
import contextlib
import dataclasses
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import tensorflow as tf

from mobilebert_tf import machine
from mobilebert_tf.export import recipes
from mobilebert_tf.export.benchmark import host, random_weights
from mobilebert_tf.export.benchmark.plan import default_threads
from mobilebert_tf.export.file.convert import to_tflite
from mobilebert_tf.export.lean import graph as lean_graph
from mobilebert_tf.export.lean import rewrites
from mobilebert_tf.export.lean.weights.dense import LeanDense
from mobilebert_tf.export.rule import Rule

LENGTH = 128
CHECKED = "micro"  # its values have a bias after the other rewrites
_SCOPE = "by_heads"  # of the operations that the quantizer has to know


@dataclasses.dataclass(frozen=True)
class Variant:
    """A way to compute attention.

    Args:
      projections: those of query, key and value that are a product with a constant
        `(1, heads, features in, head size)`, so that they have the layout of heads at once.
      keys_in_place: whether the product of queries and keys transposes the keys itself.
      one_transpose: whether queries and keys are transposed together.
      output: whether every head is multiplied with its part of the output's weights, and a sum over
        the heads replaces the transpose.
    """

    projections: tuple[str, ...] = ()
    keys_in_place: bool = False
    one_transpose: bool = False
    output: bool = False


VARIANTS = {
    "by_heads": Variant(("query", "key", "value"), keys_in_place=True),
    "query_key_by_heads": Variant(("query", "key"), keys_in_place=True),
    "value_by_heads": Variant(("value",)),
    "output_by_heads": Variant(output=True),
    "all_by_heads": Variant(("query", "key", "value"), keys_in_place=True, output=True),
    "keys_in_place": Variant(keys_in_place=True),
    "one_transpose": Variant(keys_in_place=True, one_transpose=True),
}


@dataclasses.dataclass(frozen=True)
class ByHeads(LeanDense):
    """A dense layer whose output is `(batch, heads, positions, units / heads)`."""

    heads: int


@dataclasses.dataclass(frozen=True)
class Paired(LeanDense):
    """The same, for layers that read one tensor and are transposed together."""

    heads: int


def marked(model, variant):
    """Return the model with the variant's projections marked, and without biases of key and value.

    A product by heads has no bias. The softmax removes the keys' bias, which adds the same to all
    logits of a query. The values' bias passes through attention, since probabilities sum to 1, and
    goes to the output's. Only the queries' bias stays.
    """
    heads = model.config.num_heads

    def block(old):
        changed, output = {}, old.attention_output
        for name in variant.projections:
            dense = getattr(old, name)
            bias = dense.bias if name == "query" else np.zeros_like(dense.bias)
            changed[name] = ByHeads(dense.kernel, bias, heads)
        if variant.one_transpose:
            changed |= {name: Paired(getattr(old, name).kernel, getattr(old, name).bias, heads)
                        for name in ("query", "key")}
        if "value" in variant.projections:
            bias = output.dense.bias + old.value.bias @ output.dense.kernel
            changed["attention_output"] = dataclasses.replace(
                output, dense=LeanDense(output.dense.kernel, bias.astype(np.float32)))
        return dataclasses.replace(old, **changed)

    return dataclasses.replace(model, blocks=tuple(map(block, model.blocks)))


def _parallel(real):
    def parallel(tensor, denses, merged):
        if tf.executing_eagerly():  # ranges are measured, of activations that do not change
            return real(tensor, denses, merged)
        if len(denses) > 1 and all(isinstance(dense, Paired) for dense in denses):
            joint = real(tensor, [_joined(denses)], merged)[0]
            return tf.split(_heads_first(joint, len(denses) * denses[0].heads), len(denses), axis=1)
        plain = iter(real(tensor, [one for one in denses if not isinstance(one, ByHeads)], merged))
        return [_by_heads(tensor, one) if isinstance(one, ByHeads) else next(plain)
                for one in denses]
    return parallel


def _joined(denses):
    return LeanDense(tf.concat([dense.kernel for dense in denses], axis=1),
                 np.concatenate([dense.bias for dense in denses]))


def _by_heads(tensor, dense):
    kernel = tf.convert_to_tensor(dense.kernel)
    kernel = tf.reshape(kernel, (1, kernel.shape[0], dense.heads, -1))
    with tf.name_scope(_SCOPE):
        product = tf.matmul(tensor, tf.transpose(kernel, (0, 2, 1, 3)))
    if not np.any(dense.bias):
        return product
    return product + dense.bias.reshape(1, dense.heads, 1, -1)


def _heads_first(tensor, heads):
    """(batch, positions, width) -> (batch, heads, positions, width / heads)."""
    if tensor.shape.rank == 4:
        return tensor
    parts = tf.reshape(tensor, (-1, tensor.shape[1], heads, tensor.shape[2] // heads))
    return tf.transpose(parts, (0, 2, 1, 3))


def _attention(real, variant):
    def attention(model, query, key, value, padding, tap_logits):
        if tf.executing_eagerly():
            return real(model, query, key, value, padding, tap_logits)
        heads, length = model.config.num_heads, key.shape[-2]
        query, value = _heads_first(query, heads), _heads_first(value, heads)
        if variant.keys_in_place:
            logits = tf.matmul(query, _heads_first(key, heads), transpose_b=True)
        else:
            parts = tf.reshape(key, (-1, length, heads, key.shape[2] // heads))
            logits = tf.matmul(query, tf.transpose(parts, (0, 2, 3, 1)))
        with tf.name_scope(lean_graph.places.MASK_SCOPE):
            logits = tap_logits(logits) + padding
        context = tf.matmul(tf.nn.softmax(logits), value)
        if variant.output:
            return context
        context = tf.transpose(context, (0, 2, 1, 3))
        return tf.reshape(context, (-1, context.shape[1], context.shape[2] * context.shape[3]))
    return attention


def _dense(real):
    def dense_of(tensor, dense, activation=None):
        if tensor.shape.rank != 4:
            return real(tensor, dense, activation)
        kernel = tf.convert_to_tensor(dense.kernel)
        kernel = tf.reshape(kernel, (1, tensor.shape[1], tensor.shape[3], kernel.shape[1]))
        with tf.name_scope(_SCOPE):
            product = tf.matmul(tensor, kernel)
        return tf.reduce_sum(product, axis=1) + dense.bias
    return dense_of


@contextlib.contextmanager
def exporting(variant, recipe):
    """Let the exporter compute a variant; None changes nothing."""
    if variant is None:
        yield
        return
    changed = dataclasses.replace(
        recipes.get(recipe), rewrites=(*recipes.get(recipe).rewrites, "marked"))
    if changed.rules:
        # XNNPACK does not run a static_int8 product with such a constant.
        changed = dataclasses.replace(changed, rules=(
            *changed.rules, Rule(("BATCH_MATMUL",), "dynamic_int8", _SCOPE)))
    with (mock.patch.dict(recipes.RECIPES, {recipe: changed}),
          mock.patch.dict(rewrites.REWRITES,
                          {"marked": lambda model, ranges: marked(model, variant)}),
          mock.patch.multiple(lean_graph, _parallel=_parallel(lean_graph._parallel),
                              _attention=_attention(lean_graph._attention, variant),
                              _dense=_dense(lean_graph._dense))):
        yield


def export(directory, preset, recipe, names):
    """Write a recipe's file as it is and by every named variant; return their paths."""
    model = random_weights.classifier(preset)
    calibration = ({"calibration": random_weights.calibration(preset, LENGTH)}
                   if recipes.get(recipe).calibrated else {})
    paths = []
    for name in (None, *names):
        with exporting(name and VARIANTS[name], recipe):
            result = to_tflite(model, recipe, (LENGTH,), **calibration)
        paths.append(directory / f"{preset}_{recipe}{'' if name is None else f'_{name}'}.tflite")
        paths[-1].write_bytes(result.model)
        report = result.report
        print(f"{report.nodes:5} operations, {report.xnnpack_partitions} partition(s), "
              f"{report.bytes:10,} bytes, difference {report.max_relative_difference:.1e}: "
              f"{paths[-1].name}", flush=True)
    return paths


def check():
    """Print the largest difference of every variant to the Keras model, relative to its output."""
    model = random_weights.encoder(CHECKED)
    for variable in model.variables:
        if "kernel" in variable.name:
            variable.assign(8 * variable)  # or attention would be nearly uniform
    for name in (None, *VARIANTS):
        print(f"{_difference(model, name):.1e}  {name or 'as exported'}", flush=True)
    with mock.patch.object(sys.modules[__name__], "marked", _forgetful(marked)):
        print(f"{_difference(model, 'by_heads'):.1e}  by_heads without the values' bias")


def _difference(model, name):
    with exporting(name and VARIANTS[name], "float32"):
        return to_tflite(model, "float32", (16,)).report.max_relative_difference


def _forgetful(real):
    def wrong(model, variant):
        return dataclasses.replace(model, blocks=tuple(
            dataclasses.replace(new, attention_output=old.attention_output)
            for new, old in zip(real(model, variant).blocks, model.blocks, strict=True)))
    return wrong


def measure(files, threads, runs):
    """Print median and 5th percentile of the files' times, and their ratios to the first."""
    latencies = [one.latency for one in host.measure([(file, None) for file in files],
                                                     threads, runs)]
    first = latencies[0]
    print(f"\n{threads} thread(s), {runs} runs: median ms, ratio; 5th percentile ms, ratio")
    for file, one in zip(files, latencies, strict=True):
        print(f"{one.median_ms:8.2f} {one.median_ms / first.median_ms:6.3f}   "
              f"{one.p5_ms:8.2f} {one.p5_ms / first.p5_ms:6.3f}  {file.name}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="mobilebert")
    parser.add_argument("--recipes", default="dynamic_int8",
                        help="comma-separated; empty to measure the given files alone")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="comma-separated")
    parser.add_argument("--files", type=Path, nargs="*", default=[], help="measured first")
    parser.add_argument("--output", type=Path, default=Path("attention"), help="for the files")
    parser.add_argument("--runs", type=int, default=100, help="timed runs; 0 for none")
    parser.add_argument("--check", action="store_true", help="measure no time, but exactness")
    arguments = parser.parse_args()
    if arguments.check:
        check()
        return
    arguments.output.mkdir(parents=True, exist_ok=True)
    files = list(arguments.files)
    for recipe in filter(None, arguments.recipes.split(",")):
        files += export(arguments.output, arguments.preset, recipe, arguments.variants.split(","))
    if arguments.runs:
        print(machine.describe())
        for threads in sorted({1, default_threads()}):
            measure(files, threads, arguments.runs)


if __name__ == "__main__":
    main()
