import dataclasses
import hashlib
import json
import types

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.cli import cascade as command
from mobilebert_tf.evaluation.calibration import expected_calibration_error
from mobilebert_tf.export.cascade import choose, picture
from mobilebert_tf.inference import cascade

from .. import sst2
from ..commands import invoke
from ..conftest import CONFIG, randomize

COSTS = {"small.tflite": 1.0, "large.tflite": 5.0}


def costs_of(files, threads, runs, on_round):
    """A measurement without a clock: milliseconds by file."""
    on_round(runs, runs)
    return [types.SimpleNamespace(latency=types.SimpleNamespace(
        median_ms=COSTS[file.name], p5_ms=COSTS[file.name])) for file, _ in files]


@pytest.fixture(scope="module")
def place(vocabulary, tmp_path_factory):
    """A folder with two files, and a dev set on which the larger is nearly always right."""
    directory = tmp_path_factory.mktemp("cascade")
    other = randomize(mb.Classifier(mb.Encoder(CONFIG), 2), seed=5)
    for name, model in (("small", other), ("large", sst2.classifier())):
        (directory / f"{name}.tflite").write_bytes(
            sst2.exported(model, "float32", vocabulary).model)
    sst2.write_files(directory, vocabulary, count=81, right=77)
    return directory


@pytest.fixture
def choice(place):
    def make(**arguments):
        return choose.choose_cascade(
            place / "small.tflite", place / "large.tflite", "sst2", data=place, threads=1,
            measure=costs_of, **arguments)

    return make


def said(place, name):
    """The probabilities of the classes, and the labels, of each dev example."""
    texts, labels = zip(*(line.split("\t") for line in (
        place / "dev.tsv").read_text().splitlines()[1:]), strict=True)
    found = mb.predict(place / f"{name}.tflite", texts)
    ids = [[entry["label"] for entry in one["classes"]].index("positive") for one in found]
    probabilities = np.array([[one["classes"][1 - at]["probability"],
                               one["classes"][at]["probability"]]
                              for one, at in zip(found, ids, strict=True)])
    return probabilities, np.array(labels, int)


def by_hand(place, threshold, start):
    """(accuracy, share asked) of a cascade on every other example, from predictions alone."""
    (small, gold), (large, _) = (said(place, name) for name in ("small", "large"))
    asked = small.max(axis=1) <= threshold
    right = np.where(asked, large.argmax(axis=1), small.argmax(axis=1)) == gold
    return right[start::2].mean(), asked[start::2].mean()


def test_every_point_is_that_of_the_predictions(choice, place):
    found = choice(loss=10)
    assert (found.chosen_on, found.measured_on) == (41, 40)
    thresholds = [point.threshold for point in found.curve]
    assert thresholds == sorted(set(thresholds))
    assert (thresholds[0], thresholds[-1]) == (0, 1)
    for point in found.curve[::10]:
        score, asked = by_hand(place, point.threshold, 1)
        assert point.score == pytest.approx(score)
        assert point.asked == pytest.approx(asked)
        assert point.mean_ms == pytest.approx(1 + 5 * asked)
    assert (found.first.mean_ms, found.second.mean_ms) == (1, 5)
    assert (found.first.score, found.second.score) == pytest.approx(
        (by_hand(place, 0, 1)[0], by_hand(place, 1, 1)[0]))
    assert found.loss(found.chosen) == pytest.approx(
        100 * (found.second.score - found.chosen.score), abs=1e-3)
    small, gold = (values[1::2] for values in said(place, "small"))
    assert found.calibration_error == pytest.approx(expected_calibration_error(
        small.max(axis=1), small.argmax(axis=1) == gold, 15))


def test_a_cascade_of_another_ending_is_refused_before_anything_runs(place, tmp_path):
    result = invoke(command, place / "small.tflite", place / "large.tflite", "--task", "sst2",
                    "--data", place, "--output", tmp_path / "cascade.txt")
    assert isinstance(result.exception, mb.InputError)
    assert "a cascade is a .json file" in str(result.exception)
    assert not list(tmp_path.iterdir())


