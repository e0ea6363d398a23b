"""Tagging: a tag for each word, and the entities that the tags name."""

import dataclasses
import math
from typing import NamedTuple

import numpy as np

from mobilebert_tf.data.datasets import conll
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.data.features.tagged_tokens import (
    NO_LABEL,
    NO_WORD,
    by_word,
    windows,
    word_tags,
)
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import tagging as scores
from mobilebert_tf.evaluation import written_answers
from mobilebert_tf.evaluation.decisions import Decisions
from mobilebert_tf.evaluation.entities import entities
from mobilebert_tf.kinds.card import OTHER_TEXTS, Card
from mobilebert_tf.kinds.exported_head import ExportedHead
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.kinds.output import Output
from mobilebert_tf.kinds.ranking import softmax
from mobilebert_tf.kinds.soft_labels import softmax_divergence
from mobilebert_tf.text.words import split

# The type of an entity that nobody expects, as long as the sentence: scores name it, and a missing
# answer is wrong even if the sentence has no entities.
_NO_ANSWER = "(no answer)"


class _Tags(NamedTuple):
    """The answer: a tag per word, and its probability; None if another program answered."""

    tags: tuple[str, ...]
    probabilities: tuple[float, ...] | None = None


class _SplitText(NamedTuple):
    """A text without gold tags, as an example.

    Args:
      text: the text.
      words: its words.
      offsets: `(start, end)` of each word in characters of the text.
    """

    text: str
    words: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    tags: None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tagging(Kind):
    """A softmax over the tags at each word's first piece, by a `TokenClassifier`."""

    name = "tagging"
    has_labels = True
    has_decisions = True
    in_page = True
    noun = "tag"
    app_folder = "tagging"
    outputs = {"logits": Output("score of each class for each token, before the softmax",
                                per_token=True)}
    card = Card(
        pipeline_tag="token-classification", metrics={"f1": ("seqeval",)},
        title="Marks words of a text, on phones: {types}.",
        texts=("Ada Lovelace was born in London", ""),
        answer='outputs["logits"].argmax(axis=-1)',
        reading="A score for each line of `labels.txt`, for each token. The tag of a word is the "
                "greatest at its\nfirst piece; B- begins an entity, I- continues it.",
        quantity="a logit",
        limitations=("A text of more than {longest} tokens, [CLS] and [SEP] included, is read in "
                     "parts, and none of them knows of the others.",
                     "Words are split as in CoNLL's files: a hyphen, a point or an ampersand "
                     "inside a word stays in it.", OTHER_TEXTS))

    @classmethod
    def card_fields(cls, labels, settings):
        return {"types": ", ".join(dict.fromkeys(tag[2:] for tag in labels if tag != "O"))}

    @classmethod
    def matches(cls, model):
        from mobilebert_tf.models.token_classifier import TokenClassifier

        return isinstance(model, TokenClassifier)

    def build(self, encoder):
        from mobilebert_tf.models.token_classifier import TokenClassifier

        return TokenClassifier(encoder, len(self.labels))

    def losses(self):
        from mobilebert_tf.models.token_loss import TokenLoss

        return {"loss": TokenLoss(NO_LABEL)}

    def label_losses(self, logits, targets, mask):
        import tensorflow as tf

        # Places of class -1 have no weight.
        return tf.nn.sparse_softmax_cross_entropy_with_logits(
            tf.maximum(targets["logits"], 0), logits["logits"])

    def soft_label_losses(self, logits, teacher_logits, mask, temperature):
        return softmax_divergence(logits["logits"], teacher_logits["logits"], temperature)

    def summed_classes(self, logits):
        return logits["logits"].shape[-1]

    def places(self, features):
        """Return the first pieces of the words."""
        return [(np.array(window.words) != NO_WORD).astype(np.float32)
                for found in features.origin for window in found]

    def kept(self, logits, lengths):
        return {"logits": [row[:length] for row, length in zip(
            logits["logits"], lengths, strict=True)]}

    def restored(self, kept, lengths, width):
        rows = kept["logits"]
        padded = np.zeros((len(rows), width, *rows[0].shape[1:]), np.float32)
        for row, values in enumerate(rows):
            padded[row, :len(values)] = values
        return {"logits": padded}

    def graph_outputs(self, values):
        return {"logits": values}

    @classmethod
    def exported_head(cls, model):
        return ExportedHead(output=model.head)

    def examples(self, texts, second_texts):
        if any(text is not None for text in second_texts):
            raise InputError("a model for tagging takes no second text")
        if self.labels is None:
            raise InputError("the model does not name its tags: export it again with them")
        if "O" not in self.labels or not all(map(conll.is_tag, self.labels)):
            raise InputError("entities are told by the tags O, B-type and I-type, and the model's "
                             f"labels are {', '.join(self.labels)}")
        return [_SplitText(text, *map(tuple, split(text))) for text in texts]

    def rows(self, examples, tokenizer, length):
        origin = [windows(sentence.words, tokenizer, length=length, tags=sentence.tags,
                          labels=self.labels) for sentence in examples]
        rows = [window for found in origin for window in found]
        return Features(ids=[np.array(row.ids, np.int32) for row in rows],
                        first_lengths=[len(row.ids) for row in rows],
                        targets=[np.array(row.labels, np.int32) for row in rows],
                        rows=[len(found) for found in origin], origin=origin)

    def answers(self, outputs, examples, features):
        logits = features.by_example(outputs["logits"])
        return [self._answer(of_rows, found, len(sentence.words)) for sentence, found, of_rows
                in zip(examples, features.origin, logits, strict=True)]

    def _answer(self, logits, found, count):
        tags = word_tags(found, logits.argmax(axis=-1), self.labels, count)
        # A word without pieces is surely O.
        likely = by_word(found, softmax(logits).max(axis=-1), count, 1.0)
        return _Tags(tuple(tags), tuple(likely))

    def decisions(self, outputs, examples, features):
        """Decide about the tag at each word's first piece."""
        gold = np.concatenate(features.targets)
        logits = np.concatenate([row[:len(target)] for row, target in zip(
            outputs["logits"], features.targets, strict=True)])
        return Decisions(logits[gold != NO_LABEL].astype(np.float64), gold[gold != NO_LABEL])

    def confidence(self, answer):
        """Return the product of the probabilities of the words' tags."""
        return math.prod(map(float, answer.probabilities))

    def to_json(self, answer, example, top_k):
        return {"entities": entities(example.text, example.offsets, answer.tags,
                                     answer.probabilities)}

    def lines(self, prediction):
        return (f"{entity['probability']:7.4f}  {entity['type']}  {entity['text']}  "
                f"({entity['start']}-{entity['end']})" for entity in prediction["entities"])

    def texts(self, examples):
        return [" ".join(sentence.words) for sentence in examples]

    def score(self, answers, examples, metrics):
        return metrics.scores(*_tags(answers, examples))

    def score_parts(self, answers, examples):
        predicted, expected = _tags(answers, examples)
        return scores.score_by_type(expected, predicted)

    def constant(self, examples, metrics):
        return [_Tags(("O",) * len(sentence.words)) for sentence in examples]

    def expected(self, examples):
        return [tag for sentence in examples for tag in sentence.tags]

    def predicted(self, answers, examples):
        return [tag for answer in answers if answer is not None for tag in answer.tags]

    def comparable(self, answers):
        return [answer and answer.tags for answer in answers]

    def readable(self, answers, examples):
        return [answer and list(zip(sentence.words, answer.tags, strict=True))
                for answer, sentence in zip(answers, examples, strict=True)]

    def read_answers(self, path, examples, values=None):
        written = written_answers.read_list(path, list[tuple[str, str]],
                                            "words, each with its tag", examples)
        for number, (words, sentence) in enumerate(zip(written, examples, strict=True)):
            if words is not None:
                _check_written(f"{path}, answer {number}", words, sentence)
        return [None if words is None else _Tags(tuple(tag for _, tag in words))
                for words in written]


def _check_written(place, words, sentence):
    if tuple(word for word, _ in words) != sentence.words:
        raise InputError(f"{place} should have the words of its sentence, "
                         f"{' '.join(sentence.words)!r}")
    for word, tag in words:
        if not conll.is_tag(tag):
            raise InputError(f"{place}: {word!r} has the tag {tag!r}, and known are O, B-type and "
                             "I-type")


def _tags(answers, examples):
    """The predicted and the gold tags of every sentence."""
    return ([_wrong(len(sentence.words)) if answer is None else list(answer.tags)
             for answer, sentence in zip(answers, examples, strict=True)],
            [list(sentence.tags) for sentence in examples])


def _wrong(count):
    return [f"B-{_NO_ANSWER}", *[f"I-{_NO_ANSWER}"] * (count - 1)]
