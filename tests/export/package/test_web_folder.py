"""The folders that the web page reads. `make web-test` opens one in a browser."""

import hashlib
import json

import pytest

import mobilebert_tf as mb
from mobilebert_tf.cli import package
from mobilebert_tf.export.package import directory as package_directory
from mobilebert_tf.export.package import facts, web_folder
from mobilebert_tf.text.normalization_table import normalization_table

from ...folders import names
from ..commands import invoke
from ..conftest import LABELS, LENGTH

GATE = {"task": "sst2", "metric": "accuracy", "file_score": 0.75, "passed": True}


@pytest.fixture
def page(tmp_path):
    """A built page, as far as Python looks at it."""
    built = tmp_path / "page"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<title>page</title>")
    (built / "assets" / "index.js").write_text("start()")
    return built


@pytest.fixture
def packaged(exported, tmp_path):
    """kind, recipes -> a package of it on the disk."""

    def make(kind, recipes=("dynamic_int8",), name="tiny", **changes):
        results = {f"{name}_{recipe}.tflite": exported(kind, recipe) for recipe in recipes}
        known = {**facts.of_model(name, next(iter(results.values()))), "pairs": False,
                 "files": [{**facts.of_file(file, result), "gate": GATE}
                           for file, result in results.items()], **changes}
        files = {file: result.model for file, result in results.items()}
        place = tmp_path / f"{kind}_{name}"
        package_directory.write(
            place, {**files, "model.json": package_directory.to_json(known).encode()})
        return place

    return make


def test_holds_the_page_and_what_it_reads(packaged, page, vocabulary, exported, tmp_path):
    place = packaged("classification", ("float32", "dynamic_int8"), samples=["try this"])
    told = mb.package_web(tmp_path / "web", [place], page)
    assert names(tmp_path / "web") == ["assets", "index.html", "models", "models.json"]
    assert (tmp_path / "web/assets/index.js").read_text() == "start()"
    (model,) = told["models"]
    assert json.loads((tmp_path / "web/models.json").read_text()) == told
    assert model["score"] == {"task": "sst2", "metric": "accuracy", "value": 0.75}
    assert model["samples"] == ["try this"]
    assert (model["name"], model["kind"], model["recipe"], model["folder"]) == (
        "tiny", "classification", "dynamic_int8", "models/tiny-dynamic_int8")
    folder = tmp_path / "web" / model["folder"]
    content = exported("classification", "dynamic_int8").model
    assert (folder / "model.tflite").read_bytes() == content
    assert model["bytes"] == len(content)
    assert (folder / "labels.txt").read_text().splitlines() == list(LABELS["classification"])
    assert (folder / "vocab.txt").read_text().splitlines() == list(vocabulary.pieces)
    assert (folder / "normalization.txt").read_text() == normalization_table(True)
    (file,) = json.loads((folder / "model.json").read_text())["files"]
    assert (file["file"], file["sha256"]) == ("model.tflite", hashlib.sha256(content).hexdigest())


def test_every_kind_with_a_tab_goes_in(packaged, page, tmp_path):
    kinds = ["classification", "embedding", "multi_label", "question_answering", "tagging"]
    told = mb.package_web(tmp_path / "web", [
        packaged(kind, name=kind, pairs=kind == "question_answering") for kind in kinds], page)
    assert [model["kind"] for model in told["models"]] == kinds


@pytest.mark.parametrize(("kind", "changes", "message"), [
    ("regression", {}, "tiny is a model for regression, which the web page has no tab for"),
    ("encoding", {}, "tiny is a model for encoding"),
    ("fill_mask", {}, "tiny is a model for fill_mask"),
    ("classification", {"pairs": True}, "tiny reads pairs of texts"),
])
def test_a_model_without_a_tab_is_refused(kind, changes, message, packaged, page, tmp_path):
    with pytest.raises(mb.InputError, match=message):
        mb.package_web(tmp_path / "web", [packaged(kind, **changes)], page)
    assert not (tmp_path / "web").exists()


