"""Question answering: the span of a text that answers a question, or none."""

import dataclasses
from typing import Literal

import numpy as np

from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.data.features.question_settings import QuestionSettings
from mobilebert_tf.data.features.question_windows import windows
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import squad as scores
from mobilebert_tf.kinds import question_files, span_logits
from mobilebert_tf.kinds.card import OTHER_TEXTS, Card
from mobilebert_tf.kinds.exported_head import ExportedHead
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.kinds.output import Output
from mobilebert_tf.kinds.soft_labels import softmax_divergence
from mobilebert_tf.kinds.span_decoding import answer, decode
from mobilebert_tf.kinds.span_prediction import SpanPrediction

# A text that nobody gave as an answer, and null odds below all thresholds: a missing answer is
# wrong, also to a question without an answer.
_WRONG, _SURE = "\0", -1e6
# The scores at a best threshold, and where that threshold is. The others are at the model's own.
_THRESHOLDS = {"best_f1": "best_f1_thresh", "best_exact": "best_exact_thresh"}
_REPORTS = {"n_best": question_files.n_best, "null_odds": question_files.null_odds}


@dataclasses.dataclass(frozen=True, kw_only=True)
class QuestionAnswering(Kind):
    """A start and an end of the answer, by a `QuestionAnswerer`; the answer is a `SpanPrediction`.

    Args:
      unanswerable: whether some questions have no answer, as in SQuAD v2.0 ("some"), or every one
        has (v1.1, "none"); None if nobody knows, and then the settings decide.
    """

    unanswerable: Literal["some", "none"] | None = None

    name = "question_answering"
    length = 384
    settings_type = QuestionSettings
    outputs = {
        "start_logits": Output("score of each token as the answer's first", per_token=True),
        "end_logits": Output("score of each token as the answer's last", per_token=True)}
    text_columns = ("question", "context")
    app_folder = "question_answering"
    app_reads_pairs = True
    in_page = True
    card = Card(
        pipeline_tag="question-answering",
        metrics={"f1": ("f1",)},
        title="Finds the answer to a question in a text, on phones{or_none}.",
        texts=("Where was Ada born?", "Ada Lovelace was born in London."),
        answer='outputs["start_logits"].argmax(), outputs["end_logits"].argmax()',
        reading="A score for each token as the answer's first, and as its last. The answer is the "
                "span of the\nsecond text whose two scores have the greatest sum, which need not "
                "be the two greatest scores.\n`settings` in `model.json` has the settings that the "
                "scores above are of.",
        quantity="a logit",
        limitations=("An answer is a piece of the text, of at most {max_answer_length} tokens.",
                     "The score of \"no answer\" is that of a span from [CLS] to [CLS]. If it "
                     "exceeds the score of the best span by more than `null_threshold` in "
                     "`model.json`, the text has no answer. If `null_threshold` is null, the model "
                     "always names a span, even a wrong one.",
                     "Of a question it reads {max_question_length} tokens. A text too long for the "
                     "rest is read through windows, each {stride} tokens after the one before.",
                     OTHER_TEXTS))

    @classmethod
    def card_fields(cls, labels, settings):
        may_be_none = settings["null_threshold"] is not None
        return {"or_none": ", or says that there is none" if may_be_none else ""}

    @property
    def threshold(self) -> float | None:
        """The null odds above which there is no answer; None if there always is one."""
        if self.unanswerable == "none":
            return None
        found = self.used_settings.null_threshold
        return 0.0 if found is None and self.unanswerable == "some" else found

    def with_settings(self, **changes):
        if "null_threshold" in changes and self.unanswerable == "none":
            raise InputError("a null threshold is for questions without an answer, and the task "
                             "has none")
        return super().with_settings(**changes)

    @classmethod
    def matches(cls, model):
        from mobilebert_tf.models.question_answerer import QuestionAnswerer

        return isinstance(model, QuestionAnswerer)

    def build(self, encoder):
        from mobilebert_tf.models.question_answerer import QuestionAnswerer

        return QuestionAnswerer(encoder)

    def losses(self):
        """Return the mean of both ends' losses, as in google-research's run_squad."""
        import tf_keras as keras

        return {"loss": {name: keras.losses.SparseCategoricalCrossentropy(from_logits=True)
                         for name in self.outputs},
                "loss_weights": dict.fromkeys(self.outputs, 0.5)}

    def are_pairs(self, examples):
        return True

    def label_losses(self, logits, targets, mask):
        import tensorflow as tf

        return tf.add_n([tf.nn.sparse_softmax_cross_entropy_with_logits(
            targets[name], logits[name]) for name in self.outputs]) / 2

    def soft_label_losses(self, logits, teacher_logits, mask, temperature):
        """Compute the mean of the divergences of the starts and of the ends.

        Padding takes no part: how much of it there is differs from batch to batch. (DistilBERT's
        run_squad_w_distillation.py, whose loss this is, counts it.)
        """
        import tensorflow as tf

        padding = (1 - tf.cast(mask, tf.float32)) * span_logits.PADDING
        return tf.add_n([softmax_divergence(
            logits[name] + padding, teacher_logits[name] + padding, temperature)
            for name in self.outputs]) / 2

    def kept(self, logits, lengths):
        return span_logits.kept(logits, lengths)

    def restored(self, kept, lengths, width):
        return span_logits.restored(kept, lengths, width)

    def keras_outputs(self, model, inputs):
        return model(inputs, training=False)

    def graph_outputs(self, values):
        import tensorflow as tf

        length = values.shape[1]
        start, end = (tf.reshape(column, (-1, length))
                      for column in tf.split(values, 2, axis=-1))
        return {"start_logits": start, "end_logits": end}

    @classmethod
    def exported_head(cls, model):
        return ExportedHead(output=model.head)

    def examples(self, texts, second_texts):
        if None in second_texts:
            raise InputError("a model for question answering needs the text to look in: give a "
                             "second text for each question, with --second-text or second_texts")
        return [Question("", text, context)
                for text, context in zip(texts, second_texts, strict=True)]

    def rows(self, examples, tokenizer, length):
        origin = [[_compact(window) for window in windows(
            question, tokenizer, length=length, settings=self.used_settings)]
            for question in examples]
        rows = [window for found in origin for window in found]
        return Features(
            ids=[row.ids for row in rows], first_lengths=[row.first_length for row in rows],
            targets={"start_logits": [row.start for row in rows],
                     "end_logits": [row.end for row in rows]},
            rows=[len(found) for found in origin], origin=origin,
            truncated=[bool(found) and self._is_cut(question, found[0], tokenizer)
                       for question, found in zip(examples, origin, strict=True)])

    def what_is_cut(self, length):
        return f"the question is cut to its first {self.used_settings.max_question_length} tokens"

    def _is_cut(self, question, window, tokenizer):
        """Whether the question lost its end; of a context nothing is lost."""
        most = self.used_settings.max_question_length
        # [CLS], the question, [SEP]. Only a full one is tokenized a second time.
        return window.first_length == most + 2 and len(tokenizer.encode(question.question)) > most

    def answers(self, outputs, examples, features):
        starts, ends = (features.by_example(outputs[name])
                        for name in ("start_logits", "end_logits"))
        return [decode(question, list(map(_with_numbers, found)), *logits,
                       settings=self.used_settings, with_null=self.unanswerable == "some",
                       counts_null=self.threshold is not None)
                for question, found, *logits in zip(examples, features.origin, starts, ends,
                                                    strict=True)]

    def to_json(self, answer, example, top_k):
        """Return the answer with its characters, the null odds, and the best spans.

        A span's probability is among all spans that could be the answer, and no answer if there is
        a threshold. (`report("n_best")` has it among the n best spans, as run_squad.py does.)
        """
        best = self._span(answer)
        return {"answer": "" if best is None else best.text, "start": best and best.start,
                "end": best and best.end, "null_odds": answer.null_odds,
                "answers": [{"text": span.text, "start": span.start, "end": span.end,
                             "probability": answer.probability(span)}
                            for span in answer.n_best if span.text][:top_k]}

    def lines(self, prediction):
        yield prediction["answer"] or "(no answer)"
        for entry in prediction["answers"]:
            yield f"{entry['probability']:7.4f}  {entry['text']}"

    def check_dev(self, examples, path):
        for question in examples:
            if not question.answers and self.unanswerable == "none":
                raise InputError(f"{path}, question {question.id!r} has no answer, and a model for "
                                 "answerable questions always gives one; take the task squad_v2, "
                                 "or remove the question")

    def check_train(self, examples, path):
        self.check_dev(examples, path)
        for question in examples:
            if not question.answers and not question.is_impossible:
                raise InputError(f"{path}, question {question.id!r} has no answer to be learned; "
                                 "add it, mark the question with is_impossible, or remove it")

    def texts(self, examples):
        return [*(example.question for example in examples),
                *dict.fromkeys(example.context for example in examples)]

    def score(self, answers, examples, metrics):
        """Compute the official scores; with null odds also those at the best threshold."""
        texts = {question.id: _WRONG if answer is None else _text(answer.best)
                 for question, answer in zip(examples, answers, strict=True)}
        if self.unanswerable != "some":
            return _parts(scores.score_v1(examples, texts))
        odds = {question.id: _SURE if answer is None else answer.null_odds
                for question, answer in zip(examples, answers, strict=True)}
        if None in odds.values():
            return _parts(scores.score_v2(examples, texts))
        return _parts(scores.score_v2(examples, texts, odds, self.threshold))

    def decided(self, scores, metric):
        return dataclasses.replace(self, settings=dataclasses.replace(
            self.used_settings, null_threshold=(
                scores[_THRESHOLDS[metric]] if metric in _THRESHOLDS else self.threshold)))

    def constant(self, examples, metrics):
        return [SpanPrediction(question.id, None, (), 0.0, 0.0) for question in examples]

    def expected(self, examples):
        return [question.answers[0].text if question.answers else "" for question in examples]

    def predicted(self, answers, examples):
        given = [(answer, question) for answer, question in zip(answers, examples, strict=True)
                 if answer is not None]
        return list(self.readable(*zip(*given, strict=True)).values()) if given else []

    def comparable(self, answers):
        """Return the (start, end) of each answer at the threshold; () for no answer."""
        spans = [answer and self._span(answer) for answer in answers]
        return [None if answer is None else () if span is None else (span.start, span.end)
                for answer, span in zip(answers, spans, strict=True)]

    def readable(self, answers, examples):
        """Return the answers' texts by the questions' ids, as the official scorers read them."""
        return {question.id: "" if answer is None else _text(self._span(answer))
                for question, answer in zip(examples, answers, strict=True)}

    def read_answers(self, path, examples, values=None):
        return self.read_answers_with_odds(path, None, examples)

    def read_answers_with_odds(self, path, odds_path, examples) -> list[SpanPrediction | None]:
        """Read answers as `read_answers` does, and their null odds from another file.

        Args:
          odds_path: a JSON file with a number by the question's id, SQuAD's --na-prob-file; None
            for none.
        """
        return question_files.read(path, odds_path, examples,
                                   every_question=self.unanswerable == "some")

    @property
    def reports(self):
        return tuple(_REPORTS) if self.unanswerable == "some" else ("n_best",)

    def report(self, name, answers):
        """Return one of run_squad.py's further files; see `question_files`."""
        if name not in self.reports:
            return super().report(name, answers)
        found = [answer for answer in answers if answer is not None]
        return _REPORTS[name](found)

    def _span(self, prediction):
        return answer(prediction, self.threshold)


def _text(span):
    return "" if span is None else span.text


def _compact(window):
    """A window with arrays for tuples, a tenth of their size: there may be 100,000 of them."""
    return dataclasses.replace(
        window, ids=np.array(window.ids, np.int32), offsets=np.array(window.offsets, np.int32),
        words=(), is_max_context=np.array(window.is_max_context))


def _with_numbers(window):
    """A compact window with Python's own numbers again, from which answers are made."""
    return dataclasses.replace(window, offsets=window.offsets.tolist())


def _parts(percents):
    """The scorers' percents as parts of 1, as all scores are here; counts and thresholds stay."""
    return {name: value if name.endswith(("total", "thresh")) else value / 100
            for name, value in percents.items()}
