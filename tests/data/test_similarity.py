import pytest

from mobilebert_tf.data import similarity
from mobilebert_tf.errors import InputError


def test_reads_pairs_with_their_scores_by_name(tmp_path):
    path = tmp_path / "dev.tsv"
    # Column order, and columns around them, are not theirs to rely on.
    path.write_text('index\tscore\tsentence2\tsentence1\n'
                    '0\t5.000\tA "man".\tA man.\n7\t0.25\tA dog.\tA cat.\n')
    assert similarity.read(path) == similarity.ScoredPairs(
        ("A man.", "A cat."), ('A "man".', "A dog."), (5.0, 0.25))


@pytest.mark.parametrize(("content", "message"), [
    ("sentence1\tsentence2\tscore\na\tb\t1.0\na\tb\thigh\n",
     r"dev.tsv, line 3: the score 'high' is not a number"),
    ("sentence1\tsentence2\na\tb\n", r"dev.tsv, line 1: there is no column 'score'"),
    ("sentence1\tsentence2\tscore\na\tb\n", r"dev.tsv, line 2 has 2 columns"),
])
def test_bad_rows_are_named_by_file_and_line(tmp_path, content, message):
    path = tmp_path / "dev.tsv"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        similarity.read(path)


def test_official_dev_file(shared_data):
    pairs = similarity.read(shared_data / "glue" / "STS-B" / "dev.tsv")
    assert len(pairs.first) == len(pairs.second) == len(pairs.scores) == 1_500  # GLUE's own number
    assert (min(pairs.scores), max(pairs.scores)) == (0.0, 5.0)
    assert (pairs.first[0], pairs.second[0], pairs.scores[0]) == (
        "A man with a hard hat is dancing.", "A man wearing a hard hat is dancing.", 5.0)
