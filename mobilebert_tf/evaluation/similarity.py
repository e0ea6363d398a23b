"""How well cosines of sentence embeddings rank pairs, as sentence-transformers scores STS."""

from collections.abc import Callable

import numpy as np

from mobilebert_tf.data.similarity import ScoredPairs


def spearman(embed: Callable[[list[str]], np.ndarray], pairs: ScoredPairs) -> float:
    """Spearman's rank correlation between cosines and scores, by scipy.

    Args:
      embed: texts -> `(texts, features)`, rows of length 1.
      pairs: with their scores.
    """
    from scipy import stats

    vectors = [embed(list(texts)) for texts in (pairs.first, pairs.second)]
    cosines = np.sum(vectors[0] * vectors[1], axis=1)
    return float(stats.spearmanr(cosines, pairs.scores).statistic)