def test_a_file_whose_name_json_cannot_hold_is_refused_before_anything_runs(tmp_path):
    names = "small.tflite", "caf\udce9.tflite"
    result = invoke(command, *names, "--task", "sst2", "--data", tmp_path, "--output",
                    tmp_path / "cascade.json")
    assert isinstance(result.exception, mb.InputError)
    assert "'caf\\udce9.tflite' holds half a surrogate pair" in str(result.exception)


def test_single_texts_for_files_of_pairs_are_refused(place, tmp_path):
    for name in COSTS:
        (tmp_path / name).write_bytes((place / name).read_bytes())
    (tmp_path / "model.json").write_text(json.dumps(
        {"files": [{"file": name} for name in COSTS], "pairs": True}))
    with pytest.raises(mb.InputError, match="the model reads pairs of texts: give a second text"):
        choose.choose_cascade(*(tmp_path / name for name in COSTS), "sst2", data=place, threads=1,
                              measure=costs_of)


def test_a_picture_names_files_of_any_name(choice, tmp_path):
    found = choice(loss=10)
    odd = dataclasses.replace(found, files=(tmp_path / "a$b_{c$.tflite", tmp_path / "\udce9"))
    assert picture.png(odd)[:4] == b"\x89PNG"


def test_what_was_measured_is_written_even_if_the_cascade_cannot_be(place, tmp_path, monkeypatch):
    arguments = (command, place / "small.tflite", place / "large.tflite", "--task", "sst2",
                 "--data", place, "--loss", 10, "--runs", 1, "--threads", 1)
    (tmp_path / "place.json").mkdir()
    result = invoke(*arguments, "--output", tmp_path / "place.json")
    assert "is a directory: name a file" in str(result.exception)
    (tmp_path / "file").touch()
    result = invoke(*arguments, "--output", tmp_path / "file" / "c.json", "--json",
                    tmp_path / "facts.json")
    assert isinstance(result.exception, mb.InputError)
    assert json.loads((tmp_path / "facts.json").read_text())["chosen"]


@pytest.mark.parametrize("bound", [0, 3, 10, 100])
def test_the_lowest_threshold_from_which_on_none_loses_more(choice, place, bound):
    found = choice(loss=bound)
    thresholds = [point.threshold for point in found.curve]
    losses = [100 * (by_hand(place, 1, 0)[0] - by_hand(place, threshold, 0)[0])
              for threshold in thresholds]
    at = thresholds.index(found.chosen.threshold)
    assert max(losses[at:]) <= bound + 1e-9
    assert at == 0 or losses[at - 1] > bound
    assert (bound == 100) == (at == 0)


def test_a_cascade_that_the_second_file_beats_is_said_to_be_one(choice, monkeypatch):
    assert not choice(loss=100).is_beaten  # it asks nothing
    # Equal costs: asking both is slower than the second alone.
    monkeypatch.setitem(COSTS, "small.tflite", 5.0)
    found = choice(loss=0)
    assert found.ratio(found.chosen) >= 1
    assert found.is_beaten == (found.chosen.score <= found.second.score)


def test_thresholds_lie_between_confidences():
    confidences = np.array([0.9, 0.5, 0.6, 0.6])
    assert choose.tried(confidences) == pytest.approx([0, 0.55, 0.6, 0.75, 1])
    # By hand: 0.55 asks one, 0.6 asks both that are equal.
    assert [int((confidences <= threshold).sum()) for threshold in choose.tried(confidences)] == [
        0, 1, 3, 3, 4]
    assert len(choose.tried(np.random.default_rng(0).random(5000))) == 101


def test_a_text_costs_what_its_own_length_costs():
    from mobilebert_tf.export.cascade.file_answers import FileAnswers

    one = FileAnswers([], [[64], [16], [64, 16]], None)
    assert one.times_ms({16: 1.0, 64: 4.0}).tolist() == [4, 1, 5]


