import numpy as np
import pytest

from mobilebert_tf.data.similarity import ScoredPairs
from mobilebert_tf.evaluation.similarity import spearman


def embed(texts):
    """The unit vector at the angle, in degrees, that a text says."""
    angles = np.deg2rad([float(text) for text in texts])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def pairs(angles, scores):
    """Pairs that lie these angles apart."""
    first = [str(10 * index) for index in range(len(angles))]
    second = [str(10 * index + angle) for index, angle in enumerate(angles)]
    return ScoredPairs(tuple(first), tuple(second), tuple(scores))


@pytest.mark.parametrize(("angles", "scores", "expected"), [
    # Ranks count, not distances: the cosines and the scores are far from a line.
    ((80, 10, 45, 20), (0.0, 5.0, 0.1, 4.9), 1.0),
    ((10, 20, 30, 40), (0.0, 1.0, 2.0, 3.0), -1.0),
    # Without ties 1 - 6 * sum(d^2) / (n * (n^2 - 1)): ranks 4 3 2 1 and 4 2 3 1.
    ((10, 20, 30, 40), (4.0, 2.0, 3.0, 1.0), 1 - 6 * 2 / (4 * 15)),
    # With ties the correlation of mean ranks: 4 3 2 1 and 3.5 3.5 1.5 1.5.
    ((10, 20, 30, 40), (3.0, 3.0, 1.0, 1.0), 4 / np.sqrt(5 * 4)),
])
def test_ranks_of_cosines_against_ranks_of_scores_by_hand(angles, scores, expected):
    found = spearman(embed, pairs(angles, scores))
    assert type(found) is float
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_all_minilm_ranks_sts_b_as_is_known_of_it(minilm, shared_data):
    """0.8672 on the dev set, cosine and Spearman."""
    import tensorflow as tf

    import mobilebert_tf as mb
    from mobilebert_tf.data import similarity
    from mobilebert_tf.evaluation import running

    model = mb.SentenceEncoder(mb.checkpoints.load_huggingface(minilm).encoder)
    tokenizer = mb.Tokenizer(minilm / "vocab.txt", lower_case=True)
    run = tf.function(model, reduce_retracing=True)

    def embed_texts(texts):
        inputs = mb.text.encode_batch(tokenizer, texts, length=128)
        return running.outputs(lambda batch: {"embedding": run(batch).numpy()}, inputs,
                               lambda tokens: -(-tokens // 16) * 16)["embedding"]

    dev = similarity.read(shared_data / "glue" / "STS-B" / "dev.tsv")
    assert spearman(embed_texts, dev) == pytest.approx(0.8672, abs=5e-5)
