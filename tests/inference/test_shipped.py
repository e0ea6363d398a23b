"""Listing models of a directory, and finding one by its short name."""

import json
from pathlib import Path

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.inference import shipped


def package(models, name, *recipes, size=1234):
    place = models / name
    place.mkdir(parents=True)
    (place / "model.json").write_text(json.dumps({
        "name": name, "kind": "classification", "task": "sst2", "licence": "mit", "other": 1,
        "files": [{"file": f"{recipe}.tflite", "recipe": recipe, "bytes": size, "sha256": "0" * 64,
                   "gate": {"task": "sst2", "metric": "accuracy", "file_score": 0.5,
                            "passed": True}} for recipe in recipes]}))
    (place / "SHA256SUMS").write_text("")
    (place / "README.md").write_text(
        "---\nlicense: mit\n---\n\n# Title\n\nSays yes\nor no. More.\n")
    return place


@pytest.fixture
def models(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    package(tmp_path / "m", "a_mini_sst2", "int8", "float32")
    package(tmp_path / "m", "a_mini_squad", "int8")
    package(tmp_path / "m", "a_small_squad", "int8")
    (tmp_path / "m" / "a_mini").mkdir()
    (tmp_path / "m" / "a_mini" / "model.safetensors").write_bytes(b"12345")
    (tmp_path / "m" / "notes").mkdir()
    return Path("m")


def test_lists_what_the_packages_say(models):
    found = {one.name: one for one in shipped.listed(models)}
    assert list(found) == ["a_mini", "a_mini_squad", "a_mini_sst2", "a_small_squad"]
    one = found["a_mini_sst2"]
    assert (one.kind, one.task, one.licence, one.purpose) == (
        "classification", "sst2", "mit", "Says yes or no.")
    assert [(file.recipe, file.bytes, file.metric, file.score) for file in one.files] == [
        ("int8", 1234, "accuracy", 0.5), ("float32", 1234, "accuracy", 0.5)]
    assert (found["a_mini"].kind, found["a_mini"].files[0].bytes) == (None, 5)


@pytest.mark.parametrize(("name", "path"), [
    ("sst2", "m/a_mini_sst2/int8.tflite"), ("mini_sst2", "m/a_mini_sst2/int8.tflite"),
    ("a_mini_sst2", "m/a_mini_sst2/int8.tflite"), ("small_squad", "m/a_small_squad/int8.tflite"),
    ("mini", "m/a_mini"), ("v1.5", "m/a_v1.5/int8.tflite"), ("x/sst2", "x/sst2"),
    ("sst2.tflite", "sst2.tflite")])
def test_ends_of_a_name_find_a_model(models, name, path):
    package(models, "a_v1.5", "int8")
    assert shipped.resolve(Path(name), models) == Path(path)


def test_what_exists_goes_first(models):
    Path("sst2").mkdir()
    assert shipped.resolve(Path("sst2"), models) == Path("sst2")


def test_a_package_is_its_first_file(models):
    assert shipped.resolve(models / "a_mini_sst2") == models / "a_mini_sst2/int8.tflite"
    (models / "a_mini_sst2" / "model.json").write_text("{}")
    with pytest.raises(InputError, match="^m/a_mini_sst2/model.json: .* field"):
        shipped.resolve(models / "a_mini_sst2")


def test_other_directories_beside_them_are_left_alone(models):
    """A model directory of one's own has a model.json, too."""
    (models / "my_own").mkdir()
    (models / "my_own" / "model.json").write_text('{"kind": "classification"}')
    (models / "download").mkdir()
    (models / "download" / "SHA256SUMS").write_text("")
    assert not {"my_own", "download"} & {one.name for one in shipped.listed(models)}
    assert shipped.resolve(Path("sst2"), models) == models / "a_mini_sst2/int8.tflite"


@pytest.mark.parametrize("field", ["name", "kind", "files"])
def test_a_package_that_lacks_a_field_is_named(models, field):
    path = models / "a_mini_sst2" / "model.json"
    facts = json.loads(path.read_text())
    del facts[field]
    path.write_text(json.dumps(facts))
    with pytest.raises(InputError, match=f"^m/a_mini_sst2/model.json: .* field {field}$"):
        shipped.listed(models)


def test_a_text_in_the_place_of_the_model_is_no_model(models):
    with pytest.raises(InputError, match="there is no model a good film"):
        shipped.resolve(Path("a good film " * 40), models)


def test_of_several_models_the_smallest_is_meant(models):
    package(models, "a_tiny_squad", "int8", size=617)
    package(models, "z_squad", "int8", size=618)
    assert shipped.resolve(Path("squad"), models) == models / "a_tiny_squad/int8.tflite"


def test_one_sentence_lists_the_known(models):
    with pytest.raises(InputError, match="no model st2, .* known there are a_mini, a_mini_squad, "
                                         "a_mini_sst2, a_small_squad$"):
        shipped.resolve(Path("st2"), models)


def test_the_place_is_given_by_argument_or_variable(models, monkeypatch):
    assert (shipped.directory() / "README.md").exists()  # of the checkout
    monkeypatch.setenv("MOBILEBERT_MODELS", "m")
    assert shipped.directory() == Path("m")
    assert shipped.directory("m/notes") == Path("m/notes")
    with pytest.raises(InputError, match="no directory of models nowhere"):
        shipped.directory("nowhere")
