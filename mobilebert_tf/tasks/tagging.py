"""TaggingTask: a tag for every word, B- and I- around entities."""

import dataclasses
from typing import ClassVar

import numpy as np

from mobilebert_tf.data.datasets import conll as tagging
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.data.features.tagged_tokens import windows, word_tags
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import tagging as scores
from mobilebert_tf.evaluation import written_answers
from mobilebert_tf.tasks.task import Task

# The type of an entity that nobody expects, as long as the sentence: scores name it, and a missing
# answer is wrong where there are no entities too.
_NO_ANSWER = "(no answer)"


@dataclasses.dataclass(frozen=True, kw_only=True)
class TaggingTask(Task):
    """The answer is a tuple of tags, one a word."""

    kind: ClassVar[str] = "tagging"
    has_labels: ClassVar[bool] = True

    @property
    def metric(self):
        return "f1"

    @property
    def metrics_to_choose_by(self):
        return ("f1", "precision", "recall")

    def found_in(self, paths):
        if self.labels is not None:
            return self
        return self.with_labels(tagging.find_labels(paths))

    def read(self, path):
        return tagging.read(path, labels=self.labels)

    def texts(self, examples):
        return [" ".join(sentence.words) for sentence in examples]

    def features(self, examples, tokenizer, length):
        origin = [windows(sentence.words, tokenizer, length=length, tags=sentence.tags,
                          labels=self.labels) for sentence in examples]
        rows = [window for found in origin for window in found]
        return Features(ids=[np.array(row.ids, np.int32) for row in rows],
                        first_lengths=[len(row.ids) for row in rows],
                        targets=[np.array(row.labels, np.int32) for row in rows],
                        rows=[len(found) for found in origin], origin=origin)

    def answers(self, outputs, examples, features):
        classes = features.by_example(outputs["logits"].argmax(axis=-1))
        return [word_tags(found, of_rows, self.labels, len(sentence.words))
                for sentence, found, of_rows in zip(examples, features.origin, classes,
                                                    strict=True)]

    def score(self, answers, examples):
        return scores.score(*_tags(answers, examples))

    def score_parts(self, answers, examples):
        return scores.score_by_type(*_tags(answers, examples))

    def constant(self, examples):
        return [("O",) * len(sentence.words) for sentence in examples]

    def expected(self, examples):
        return [tag for sentence in examples for tag in sentence.tags]

    def said(self, answers, examples):
        return [tag for tags in answers if tags is not None for tag in tags]

    def readable(self, answers, examples):
        return [tags and list(zip(sentence.words, tags, strict=True))
                for tags, sentence in zip(answers, examples, strict=True)]

    def written_answers(self, path, examples):
        written = written_answers.read_list(path, list[tuple[str, str]],
                                            "words, each with its tag", examples)
        for number, (words, sentence) in enumerate(zip(written, examples, strict=True)):
            if words is not None:
                _check_written(f"{path}, answer {number}", words, sentence)
        return [words and tuple(tag for _, tag in words) for words in written]


def _check_written(place, words, sentence):
    if tuple(word for word, _ in words) != sentence.words:
        raise InputError(f"{place} should have the words of its sentence, "
                         f"{' '.join(sentence.words)!r}")
    for word, tag in words:
        if not tagging.is_tag(tag):
            raise InputError(f"{place}: {word!r} has the tag {tag!r}, and known are O, B-type and "
                             "I-type")


def _tags(answers, examples):
    """Expected and predicted tags of every sentence."""
    return ([list(sentence.tags) for sentence in examples],
            [_wrong(len(sentence.words)) if tags is None else list(tags)
             for tags, sentence in zip(answers, examples, strict=True)])


def _wrong(words):
    return [f"B-{_NO_ANSWER}", *[f"I-{_NO_ANSWER}"] * (words - 1)]
