import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.kinds.multi_label import MultiLabel
from mobilebert_tf.tasks import catalogue

NAMES = ("anger", "joy", "love")
GOLD = ((1.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
EXAMPLES = LabelledTexts(("a b", "c", "d"), GOLD, names=NAMES)


@pytest.fixture
def task():
    return catalogue.of("multi_label", {"text": "text", "label": "tags"}, NAMES)


def examples(labels):
    return LabelledTexts(("a",) * len(labels), tuple(map(tuple, labels)), names=NAMES)


def test_a_row_an_example_with_a_number_for_each_label_as_target(task, letters):
    features = task.kind.rows(EXAMPLES, letters, 8)
    assert [ids.tolist() for ids in features.ids] == [[2, 5, 6, 3], [2, 7, 3], [2, 8, 3]]
    np.testing.assert_array_equal(features.targets, GOLD)


def test_the_answer_is_every_label_above_the_threshold(task):
    probabilities = np.float32([[0.75, 0.5, 0.625], [0.25, 0.125, 0.0]])
    outputs = {"probabilities": probabilities}
    answers = task.kind.answers(outputs, None, None)
    # As probable as the threshold is not above it.
    assert [answer.ids for answer in answers] == [(0, 2), ()]
    np.testing.assert_array_equal([answer.probabilities for answer in answers], probabilities)
    low = task.kind.with_settings(threshold=0.125).answers(outputs, None, None)
    assert [answer.ids for answer in low] == [(0, 1, 2), (0,)]
    assert task.kind.readable([*answers, None], None) == [["anger", "love"], [], None]
    assert task.kind.predicted([*answers, None], None) == [(0, 2), ()]
    others = {"probabilities": np.float32([[0.875, 0.0, 0.75], [0.0, 0.0, 0.5]])}
    assert task.kind.comparable(answers) == task.kind.answers(others, None, None)
    assert task.kind.expected(EXAMPLES) == [(0, 2), (1,), ()]


def test_scores_are_scikit_learns(task):
    random = np.random.default_rng(3)
    gold, probabilities = random.integers(2, size=(50, 3)), random.random((50, 3))
    answers = task.kind.answers({"probabilities": probabilities}, None, None)
    found = task.score(answers, examples(gold.tolist()))

    def f1(predicted, average="micro"):
        return sklearn_metrics.f1_score(gold, predicted, average=average)

    assert list(found) == ["micro_f1", "macro_f1", "best_micro_f1", "best_threshold"]
    assert found["micro_f1"] == pytest.approx(f1(probabilities > 0.5), abs=1e-12)
    assert found["macro_f1"] == pytest.approx(f1(probabilities > 0.5, "macro"), abs=1e-12)
    assert found["best_micro_f1"] == pytest.approx(
        max(f1(probabilities > one) for one in (-1, *probabilities.ravel())), abs=1e-12)
    assert found["best_micro_f1"] == pytest.approx(
        f1(probabilities > found["best_threshold"]), abs=1e-12)
    assert task.metrics.main == "micro_f1"
    assert task.metrics.names[0] == "best_micro_f1"
    parts = task.kind.score_parts(answers, examples(gold.tolist()))
    assert [one["f1"] for one in parts.values()] == pytest.approx(
        f1(probabilities > 0.5, None), abs=1e-12)
    assert list(parts) == list(NAMES)


def test_a_missing_answer_is_wrong_in_every_label(task):
    right = list(map(task.kind.answer_reader(), (["anger", "love"], ["joy"], [])))
    # Without probabilities there is no best threshold.
    assert task.score(right, EXAMPLES) == {"micro_f1": 1, "macro_f1": 1}
    # Of the first text's two labels none is given, and joy is; of the third's none, all are given.
    assert task.score([None, *right[1:]], EXAMPLES)["micro_f1"] == pytest.approx(2 / (2 + 3))
    assert task.score([*right[:2], None], EXAMPLES)["micro_f1"] == pytest.approx(6 / (6 + 3))
    probable = task.kind.answers({"probabilities": np.float32(GOLD)}, None, None)
    assert task.score(probable, EXAMPLES)["best_micro_f1"] == 1
    # A missing answer has no probable label, at any threshold: 1 of 3 labels is found.
    assert task.score([None, *probable[1:]], EXAMPLES)["best_micro_f1"] == pytest.approx(
        2 / (1 + 3))


def test_the_best_constant_is_the_best_number_of_frequent_labels(task):
    # Anger is in 3 of 4 texts, love in 2 and joy in none. Anger alone: 6 / (4 + 5); with love
    # 10 / (8 + 5); all 10 / (12 + 5).
    gold = [(1.0, 0.0, 1.0), (1.0, 0.0, 0.0), (1.0, 0.0, 1.0), (0.0, 0.0, 0.0)]
    answers = task.kind.constant(examples(gold), task.metrics)
    assert task.kind.predicted(answers, None) == [(0, 2)] * 4
    assert task.score(answers, examples(gold))["micro_f1"] == pytest.approx(10 / 13)
    gold = [(0.0, 1.0, 0.0)] * 3 + [(1.0, 0.0, 0.0)]
    answers = task.kind.constant(examples(gold), task.metrics)
    assert task.kind.predicted(answers, None) == [(1,)] * 4


def test_fine_tuning_decides_the_threshold(task):
    scores = {"best_threshold": 0.3, "micro_f1": 0.5, "macro_f1": 0.4}
    decided = task.kind.decided(scores, "best_micro_f1")
    assert decided == MultiLabel(labels=NAMES).with_settings(threshold=0.3)
    # The other scores are not at the best threshold.
    assert task.kind.decided(scores, "macro_f1") == task.kind


@pytest.mark.parametrize("threshold", [-0.1, 1.5, float("nan"), "0.5", True, None])
def test_a_threshold_is_a_number_from_0_to_1(threshold):
    with pytest.raises(mb.InputError, match="the setting threshold should be a number from 0 to 1"):
        MultiLabel().with_settings(threshold=threshold)


def test_what_is_printed_and_written(task):
    two, none = task.kind.answers(
        {"probabilities": np.float32([[0.25, 0.75, 0.625], [0.25, 0.125, 0.0]])}, None, None)
    found = task.kind.to_json(two, None, 2)
    assert found == {"labels": ["joy", "love"], "classes": [
        {"label": "joy", "probability": 0.75}, {"label": "love", "probability": 0.625}]}
    assert list(task.kind.lines(found)) == ["joy, love", " 0.7500  joy", " 0.6250  love"]
    found = task.kind.to_json(none, None, 1)
    assert list(task.kind.lines(found)) == ["(no label)", " 0.2500  anger"]


def test_answers_in_a_file_are_lists_of_labels(task, tmp_path):
    path = tmp_path / "answers.json"
    path.write_text('[["love", "anger", "love"], null, []]')
    answers = task.kind.read_answers(path, EXAMPLES)
    assert task.kind.readable(answers, EXAMPLES) == [["anger", "love"], None, []]
    for content, message in (
            ('[["love"], ["rage"], []]', r"answer 1: \['rage'\] has a label that is not one of an"),
            ('[["love"], []]', "has 2 answers for 3 examples"),
            ('["love", [], []]', "expected array")):
        path.write_text(content)
        with pytest.raises(mb.InputError, match=message):
            task.kind.read_answers(path, EXAMPLES)


def test_the_labels_are_those_of_the_training_files(tmp_path):
    (tmp_path / "train.csv").write_text("text,tags\na,love|joy\nb,\nc,anger\n")
    (tmp_path / "dev.csv").write_text("text,tags\na,rage\n")
    data = catalogue.data(catalogue.of("multi_label", {"text": "text", "label": "tags"}), tmp_path)
    found = data.task.found_in(data.train_files)
    assert found.labels == NAMES
    assert found.read_train(data.train_files).labels == (
        (0.0, 1.0, 1.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    with pytest.raises(mb.InputError, match=r"dev\.csv, line 2: the tags 'rage'"):
        found.read(data.dev_file)


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """The directory of the data and of a small model, really fine-tuned on it; and the result."""
    directory = tmp_path_factory.mktemp("multi_label")
    random = np.random.default_rng(1)
    rows = ["text,tags"]
    for _ in range(64):
        has = random.random(3) < 0.4
        rows.append(f"the film {' '.join(np.array(('grim', 'fun', 'warm'))[has])},"
                    f"{'|'.join(np.array(NAMES)[has])}")
    for name in ("train.csv", "dev.csv"):
        (directory / name).write_text("\n".join(rows) + "\n")
    found = mb.fine_tune(
        "multi_label", directory / "run", data=directory, text="text", label="tags",
        preset="micro", pooler="mean", say=lambda line: None, settings=mb.FineTuningSettings(
            learning_rate=5e-3, batch_size=16, epochs=4, length=16))
    return directory, found


def test_the_threshold_that_fine_tuning_chose_is_used_to_evaluate_and_predict(tuned):
    directory, found = tuned
    scores = found.scores
    assert found.result.metric == "best_micro_f1"
    # On the dev set, which is the training set here, the threshold is better than the default.
    assert scores["best_micro_f1"] >= scores["micro_f1"]
    assert scores["best_micro_f1"] > 0.5
    assert scores["best_threshold"] != 0.5
    contents = model_directory.load(found.model)
    assert contents.kind == MultiLabel(labels=NAMES).with_settings(
        threshold=scores["best_threshold"])
    assert contents.model.multi_label

    evaluated = mb.evaluate(found.model, "multi_label", data=directory)
    assert evaluated.scores["micro_f1"] == pytest.approx(scores["best_micro_f1"], abs=1e-6)
    default = mb.evaluate(found.model, "multi_label", data=directory, settings={"threshold": 0.5})
    assert default.scores["micro_f1"] == pytest.approx(scores["micro_f1"], abs=1e-6)
    predicted = mb.predict(found.model, evaluated.examples.texts)
    assert [one["labels"] for one in predicted] == evaluated.readable
    none = mb.predict(found.model, evaluated.examples.texts, settings={"threshold": 1.0})
    assert {len(one["labels"]) for one in none} == {0}


def test_the_best_constant_has_the_best_micro_f1_of_all_numbers_of_labels(task):
    generator = np.random.default_rng(1)
    for _ in range(20):
        gold = [tuple(row) for row in generator.integers(0, 2, (6, 3)).astype(float)]
        if not np.any(gold):
            continue
        answers = task.kind.constant(examples(gold), task.metrics)
        order = np.argsort(-np.sum(gold, axis=0), kind="stable")
        scores = [sklearn_metrics.f1_score(
            gold, np.isin(np.tile(np.arange(3), (6, 1)), order[:count]).astype(float),
            average="micro") for count in (1, 2, 3)]
        assert task.score(answers, examples(gold))["micro_f1"] == pytest.approx(max(scores))
