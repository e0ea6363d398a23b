"""Small files of several signatures, and one record to vary."""

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf import kinds
from mobilebert_tf.export.benchmark.latency import Latency
from mobilebert_tf.export.benchmark.record import BenchmarkRecord
from mobilebert_tf.export.file import metadata


def classify(ids, mask, segment_ids):
    """Two classes: how many ids are even, how many are odd."""
    counts = tf.reduce_sum(tf.one_hot(ids % 2, 2) * tf.cast(mask, tf.float32)[..., None], 1)
    return {"probabilities": tf.nn.softmax(counts + 0.0 * tf.cast(segment_ids[:, :1], "float"))}


def signature(length):
    inputs = [tf.TensorSpec((1, length), tf.int32, name) for name in ("ids", "mask", "segment_ids")]
    return tf.function(classify, input_signature=inputs).get_concrete_function()


@pytest.fixture(scope="session")
def several_lengths(vocabulary, tmp_path_factory):
    """Path of a classifier for 6 and 16 tokens, as `export` writes one."""
    directory = tmp_path_factory.mktemp("several")
    signatures = {f"length_{length}": signature(length) for length in (6, 16)}
    tf.saved_model.save(tf.Module(), str(directory / "saved"), signatures=signatures)
    model = tf.lite.TFLiteConverter.from_saved_model(
        str(directory / "saved"), signature_keys=list(signatures)).convert()
    path = directory / "several.tflite"
    path.write_bytes(metadata.attach(model, metadata.Metadata(
        kind=kinds.get("classification")(), recipe="float32", lengths=(6, 16), num_classes=2,
        config=mb.presets.get("micro"), runtime="2.17.0", vocabulary=vocabulary)))
    return path


@pytest.fixture
def record():
    """Changes -> `BenchmarkRecord`; `times_ms` are those of its runs."""

    def make(**changes):
        values = {
            "model": "m.tflite", "signature": "serving_default", "num_threads": 4,
            "input_bytes": 1536, "name": "mobilebert", "preset": "mobilebert",
            "kind": "classification", "recipe": "dynamic_int8", "random_weights": True,
            "peak_memory_mb": 55.0, "length": 128, "bytes": 25_000_000, "machine": "a box",
            "versions": {"ai-edge-litert": "2.3.0"}, "date": "2026-11-20T10:00:00+00:00",
            "command": "mobilebert benchmark --runs 1"}
        latency = Latency.from_times(changes.pop("times_ms", [10.0]), [np.nan], 1.0)
        return BenchmarkRecord(latency=latency, **{**values, **changes})

    return make
