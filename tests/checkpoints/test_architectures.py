"""The table of architectures: a model class from outside joins it with one call."""

import dataclasses

import numpy as np
import pytest
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf import records
from mobilebert_tf.checkpoints import architectures, keras_file, places
from mobilebert_tf.checkpoints.architectures import Architecture
from mobilebert_tf.models.encoder_model import EncoderModel

CONFIG = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, num_feed_forwards=1)


@keras.utils.register_keras_serializable(package="tests")
class Ranker(EncoderModel):
    """Scores of a text by several judges."""

    def __init__(self, encoder, judges, **kwargs):
        head = keras.layers.Dense(judges, name="scores")
        super().__init__(encoder, inputs=encoder.input, settings={"judges": judges},
                         outputs=head(encoder(encoder.input)["pooled_output"]), **kwargs)
        self.head = head


@dataclasses.dataclass(frozen=True)
class RankerSettings:
    judges: records.Size


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(architectures, "_TABLE", dict(architectures._TABLE))
    architectures.register(Architecture(
        Ranker, RankerSettings, lambda config, settings: places.output(
            "ranker/", "head", config.pooled_size, settings.judges)))


@pytest.fixture
def ranker(randomize):
    return randomize(Ranker(mb.Encoder(CONFIG), 3, name="ranks"))


def test_a_registered_class_is_loaded_from_a_keras_file(registered, ranker, batch, tmp_path):
    ranker.save(tmp_path / "model.keras")
    loaded = keras_file.load(tmp_path / "model.keras")
    assert type(loaded) is Ranker
    assert loaded.get_config() == ranker.get_config()
    np.testing.assert_array_equal(loaded(batch), ranker(batch))


def test_the_places_of_its_head_are_compared_with_the_file(ranker, monkeypatch, tmp_path):
    ranker.save(tmp_path / "model.keras")
    monkeypatch.setattr(architectures, "_TABLE", dict(architectures._TABLE))
    architectures.register(Architecture(Ranker, RankerSettings))
    with pytest.raises(mb.InputError, match=r"holds [\d,]+ numbers, but the model"):
        keras_file.load(tmp_path / "model.keras")


def test_published_layouts_refuse_it_with_one_sentence(registered, ranker, tmp_path):
    with pytest.raises(mb.InputError, match=r"no class for a Ranker; save .*\(\)$"):
        mb.checkpoints.save_huggingface(ranker, tmp_path / "out")
    with pytest.raises(mb.InputError, match=r"Google's layout has no Ranker; save .*\(\)$"):
        mb.checkpoints.save_google(ranker, tmp_path / "out" / "model.ckpt")
    assert list(tmp_path.iterdir()) == []


def test_a_class_that_is_not_registered_is_refused(ranker, tmp_path):
    with pytest.raises(mb.InputError, match="a Ranker cannot be saved .*register"):
        mb.checkpoints.save_huggingface(ranker, tmp_path / "out")
    ranker.save(tmp_path / "model.keras")
    with pytest.raises(mb.InputError, match="not one of this project"):
        keras_file.load(tmp_path / "model.keras")


def test_a_sentence_encoder_is_ours_alone(tmp_path):
    model = mb.SentenceEncoder(mb.Encoder(CONFIG))
    with pytest.raises(mb.InputError, match="no class for a SentenceEncoder; save its encoder"):
        mb.checkpoints.save_huggingface(model, tmp_path / "out")
    with pytest.raises(mb.InputError, match="no SentenceEncoder"):
        mb.checkpoints.save_google(model, tmp_path / "out" / "model.ckpt")


@pytest.mark.parametrize("pooler", ["mean", "first_token"])
def test_a_sentence_encoder_is_loaded_with_its_pooler(pooler, randomize, batch, tmp_path):
    model = randomize(mb.SentenceEncoder(mb.Encoder(CONFIG), pooler))
    model.save(tmp_path / "model.keras")
    loaded = keras_file.load(tmp_path / "model.keras")
    assert loaded.pooler == pooler
    np.testing.assert_array_equal(loaded(batch), model(batch))
