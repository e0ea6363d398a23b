"""What a model card says of each kind of model, beside what it says of all."""

import dataclasses
from collections.abc import Mapping

_CUT = "A text of more than {longest} tokens, [CLS] and [SEP] included, is cut at its end."
_OTHER_TEXTS = "It was trained for the texts of {task}; on others it may be as sure, and wrong."


@dataclasses.dataclass(frozen=True, kw_only=True)
class Kind:
    """The parts of a card that differ. Texts may name what `model_card` fills in, in braces.

    Args:
      pipeline_tag: the Hugging Face hub's name for what it does.
      metrics: by the metric's name, what the hub calls it; two where it is a mean of two.
      title: a sentence on what the model is.
      answer: Python's expression of the answer, of `outputs`.
      reading: how outputs are read.
      quantity: what the largest difference is of.
      limitations: of the kind.
      texts: of the examples: the text, and the second one of a model that takes pairs.
      mediapipe: the class of MediaPipe Tasks that runs it; None where there is none.
    """

    pipeline_tag: str
    metrics: Mapping[str, tuple[str, ...]]
    title: str
    answer: str
    reading: str
    quantity: str
    limitations: tuple[str, ...]
    texts: tuple[str, str] = ("a quiet film that stays with you",
                              "the film is quiet, and one remembers it")
    mediapipe: str | None = None


KINDS = {
    "classification": Kind(
        pipeline_tag="text-classification",
        metrics={"accuracy": ("accuracy",), "accuracy_and_f1": ("accuracy", "f1"),
                 "matthews": ("matthews_correlation",)},
        title="A classifier of {texts} for phones: {labels}.",
        answer='outputs["probabilities"]',
        reading="A probability for each line of `labels.txt`; together they are 1.",
        quantity="a probability", mediapipe="TextClassifier",
        limitations=(_CUT, _OTHER_TEXTS,
                     "The probabilities are the model's softmax; they have not been calibrated.")),
    "regression": Kind(
        pipeline_tag="text-classification",
        metrics={"pearson_and_spearman": ("pearsonr", "spearmanr")},
        title="A model for phones that gives {texts} a number, on the scale of {task}.",
        answer='outputs["score"]',
        reading="One number, on the scale of the training data.", quantity="the score",
        limitations=(_CUT, "Nothing keeps the number within the scale of the training data.",
                     _OTHER_TEXTS)),
    "tagging": Kind(
        pipeline_tag="token-classification", metrics={"f1": ("seqeval",)},
        title="A tagger of words for phones: {labels}.",
        texts=("Ada Lovelace was born in London", ""),
        answer='outputs["logits"].argmax(axis=-1)',
        reading="A score for each line of `labels.txt`, for each token. The tag of a word is the "
                "greatest at its\nfirst piece; B- begins an entity, I- continues it.",
        quantity="a logit",
        limitations=("A text of more than {longest} tokens, [CLS] and [SEP] included, is read in "
                     "parts, and none of them knows of the others.",
                     "Words are what stands between spaces and punctuation.", _OTHER_TEXTS)),
    "question_answering": Kind(
        pipeline_tag="question-answering",
        metrics={"f1": ("squad",), "best_f1": ("squad_v2",)},
        title="Finds the answer to a question in a text, on phones.",
        texts=("Where was Ada born?", "Ada Lovelace was born in London."),
        answer='outputs["start_logits"].argmax(), outputs["end_logits"].argmax()',
        reading="A score for each token as the answer's first, and as its last. The answer is the "
                "span of the\nsecond text whose two scores have the greatest sum, which need not "
                "be the two greatest scores.\n`question_answering` in `model.json` has the "
                "settings that the scores above are of.",
        quantity="a logit",
        limitations=("An answer is a piece of the text, of at most {max_answer_length} tokens.",
                     "`null_threshold` in `model.json`: where the score of \"no answer\", start "
                     "and end at [CLS], is above that of the best span by more than this, the text "
                     "has no answer. Where it is null, a span is always named, also a wrong one. "
                     "A score `best_f1` is at the threshold that is best for the very examples.",
                     "Of a question it reads {max_question_length} tokens. A text too long for the "
                     "rest is read through windows, each {stride} tokens after the one before.",
                     _OTHER_TEXTS)),
    "embedding": Kind(
        pipeline_tag="sentence-similarity", metrics={"spearman": ("spearmanr",)},
        title="Sentence embeddings for phones: for a text a vector of {width} numbers.",
        answer='outputs["sentence_embedding"]',
        reading="A vector of length 1: the dot product of two is their cosine, greater for texts "
                "more alike.",
        quantity="a vector's element", mediapipe="TextEmbedder",
        limitations=(_CUT, "Cosines are for ranking: which of them means \"alike\" differs from "
                           "data to data.",
                     "Vectors of different files of this folder are near each other and not "
                     "equal: compare those of one file.")),
}