def test_a_file_goes_in_from_its_package_or_alone(packaged, page, exported, tmp_path):
    place = packaged("classification", ("float32", "dynamic_int8"))
    alone = tmp_path / "my own.tflite"
    alone.write_bytes(exported("tagging", "float32").model)
    told = mb.package_web(
        tmp_path / "web", [place, place / "tiny_float32.tflite", alone], page)
    assert [(model["folder"], model["score"] is None) for model in told["models"]] == [
        ("models/tiny-dynamic_int8", False), ("models/tiny-float32", False),
        ("models/my_own-float32", True)]
    known = json.loads((tmp_path / "web/models/my_own-float32/model.json").read_text())
    result = exported("tagging", "float32")
    # Everything that the page reads of it, from the file itself.
    assert {name: known[name] for name in facts.of_model("my own", result)} == facts.of_model(
        "my own", result)
    assert known["config"]["vocab_size"] == 120
    assert known["files"] == [{**facts.of_file("model.tflite", result)}]


def test_a_file_whose_name_is_no_text_goes_in(page, exported, tmp_path):
    file = tmp_path / "caf\udce9.tflite"
    file.write_bytes(exported("tagging", "float32").model)
    (model,) = mb.package_web(tmp_path / "web", [file], page)["models"]
    assert (model["name"], model["folder"]) == ("caf\\udce9", "models/caf_udce9-float32")


def test_the_version_changes_with_any_file(packaged, page, tmp_path):
    def version(**changes):
        place = packaged("question_answering", **changes)
        return mb.package_web(tmp_path / "web", [place], page)["models"][0]["version"]

    assert version() == version()
    assert version() != version(settings={"stride": 64})


@pytest.mark.parametrize(("change", "message"), [
    (lambda file: file.pop("recipe"), "missing required field recipe"),
    (lambda file: file.update(gate="good"), "gate: .*object"),
    (lambda file: file["gate"].pop("passed"), r"model\.json, files.*gate: .* field passed"),
])
def test_a_package_whose_facts_are_none_is_named(change, message, packaged, page, tmp_path):
    place = packaged("classification")
    facts = json.loads((place / "model.json").read_text())
    change(facts["files"][0])
    (place / "model.json").write_text(json.dumps(facts))
    with pytest.raises(mb.InputError, match=message):
        mb.package_web(tmp_path / "web", [place], page)


