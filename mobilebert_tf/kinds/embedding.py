"""Embedding: a vector for a text, whose dot product with another is their cosine."""

import dataclasses

import numpy as np

from mobilebert_tf.data.features.features import Features, single_rows
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.card import CUT, Card
from mobilebert_tf.kinds.exported_head import ExportedHead
from mobilebert_tf.kinds.head_rule import HeadRule
from mobilebert_tf.kinds.number_kind import NumberKind
from mobilebert_tf.kinds.output import Output


def cosine_in_words(cosine: float, digits: int = 4) -> str:
    """Write a cosine for people, so that columns align; one just below 0 has no sign."""
    # -0.0 + 0.0 is 0.0.
    return f"{round(cosine, digits) + 0.0:{digits + 3}.{digits}f}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Embedding(NumberKind):
    """The unit vector of a `SentenceEncoder`; the answer to a pair of texts is their cosine.

    Nothing is fine-tuned for it: the cosines of like pairs only have to rank above the others.
    """

    name = "embedding"
    noun = "cosine"
    is_fine_tuned = False
    in_page = True
    app_folder = "text_embedding"
    outputs = {"sentence_embedding": Output("the text's vector, of length 1")}
    output_scope = "head/sentence"
    # Int8 keeps too little of a vector's length, and of the mean over the tokens.
    rules = (HeadRule("full_int8", ("*",), "float32", "head/sentence"),)
    card = Card(
        pipeline_tag="sentence-similarity", metrics={"spearman": ("spearmanr",)},
        title="Sentence embeddings for phones: for a text a vector of {width} numbers.",
        answer='outputs["sentence_embedding"]',
        reading="A vector of length 1: the dot product of two is their cosine, greater for texts "
                "more alike.",
        quantity="a vector's element", mediapipe="TextEmbedder",
        predict_arguments='--query {text} "a film to remember" "it drags"',
        limitations=(CUT, "Use cosines for ranking. Which cosine means \"alike\" differs from "
                          "data to data.",
                     "Vectors of different files of this folder are near each other and not "
                     "equal: compare those of one file."))

    @classmethod
    def matches(cls, model):
        from mobilebert_tf.models.sentence_encoder import SentenceEncoder

        return isinstance(model, SentenceEncoder)

    @classmethod
    def adapted(cls, model, embedding_pooler):
        from mobilebert_tf.models.sentence_encoder import SentenceEncoder

        # Means where nothing is known, as sentence-transformers does.
        return model if cls.matches(model) else SentenceEncoder(
            model.encoder, embedding_pooler or "mean")

    def graph_outputs(self, values):
        return {"sentence_embedding": values}

    @classmethod
    def exported_head(cls, model):
        # Whatever the encoder's own pooler.
        return ExportedHead(pooler=model.pooler, unit_length=True)

    def examples(self, texts, second_texts):
        if None in second_texts:
            raise InputError("a model for embedding has no predictions of a text alone: give "
                             "second texts to compare with, or a query to rank the texts by")
        return super().examples(texts, second_texts)

    def rows(self, examples, tokenizer, length):
        """Make two rows per example: its texts one after the other."""
        texts = [text for both in zip(examples.texts, examples.second_texts, strict=True)
                 for text in both]
        rows = single_rows(texts, None, tokenizer, length)
        cut = rows.truncated
        return Features(rows.ids, rows.first_lengths, rows=[2] * len(examples), truncated=(
            None if cut is None else [any(both) for both in zip(cut[::2], cut[1::2], strict=True)]))

    def answers(self, outputs, examples, features):
        vectors = outputs["sentence_embedding"]
        return np.sum(vectors[::2] * vectors[1::2], axis=1).tolist()

    def to_json(self, answer, example, top_k):
        return {"cosine": answer}

    def lines(self, prediction):
        return [cosine_in_words(prediction["cosine"])]

    def vectors(self, outputs, features):
        return outputs["sentence_embedding"]
