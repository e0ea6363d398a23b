"""Files of tensors with a byte changed, cut short, or with a stretch lost.

safetensors and PyTorch's old format have no checksum of their data: of them only what is before the
data is damaged, where the names, types and shapes stand.
"""

import io
import pickletools
import shutil

import numpy as np
import pytest

import mobilebert_tf as mb

from ..weights import randomize
from . import subjects, sweep

CASES, MANY_CASES = 60, 3000


def safetensors_of(place, golden):
    subjects.huggingface_of(place)
    subject = subjects.at(place / "model.safetensors", lambda: subjects.of_model(
        subjects.model_directory.load(place)))
    return subject, 8 + int.from_bytes(subject.content[:8], "little")


def torch_of(name):
    def make(place, golden):
        for file in ("config.json", name):
            shutil.copy(golden / "saved" / file, place)
        (place / name).rename(place / "pytorch_model.bin")
        subject = subjects.at(place / "pytorch_model.bin", lambda: subjects.of_model(
            subjects.model_directory.load(place)))
        return subject, None if subject.content[:2] == b"PK" else end_of_pickles(subject.content)
    return make


def end_of_pickles(content):
    """Where the data begin, behind five pickles."""
    file = io.BytesIO(content)
    for _ in range(5):
        for _ in pickletools.genops(file):
            pass
    return file.tell()


def keras_of(place, golden):
    subjects.model_directory_of(place)
    return subjects.at(place / "model.keras", lambda: subjects.of_model(
        subjects.model_directory.load(place))), None


def tflite_of(place, golden):
    return subjects.tflite_of(place / "model.tflite"), None


def google_of(suffix):
    def make(place, golden):
        model = randomize(mb.Classifier(mb.Encoder(subjects.CONFIG), 3))
        prefix = place / "model.ckpt"
        mb.checkpoints.save_google(model, prefix)

        def answer():
            loaded = mb.checkpoints.load_google(prefix, subjects.CONFIG)
            return type(loaded).__name__, [weights.tobytes() for weights in loaded.get_weights()]

        return subjects.at(place / f"model.ckpt{suffix}", answer), None
    return make


FILES = {
    "safetensors": safetensors_of,
    "PyTorch's zip": torch_of("new_format.bin"),
    "PyTorch's old format": torch_of("legacy_format.bin"),
    ".keras": keras_of,
    ".tflite": tflite_of,
    "TF1's data": google_of(".data-00000-of-00001"),
    "TF1's index": google_of(".index"),
}


@pytest.fixture(params=FILES)
def damage(request, tmp_path, golden_models, record_property):
    """count -> tries as many damaged files."""
    subject, last = FILES[request.param](tmp_path, golden_models)

    def try_many(count, seed):
        tally = sweep.Tally(subject.answer)
        for name, content in sweep.damaged(subject.content, count, np.random.default_rng(seed),
                                           last=last):
            subject.write(content)
            tally.try_one(name)
        record_property("outcomes", str(tally.counts))
        assert tally.counts["refused"] > count // 4

    return try_many


def test_damage_is_a_sentence_or_changes_nothing(damage):
    damage(CASES, seed=1)


@pytest.mark.slow
def test_much_damage_is_a_sentence_or_changes_nothing(damage):
    damage(MANY_CASES, seed=2)