def test_the_command_writes_what_predict_reads(place, tmp_path):
    output, facts, drawn = (tmp_path / name for name in ("c/cascade.json", "f.json", "p.png"))
    result = invoke(command, place / "small.tflite", place / "large.tflite", "--task", "sst2",
                    "--data", place, "--loss", 10, "--runs", 2, "--threads", 1, "--output", output,
                    "--json", facts, "--picture", drawn)
    assert result.exit_code == 0, result.output
    assert drawn.read_bytes()[:4] == b"\x89PNG"
    assert "answers all" not in result.output
    told, written = (json.loads(path.read_text()) for path in (facts, output))
    assert written["threshold"] == told["chosen"]["threshold"]
    assert written["labels"] == ["negative", "positive"]
    for one, name in zip(written["files"], ("small", "large"), strict=True):
        content = (place / f"{name}.tflite").read_bytes()
        assert one["sha256"] == hashlib.sha256(content).hexdigest()
        assert (output.parent / one["file"]).resolve() == (place / f"{name}.tflite").resolve()
    assert told["second"]["ratio"] == 1
    texts = sst2.examples(sst2_vocabulary(place), 9).texts
    opened = cascade.read(output)
    answers = mb.predict(output, texts)
    assert [one["answered_by"] == "second" for one in answers] == [
        max(entry["probability"] for entry in one["classes"]) <= opened.threshold
        for one in mb.predict(place / "small.tflite", texts)]


def test_a_cascade_of_no_use_is_told(place, tmp_path):
    result = invoke(command, place / "small.tflite", place / "large.tflite", "--task", "sst2",
                    "--data", place, "--loss", 100, "--runs", 1, "--threads", 1,
                    "--output", tmp_path / "cascade.json")
    assert "the first file answers all texts of that half" in " ".join(result.output.split())


def sst2_vocabulary(place):
    from mobilebert_tf.export.file import metadata

    return metadata.read(place / "small.tflite").vocabulary


def test_another_file_than_the_chosen_one_is_refused(choice, place, tmp_path, monkeypatch):
    from mobilebert_tf.export.cascade import cascade_file

    found, path = choice(), tmp_path / "cascade.json"
    copy = tmp_path / "copy.tflite"
    copy.write_bytes(found.files[0].read_bytes())
    cascade_file.write(path, (copy, found.files[1]), found.kind, 0.5, {})
    assert cascade_file.read(path).threshold == 0.5
    copy.write_bytes(found.files[1].read_bytes())
    with pytest.raises(mb.InputError, match="is not the file for which the threshold"):
        cascade_file.read(path)

    def refused(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cascade_file, "sha256", refused)
    with pytest.raises(mb.InputError, match="cannot read .*copy.tflite: Permission denied"):
        cascade_file.read(path)


def test_what_cannot_be_chosen_is_named(place, exported, vocabulary, tmp_path):
    small, tagger = place / "small.tflite", tmp_path / "tagger.tflite"
    tagger.write_bytes(exported("tagging", "float32").model)
    (tmp_path / "dev.tsv").write_text("sentence\tlabel\nal\t1\n")
    for first, second, arguments, sentence in (
            (small, tagger, {}, "is for classification and the second for tagging"),
            (tagger, tagger, {}, "is for tagging; the task sst2 needs a model for classification"),
            (small, tmp_path, {}, "is no .tflite file, and latency is measured on files"),
            (small, tmp_path / "x.tflite", {}, "there is no model"),
            (small, small, {"loss": -1}, "0 or more points"),
            (small, small, {"dev": tmp_path / "dev.tsv"}, "has one example")):
        with pytest.raises(mb.InputError, match=sentence):
            choose.choose_cascade(first, second, "sst2", measure=costs_of,
                                  **{"data": place, **arguments})


def test_a_disturbed_measurement_is_told(choice):
    found = choice()
    assert found.disturbance is None
    busy = dataclasses.replace(found, undisturbed=(found.costs[0], {
        length: ms / 2 for length, ms in found.costs[1].items()}))
    assert "of large.tflite the median is 2.0 times the 5th percentile" in busy.disturbance
