import numpy as np
import pytest
from scipy import stats

from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.errors import InputError
from mobilebert_tf.tasks import catalogue


@pytest.fixture
def task():
    return catalogue.of("regression", {"text": "one", "label": "points", "second_text": "other"})


def test_reads_pairs_with_numbers(task, tmp_path, letters):
    (tmp_path / "dev.tsv").write_text("points\tone\tother\n2.5\ta b\tc\n-1\td\te\n")
    examples = task.read(tmp_path / "dev.tsv")
    assert (examples.texts, examples.second_texts, examples.labels) == (("a b", "d"), ("c", "e"),
                                                                 (2.5, -1.0))
    features = task.kind.rows(examples, letters, 8)
    assert [ids.tolist() for ids in features.ids] == [[2, 5, 6, 3, 7, 3], [2, 8, 3, 9, 3]]
    assert features.first_lengths == [4, 3]
    assert list(features.targets) == [2.5, -1.0]
    assert task.kind.texts(examples) == ["a b", "d", "c", "e"]


@pytest.mark.parametrize("rows", ["2.5\ta b\tc\n", "2.5\ta b\tc\n2.50\td\te\n"])
def test_labels_that_are_all_the_same_score_nothing(task, rows, tmp_path):
    path = tmp_path / "dev.tsv"
    path.write_text(f"points\tone\tother\n{rows}")
    with pytest.raises(InputError, match=r"every label in .*dev\.tsv is 2\.5, .*; add rows"):
        task.read(path)
    assert set(task.read_train([path, path]).labels) == {2.5}


def test_the_answer_is_the_number_itself(task):
    answers = task.kind.answers({"score": np.float32([[0.5], [-3]])}, None, None)
    assert answers == [0.5, -3.0]
    assert {type(answer) for answer in answers} == {float}
    assert task.kind.readable([*answers, None], None) == [0.5, -3.0, None]
    assert task.kind.comparable(answers) is None


def test_scores_are_scipys_and_none_leaves_no_correlation(task):
    numbers, answers = np.random.default_rng(1).normal(size=(2, 40))
    examples = LabelledTexts(("a",) * 40, tuple(numbers.tolist()))
    pearson = stats.pearsonr(answers, numbers).statistic
    spearman = stats.spearmanr(answers, numbers).statistic
    assert task.score(answers.tolist(), examples) == pytest.approx(
        {"pearson_and_spearman": (pearson + spearman) / 2, "pearson": pearson,
         "spearman": spearman}, abs=1e-12)
    # 0 in its place would be a good guess here.
    examples = LabelledTexts(("a",) * 3, (-1.0, 0.0, 1.0))
    assert set(task.score([-1.0, None, 1.0], examples).values()) == {0.0}
