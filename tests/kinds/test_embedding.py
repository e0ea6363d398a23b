import numpy as np
import pytest
from scipy import stats

from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.embedding import cosine_in_words
from mobilebert_tf.running import run as running
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.tasks.task_data import TaskData

PAIRS = LabelledTexts(("a", "b c", "d", "e"), (0.0, 5.0, 0.1, 4.9), ("f", "g", "h i", "j"))


@pytest.fixture
def task():
    return catalogue.of("similarity")


def test_texts_of_a_pair_are_rows_that_follow_each_other(task, letters):
    features = task.kind.rows(PAIRS, letters, 8)
    assert [ids.tolist() for ids in features.ids][:4] == [
        [2, 5, 3], [2, 10, 3], [2, 6, 7, 3], [2, 11, 3]]
    assert features.first_lengths == [3, 3, 4, 3, 3, 4, 3, 3]
    assert features.rows == [2, 2, 2, 2]
    assert features.targets is None


@pytest.mark.parametrize(("cosine", "digits", "words"), [
    (0.5, 4, " 0.5000"), (-0.5, 4, "-0.5000"), (-4e-5, 4, " 0.0000"), (-6e-5, 4, "-0.0001"),
    (np.float32(-1e-7), 4, " 0.0000"), (-0.004, 2, " 0.00"), (1, 2, " 1.00")])
def test_cosines_align_and_zero_has_no_sign(cosine, digits, words):
    assert cosine_in_words(cosine, digits) == words


def test_the_answer_is_the_cosine_of_both_and_ranks_are_scored(task, letters, scripted):
    # Pairs lie 80, 10, 45 and 20 degrees apart: far from a line, and in the order of the labels.
    angles = dict(zip([5, 10, 6, 11, 8, 12, 9, 14], [0, 80, 20, 30, 0, 45, 7, 27], strict=True))

    def outputs(inputs):
        turned = np.deg2rad([angles[row[1]] for row in inputs["input_word_ids"].tolist()])
        return {"sentence_embedding": np.stack([np.cos(turned), np.sin(turned)], axis=1)}

    run = running.run(task.kind, scripted(letters, outputs, task.kind), PAIRS,
                      task.kind.rows(PAIRS, letters, 8))
    scores = task.score(run.answers, PAIRS)
    np.testing.assert_allclose(run.answers, np.cos(np.deg2rad([80, 10, 45, 20])), atol=1e-6)
    assert scores["spearman"] == 1.0
    assert scores["pearson"] == pytest.approx(
        stats.pearsonr(run.answers, PAIRS.labels).statistic)
    assert task.metrics.main == "spearman"


def test_nothing_is_trained_for_it(task, tmp_path):
    with pytest.raises(InputError, match="similarity is only evaluated"):
        _ = TaskData(task, (tmp_path / "none",), tmp_path / "none").for_training


@pytest.mark.slow
def test_all_minilm_ranks_sts_b_as_is_known_of_it(task, minilm, shared_data):
    """0.8672 on the dev set, cosine and Spearman."""
    import mobilebert_tf as mb

    found = mb.evaluate(minilm, "similarity", data=shared_data / "glue" / "STS-B")
    assert found.scores["spearman"] == pytest.approx(0.8672, abs=5e-5)