def test_only_an_earlier_page_is_replaced(packaged, page, tmp_path):
    place = packaged("classification")
    mb.package_web(tmp_path / "web", [packaged("tagging", name="gone"), place], page)
    mb.package_web(tmp_path / "web", [place], page)
    assert names(tmp_path / "web/models") == ["tiny-dynamic_int8"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other/letter.txt").write_text("dear")
    with pytest.raises(mb.InputError, match="other has letter.txt in it, which is not of the web"):
        mb.package_web(tmp_path / "other", [place], page)
    assert names(tmp_path / "other") == ["letter.txt"]
    # An earlier page's runtime has another name. What somebody added is not the page's.
    (tmp_path / "web/litert-1.0").mkdir()
    mb.package_web(tmp_path / "web", [place], page)
    before = names(tmp_path / "web")
    assert "litert-1.0" not in before
    (tmp_path / "web/CNAME").write_text("example.org")
    with pytest.raises(mb.InputError, match="web has CNAME in it"):
        mb.package_web(tmp_path / "web", [place], page)
    assert names(tmp_path / "web") == ["CNAME", *before]
    (tmp_path / "web/CNAME").unlink()
    (tmp_path / "web/models/mine").mkdir()
    with pytest.raises(mb.InputError, match="models has mine in it"):
        mb.package_web(tmp_path / "web", [place], page)
    (tmp_path / "web/models/mine").rmdir()
    (tmp_path / "web/models/tiny-dynamic_int8/notes.txt").write_text("mine")
    with pytest.raises(mb.InputError, match="tiny-dynamic_int8 has notes.txt in it"):
        mb.package_web(tmp_path / "web", [place], page)


def test_a_directory_of_models_is_not_taken_for_an_earlier_page(packaged, page, tmp_path):
    place = packaged("classification")
    (tmp_path / "site/models").mkdir(parents=True)
    (tmp_path / "site/models/checkpoint.bin").write_text("days")
    with pytest.raises(mb.InputError, match="site has models in it, which is not of the web page"):
        mb.package_web(tmp_path / "site", [place], page)
    assert (tmp_path / "site/models/checkpoint.bin").read_text() == "days"


def test_what_cannot_be_packaged_is_named(packaged, page, exported, tmp_path):
    place, web = packaged("classification"), tmp_path / "web"
    with pytest.raises(mb.InputError, match="run `make web-page` in a checkout"):
        mb.package_web(web, [place], tmp_path / "nothing")
    with pytest.raises(mb.InputError, match="web is in the page .*, which would be copied into it"):
        mb.package_web(page / "web", [place], page)
    with pytest.raises(mb.InputError, match="name at least one package"):
        mb.package_web(web, [], page)
    with pytest.raises(mb.InputError, match="two of the models are tiny by dynamic_int8"):
        mb.package_web(web, [place, place], page)
    with pytest.raises(mb.InputError, match="is no package: make one of it with"):
        mb.package_web(web, [page], page)
    with pytest.raises(mb.InputError, match="cannot read .*nothing.tflite"):
        mb.package_web(web, [tmp_path / "nothing.tflite"], page)
    (place / "tiny_dynamic_int8.tflite").write_bytes(exported("tagging", "dynamic_int8").model)
    with pytest.raises(mb.InputError, match="is not the file that the package's model.json"):
        mb.package_web(web, [place], page)
    bare = tmp_path / "bare.tflite"
    bare.write_bytes(exported("tagging", "dynamic_int8").model[:2000])
    with pytest.raises(mb.InputError, match="bare.tflite was not exported by mobilebert"):
        mb.package_web(web, [bare], page)
    assert not web.exists()


def test_the_command_takes_packages_and_short_names(packaged, page, tmp_path, monkeypatch):
    place = packaged("classification")
    models = tmp_path / "models"
    models.mkdir()
    packaged("embedding", name="shipped").rename(models / "mini")
    monkeypatch.setenv("MOBILEBERT_MODELS", str(models))
    result = invoke(package, "--web", tmp_path / "web", "--page", page, place, "shipped",
                    "--json", tmp_path / "told.json")
    assert result.exit_code == 0, result.exception
    assert "The page with 2 models" in result.output
    told = json.loads((tmp_path / "told.json").read_text())
    assert [model["name"] for model in told["models"]] == ["tiny", "shipped"]
    # Without names: all shipped models that have a tab.
    packaged("regression", name="score").rename(models / "score")
    result = invoke(package, "--web", tmp_path / "web", "--page", page)
    assert result.exit_code == 0, result.exception
    assert names(tmp_path / "web/models") == ["shipped-dynamic_int8"]


def test_the_command_names_what_does_not_go_together(packaged, page, tmp_path, monkeypatch):
    place, web = packaged("classification"), ("--web", tmp_path / "web", "--page", page)
    result = invoke(package, *web, place, "--lengths", LENGTH, "--output", tmp_path / "out")
    assert str(result.exception).startswith(
        "--web takes packages and .tflite files, and not --output, --lengths")
    alone = invoke(package, place, "--page", page, "--output", tmp_path / "out")
    assert str(alone.exception).startswith("--page goes with --web")
    assert "name one model" in str(invoke(package, "a", "b", "--output", "x").exception)
    assert "name one model" in str(invoke(package, "--output", "x").exception)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("MOBILEBERT_MODELS", str(tmp_path / "empty"))
    assert "there is no model for the web page in" in str(invoke(package, *web).exception)


def test_a_name_gives_the_smallest_file_and_a_model_of_pairs_is_left_out(
        packaged, page, tmp_path, monkeypatch):
    models = tmp_path / "models"
    models.mkdir()
    packaged("classification", ("float32", "dynamic_int8"), "mood_v1.5").rename(models / "mood")
    packaged("classification", name="pairs", pairs=True).rename(models / "pairs")
    monkeypatch.setenv("MOBILEBERT_MODELS", str(models))
    for given in ((), ("mood_v1.5",)):
        result = invoke(package, "--web", tmp_path / "web", "--page", page, *given)
        assert result.exit_code == 0, result.exception
        assert names(tmp_path / "web/models") == ["mood_v1.5-dynamic_int8"]
    with pytest.raises(mb.InputError, match="web is a page with models, as --web writes it"):
        mb.package_web(tmp_path / "again", [models / "mood"], tmp_path / "web")


def test_the_page_is_found_in_the_checkout(monkeypatch, tmp_path):
    monkeypatch.setattr("mobilebert_tf.__file__", str(tmp_path / "mobilebert_tf/__init__.py"))
    with pytest.raises(mb.InputError, match="there is no built page in .*web_demo/page/dist"):
        web_folder.find_page()
    built = tmp_path / "web_demo/page/dist"
    built.mkdir(parents=True)
    (built / "index.html").write_text("")
    assert web_folder.find_page() == built
