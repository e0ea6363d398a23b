import json

import numpy as np
import pytest
from seqeval.metrics import f1_score

from mobilebert_tf.data.datasets.conll import TaggedSentence
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.tagging import Tagging
from mobilebert_tf.tasks import catalogue

LABELS = ("O", "B-X", "I-X")
# "ab" is one word of which the tokenizer knows no piece: [UNK].
SENTENCES = (TaggedSentence(("a", "b", "c", "d", "e"), ("O", "B-X", "I-X", "O", "B-X")),
             TaggedSentence(("ab", "f"), ("B-X", "O")))


@pytest.fixture
def task():
    return catalogue.of("tagging", labels=LABELS)


def logits(classes, width=6):
    """Logits whose greatest is the class, in rows that are padded with class 1."""
    rows = [row + [1] * (width - len(row)) for row in classes]
    return {"logits": np.eye(3, dtype=np.float32)[rows]}


def test_windows_hold_the_words_and_ask_at_their_first_pieces_only(task, letters):
    features = task.kind.rows(SENTENCES, letters, 5)
    assert [ids.tolist() for ids in features.ids] == [
        [2, 5, 6, 7, 3], [2, 8, 9, 3], [2, 1, 10, 3]]
    assert [target.tolist() for target in features.targets] == [
        [-1, 0, 1, 2, -1], [-1, 0, 1, -1], [-1, 1, 0, -1]]
    assert features.first_lengths == [5, 4, 4]
    assert features.rows == [2, 1]
    assert task.kind.texts(SENTENCES) == ["a b c d e", "ab f"]


def test_answers_are_read_from_all_windows_of_a_sentence(task, letters):
    features = task.kind.rows(SENTENCES, letters, 5)
    outputs = logits([[1, 0, 1, 2, 1], [1, 0, 1, 1], [1, 2, 0, 1]])
    answers = task.kind.answers(outputs, SENTENCES, features)
    assert [list(answer.tags) for answer in answers] == [
        ["O", "B-X", "I-X", "O", "B-X"], ["I-X", "O"]]
    assert task.kind.readable([answers[0], None], SENTENCES)[0][1:3] == [("b", "B-X"), ("c", "I-X")]
    assert task.kind.readable([answers[0], None], SENTENCES)[1] is None


def written(task, directory, tags, sentences=SENTENCES):
    """Answers with these tags, as another program writes them."""
    path = directory / "answers.json"
    path.write_text(json.dumps([list(zip(sentence.words, one, strict=True))
                                for sentence, one in zip(sentences, tags, strict=True)]))
    return task.kind.read_answers(path, sentences)


def test_scores_are_seqevals_and_none_is_wrong(task, tmp_path):
    expected = [list(sentence.tags) for sentence in SENTENCES]
    predicted = [["O", "B-X", "O", "O", "B-X"], ["B-X", "O"]]
    assert task.score(written(task, tmp_path, predicted), SENTENCES)["f1"] == pytest.approx(
        f1_score(expected, predicted), abs=1e-12)
    # Two of three entities, and one that is none: the missing answer.
    answers = [written(task, tmp_path, expected)[0], None]
    assert task.score(answers, SENTENCES) == pytest.approx(
        {"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3})
    assert task.kind.score_parts(answers, SENTENCES)["(no answer)"] == {
        "f1": 0, "precision": 0, "recall": 0, "entities": 0}
    # Where there is no entity to miss, a missing answer is not right either.
    empty = (*SENTENCES, TaggedSentence(("a", "b"), ("O", "O")))
    answers = written(task, tmp_path, [sentence.tags for sentence in empty], empty)
    assert task.score(answers, empty)["f1"] == 1
    assert task.score([*answers[:2], None], empty)["precision"] == 0.75
    assert task.metrics.main == "f1"


def test_tags_are_those_of_the_training_files_and_no_others(tmp_path):
    (tmp_path / "train.bio").write_text("a\tB-X\nb\tO\n")
    (tmp_path / "valid.bio").write_text("a\tB-X\nb\tB-Y\n")
    task = catalogue.of("tagging").found_in([tmp_path / "train.bio"])
    assert task.labels == LABELS
    with pytest.raises(InputError, match=r"valid.bio, line 2: 'b' has the tag B-Y"):
        task.read(tmp_path / "valid.bio")
    with pytest.raises(InputError, match="^x does not name its labels"):
        catalogue.of("tagging").check(Tagging(), "x")
