"""Scores of tagging: precision, recall and F1 of entities, as in conlleval."""

from collections.abc import Sequence

from mobilebert_tf.evaluation.entities import spans

Tags = Sequence[Sequence[str]]


def score(expected: Tags, predicted: Tags) -> dict[str, float]:
    """Return `f1`, `precision` and `recall` of the entities of all sentences, by seqeval.

    An entity is right if its type, first word and last word are. seqeval's default mode reads tags
    as conlleval does, the scorer of CoNLL-2000 to 2003: an I-type that continues no entity of its
    type begins one. (Its strict mode would leave such an entity out.) 1 is perfect, which is 100 in
    conlleval. An undefined score, such as the precision of no predicted entity, is 0.

    Args:
      expected, predicted: the tags of each sentence, one a word; O, B-type or I-type.
    Raises:
      ValueError: if the numbers of sentences, or of words in a sentence, differ; or there are none.
    """
    precision, recall, f1, _ = _scores(expected, predicted, average="micro")
    return {"f1": float(f1), "precision": float(precision), "recall": float(recall)}


def score_by_type(expected: Tags, predicted: Tags) -> dict[str, dict[str, float]]:
    """Return the scores of each type of entity, expected or predicted; types are sorted.

    Args, Raises: as for `score`.
    Returns:
      by type, the three scores and the number of expected `entities`.
    """
    types = sorted({span.type for tags in (*expected, *predicted) for span in spans(tags)})
    return {name: {"f1": float(f1), "precision": float(precision), "recall": float(recall),
                   "entities": int(entities)}
            for name, precision, recall, f1, entities in zip(
                types, *_scores(expected, predicted, average=None), strict=True)}


def _scores(expected, predicted, average):
    """Return seqeval's precision, recall, F1 and number of expected entities."""
    # Takes two seconds to import.
    from seqeval.metrics.sequence_labeling import precision_recall_fscore_support

    lengths = [[len(tags) for tags in sentences] for sentences in (expected, predicted)]
    if lengths[0] != lengths[1] or not lengths[0]:
        raise ValueError("There should be a predicted tag for each expected one. Received: "
                         f"{len(expected)} and {len(predicted)} sentences, of "
                         f"{sum(lengths[0])} and {sum(lengths[1])} tags")
    # seqeval only takes lists as sentences.
    return precision_recall_fscore_support(
        [list(tags) for tags in expected], [list(tags) for tags in predicted],
        average=average, zero_division=0)
