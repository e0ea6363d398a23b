"""What all kinds have in common, and how they are found."""

import dataclasses

import numpy as np
import pytest
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf import kinds
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.exported_head import ExportedHead
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.tasks import catalogue

LABELS = ("O", "B-X", "I-X")
MODELS = {
    "classification": lambda encoder: mb.Classifier(encoder, 3),
    "embedding": mb.SentenceEncoder,
    "encoding": lambda encoder: encoder,
    "fill_mask": mb.Pretrainer,
    "multi_label": lambda encoder: mb.Classifier(encoder, 3, multi_label=True),
    "question_answering": mb.QuestionAnswerer,
    "regression": lambda encoder: mb.Classifier(encoder, 1),
    "tagging": lambda encoder: mb.TokenClassifier(encoder, 3),
}


@pytest.fixture(scope="module")
def models(encoder):
    return {name: build(encoder) for name, build in MODELS.items()}


@pytest.fixture
def registry(monkeypatch):
    """What a test registers is gone after it."""
    monkeypatch.setattr(kinds, "_registered", {})


def test_the_names_are_sorted_and_lead_to_the_classes():
    assert kinds.names() == tuple(MODELS)
    for name in kinds.names():
        assert issubclass(kinds.get(name), Kind)
        assert kinds.get(name).name == name
    with pytest.raises(mb.InputError, match="unknown kind 'classifier'; known are classificat"):
        kinds.get("classifier")


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_of_one_kind(name, models):
    assert [one for one in kinds.names() if kinds.get(one).matches(models[name])] == [name]
    kind = kinds.get(name)
    settings = kind.settings_type and kind.settings_type()
    assert kinds.of(models[name], LABELS, settings) == kind(labels=LABELS, settings=settings)
    assert kinds.of(models[name]) == kind()


def test_a_model_of_no_kind_is_refused():
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])
    with pytest.raises(mb.InputError, match="a Sequential is no model of this project"):
        kinds.of(model)


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_that_is_fine_tuned_builds_its_model_on_the_encoder_itself(name, encoder):
    kind = kinds.get(name)(labels=LABELS)
    if not kind.is_fine_tuned:
        for call in (lambda: kind.build(encoder), kind.losses):
            with pytest.raises(mb.InputError, match=f"nothing is fine-tuned for {name}"):
                call()
        return
    model = kind.build(encoder)
    assert kind.matches(model)
    assert model.encoder is encoder
    model.compile("sgd", **kind.losses())


@pytest.mark.parametrize("name", MODELS)
def test_the_outputs_of_every_kind_are_those_that_it_names(name, models, batch):
    kind = kinds.get(name)()
    found = {key: values.numpy() for key, values in
             kind.keras_outputs(models[name], batch).items()}
    assert found.keys() == kind.outputs.keys()
    for key, values in found.items():
        assert values.dtype == np.float32
        assert np.isfinite(values).all()
        assert kind.outputs[key].description
        assert (values.shape[:2] == (3, 10)) == kind.outputs[key].per_token
    assert isinstance(kind.exported_head(models[name]), ExportedHead)


@pytest.mark.parametrize("name", ["classification", "multi_label"])
def test_probabilities_are_of_one_class_or_of_each_label_on_its_own(name, models, batch, randomize):
    model = randomize(models[name], seed=2)
    logits = model(batch, training=False).numpy()
    found = kinds.get(name)().keras_outputs(model, batch)["probabilities"].numpy()
    powers = np.exp(logits.astype(np.float64))
    expected = (powers / powers.sum(axis=1, keepdims=True) if name == "classification"
                else powers / (1 + powers))
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_every_kind_with_a_task_has_a_card_that_names_the_metrics_of_its_tasks():
    columns = {"text": "text", "label": "label"}
    seen = set()
    for name in catalogue.names():
        own = name in kinds.names() and kinds.get(name).table is not None
        task = catalogue.of(name, columns if own else None, LABELS)
        card = task.kind.card
        assert task.metrics.main in card.metrics, name
        assert card.pipeline_tag
        assert card.limitations
        seen.add(task.kind.name)
    assert seen == {name for name in kinds.names() if kinds.get(name).has_task}


@pytest.mark.parametrize("name", [name for name in MODELS if not kinds.get(name).has_task])
def test_kinds_without_a_task_score_nothing(name, tmp_path):
    kind = kinds.get(name)()
    for call in (lambda: kind.score([], [], None), lambda: kind.constant([], None),
                 lambda: kind.expected([]), lambda: kind.predicted([], []),
                 lambda: kind.readable([], []), lambda: kind.read_answers(tmp_path, [])):
        with pytest.raises(mb.InputError, match=f"no task scores a model for {name}"):
            call()


@pytest.mark.parametrize("name", [name for name in MODELS if kinds.get(name).settings_type])
def test_settings_survive_json_and_change_one_by_one(name):
    kind = kinds.get(name)()
    first, *_ = dataclasses.fields(kind.settings_type)
    changed = kind.with_settings(
        **{first.name: "first_token" if isinstance(first.default, str) else 1})
    assert kind.used_settings == kind.settings_type()
    assert changed.settings != kind.settings_type()
    described = kinds.described(name, None, changed.settings.to_json(), "model.json")
    assert described == changed
    assert kinds.described(name, None, None, "model.json").settings is None
    assert kind.with_settings() is kind
    with pytest.raises(mb.InputError, match=f"a model for {name} has no setting 'depth'; it has "
                                            f"{first.name}"):
        kind.with_settings(depth=1)
    with pytest.raises(mb.InputError, match=r"^model\.json: 'depth' is no setting; known are "):
        kinds.described(name, None, {"depth": 1}, "model.json")


@pytest.mark.parametrize("name", [name for name in MODELS if not kinds.get(name).settings_type])
def test_kinds_without_settings_take_none(name):
    assert kinds.get(name)().used_settings is None
    with pytest.raises(mb.InputError, match=f"a model for {name} has no setting 'depth'; it has n"):
        kinds.get(name)().with_settings(depth=1)
    with pytest.raises(mb.InputError, match=rf"^model\.json: a model for {name} has no settings$"):
        kinds.described(name, None, {}, "model.json")


def test_an_unknown_kind_in_a_description_is_refused_with_its_file():
    with pytest.raises(mb.InputError, match=r"^model\.json: unknown kind 'x'; known are classific"):
        kinds.described("x", None, None, "model.json")
    assert kinds.described("tagging", list(LABELS), None, "model.json").labels == LABELS


def test_a_registered_kind_is_found_before_the_built_in_ones(registry, models):
    @kinds.register
    class Loud(Classification):
        name = "loud"

    assert (kinds.get("loud"), "loud" in kinds.names()) == (Loud, True)
    assert type(kinds.of(models["classification"])) is Loud
    assert type(kinds.of(models["regression"])) is kinds.get("regression")

    @kinds.register
    class Louder(Classification):
        name = "classification"

    assert kinds.get("classification") is Louder
    assert type(kinds.of(models["classification"])) is Louder
    kinds.register(Loud)  # the last one is asked first
    assert type(kinds.of(models["classification"])) is Loud
    assert len(kinds.names()) == len(MODELS) + 1
