import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.tagging import Tagging
from mobilebert_tf.tasks import catalogue

NAMES = ("blue", "green", "red")


@pytest.fixture
def task():
    return catalogue.of("classification", {"text": "text", "label": "colour"}, NAMES)


def choices(task, ids):
    """Answers that are sure of these classes."""
    return task.kind.answers({"probabilities": np.eye(3)[ids]}, None, None)


def test_a_row_an_example_with_its_class_as_target(task, letters):
    examples = LabelledTexts(("a b", "c"), (2, 0), names=NAMES)
    features = task.kind.rows(examples, letters, 8)
    assert [ids.tolist() for ids in features.ids] == [[2, 5, 6, 3], [2, 7, 3]]
    assert list(features.targets) == [2, 0]
    assert task.kind.texts(LabelledTexts(("a",), (0,), ("b",), NAMES)) == ["a", "b"]


def test_the_answer_is_the_most_probable_class_and_is_named(task):
    probabilities = np.float32([[.2, .5, .3], [.1, .1, .8]])
    answers = task.kind.answers({"probabilities": probabilities}, None, None)
    assert [answer.id for answer in answers] == [1, 2]
    np.testing.assert_array_equal([answer.probabilities for answer in answers], probabilities)
    assert task.kind.readable([*answers, None], None) == ["green", "red", None]
    assert task.kind.predicted([*answers, None], None) == [1, 2]
    assert task.kind.comparable([*answers, None]) == [*choices(task, [1, 2]), None]
    assert answers != choices(task, [2, 2])


def test_scores_are_scikit_learns_and_none_is_wrong(task):
    random = np.random.default_rng(1)
    labels, answers = random.integers(3, size=(2, 60)).tolist()
    examples = LabelledTexts(("a",) * 60, tuple(labels), names=NAMES)
    assert task.score(choices(task, answers), examples) == pytest.approx(
        {"accuracy": sklearn_metrics.accuracy_score(labels, answers),
         "macro_f1": sklearn_metrics.f1_score(labels, answers, average="macro")}, abs=1e-12)
    assert task.metrics.main == "accuracy"
    examples = LabelledTexts(("a",) * 4, (0, 1, 2, 0), names=NAMES)
    assert task.score([*choices(task, [0, 1, 2]), None], examples)["accuracy"] == 0.75


def test_classes_are_found_in_all_training_files_and_no_others_may_follow(tmp_path):
    task = catalogue.of("classification", {"text": "text", "label": "colour"})
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for path, colour in zip(paths, ("red", "blue"), strict=True):
        path.write_text(f"text,colour\na,{colour}\nb,green\n")
    found = task.found_in(paths)
    assert found.labels == NAMES
    assert found.read_train(paths).labels == (2, 1, 0, 1)
    (tmp_path / "dev.csv").write_text("text,colour\na,red\nb,pink\n")
    with pytest.raises(InputError, match=r"dev.csv, line 3: the colour 'pink' is not one of blue"):
        found.read(tmp_path / "dev.csv")


@pytest.mark.parametrize(("kind", "labels", "message"), [
    (Tagging, NAMES, "^x is for tagging; the task classification needs a model for classif"),
    (Classification, ("red", "green", "blue"),
     "^x has the labels of the task classification in another order: red, green, blue instead of "
     "blue, green, red$"),
    (Classification, NAMES[:2],
     "^x has other labels than the task classification: the task alone has red$"),
    (Classification, (*NAMES[:2], "pink", "Teal"),
     "^x has other labels than .*: it alone has pink, Teal; the task alone has red$"),
    (Classification, None, "^x has no labels; the task classification has blue, green, red$"),
])
def test_a_model_of_another_task_is_refused(task, kind, labels, message):
    with pytest.raises(InputError, match=message):
        task.check(kind(labels=labels), "x")


def test_a_model_of_this_task_is_taken_in_any_case_of_its_labels(task):
    task.check(Classification(labels=("BLUE", "Green", "red")), "x")
    unknown = catalogue.of("classification", {"text": "text", "label": "colour"})
    unknown.check(Classification(labels=NAMES), "x")
    with pytest.raises(InputError, match="^x does not name its labels"):
        unknown.check(Classification(), "x")
