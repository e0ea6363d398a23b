"""A new kind of model in one file: ratings of 1 to 5 stars, from training to the phone."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf import kinds, model_directory
from mobilebert_tf.data.datasets import tables
from mobilebert_tf.data.datasets.labelled_texts import class_of
from mobilebert_tf.data.features.features import single_rows
from mobilebert_tf.evaluation import written_answers
from mobilebert_tf.evaluation.classification import accuracy
from mobilebert_tf.evaluation.metrics import Metrics
from mobilebert_tf.kinds.card import CUT, Card
from mobilebert_tf.kinds.exported_head import ExportedHead
from mobilebert_tf.kinds.output import Output
from mobilebert_tf.kinds.table import TableFormat
from mobilebert_tf.kinds.texts_kind import TextsKind
from mobilebert_tf.text.packing import encode_batch

MOST = 5


def within_one(predicted, labels):
    return float(np.mean(np.abs(np.subtract(predicted, labels)) <= 1))


@dataclasses.dataclass(frozen=True, kw_only=True)
class StarRating(TextsKind):
    """Logit k of a `Classifier` of 4 classes says whether a text has more than k + 1 stars."""

    name = "star_rating"
    noun = "rating"
    table = TableFormat(read=tables.read, label_of=class_of,
                  metrics=Metrics("accuracy", {"accuracy": accuracy, "within_one": within_one}))
    outputs = {"above": Output("probability of more than 1, 2, 3 and 4 stars")}
    card = Card(
        pipeline_tag="text-classification", metrics={"accuracy": ("accuracy",)},
        title="Gives {texts} 1 to 5 stars.", answer='1 + (outputs["above"] > 0.5).sum()',
        reading="One star, and one more for each probability above 0.5.",
        quantity="a probability", limitations=(CUT,))

    @classmethod
    def matches(cls, model):
        return isinstance(model, mb.Classifier) and model.num_classes == MOST - 1

    def build(self, encoder):
        return mb.Classifier(encoder, MOST - 1)

    def losses(self):
        return {"loss": keras.losses.BinaryCrossentropy(from_logits=True)}

    def graph_outputs(self, values):
        return {"above": tf.nn.sigmoid(values)}

    @classmethod
    def exported_head(cls, model):
        return ExportedHead.of_classifier(model)

    def rows(self, examples, tokenizer, length):
        targets = examples.labels and [
            np.float32(stars > np.arange(1, MOST)) for stars in examples.labels]
        return single_rows(examples.texts, examples.second_texts, tokenizer, length, targets)

    def answers(self, outputs, examples, features):
        return (1 + (outputs["above"] > 0.5).sum(axis=1)).tolist()

    def to_json(self, answer, example, top_k):
        return {"stars": answer}

    def lines(self, prediction):
        return ["*" * prediction["stars"]]

    def score(self, answers, examples, metrics):
        return metrics.scores([-1 if one is None else one for one in answers], examples.labels)

    def constant(self, examples, metrics):
        def score(stars):
            return metrics.scores([stars] * len(examples), examples.labels)[metrics.main]

        return [max(range(1, MOST + 1), key=score)] * len(examples)

    def expected(self, examples):
        return list(examples.labels)

    def predicted(self, answers, examples):
        return [answer for answer in answers if answer is not None]

    def readable(self, answers, examples):
        return list(answers)

    def read_answers(self, path, examples, values=None):
        return written_answers.read_list(path, int, "a number of stars", examples)


@pytest.fixture
def registered():
    kinds.register(StarRating)
    yield
    del kinds._registered[StarRating.name]


@pytest.fixture
def files(tmp_path):
    """A training and a dev table, with a word for each number of stars."""
    words = ("awful", "dull", "fair", "good", "superb")
    for name, count in (("train.csv", 12), ("dev.csv", 4)):
        rows = [f"the film was {word},{stars}\n" for stars, word in enumerate(words, 1)]
        (tmp_path / name).write_text("said,stars\n" + "".join(rows * count))
    return {"train": [tmp_path / "train.csv"], "dev": tmp_path / "dev.csv"}


def test_a_kind_of_one_file_goes_all_the_way(registered, files, tmp_path):
    tuned = mb.fine_tune(
        "star_rating", tmp_path / "run", **files, text="said", label="stars", preset="micro",
        settings=mb.FineTuningSettings(epochs=1, batch_size=8), say=lambda line: None)
    evaluation = mb.evaluate(tuned.model, "star_rating", dev=files["dev"])
    assert evaluation.scores == tuned.scores
    targets = evaluation.task.kind.rows(evaluation.examples, evaluation.runner.tokenizer, 8).targets
    np.testing.assert_array_equal(targets[:3], [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]])

    contents = model_directory.load(tuned.model)
    text = "the film was superb"
    logits = contents.model(encode_batch(mb.Tokenizer(contents.vocabulary), [text], length=40))
    expected = 1 / (1 + np.exp(-logits.numpy()))
    for recipe, tolerance in (("int8", 0.1), ("dynamic_int8", 0.03)):
        file = tmp_path / f"{recipe}.tflite"
        verdict = mb.export_model(tuned.model, file, recipe=recipe, **files).verdict
        assert (verdict.passed, verdict.model_score) == (True, tuned.scores["accuracy"])
        runner = mb.export.Runner(file)
        found = runner(encode_batch(runner.tokenizer, [text], length=40))["above"]
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)
        stars = 1 + int((expected > 0.5).sum())
        assert mb.predict(file, [text]) == [{"text": text, "stars": stars, "truncated": False}]

    facts = mb.package(tuned.model, tmp_path / "stars", **files, say=lambda line: None)
    assert (facts["kind"], facts["files"][0]["gate"]["metric"]) == ("star_rating", "accuracy")
    assert "Gives texts 1 to 5 stars." in (tmp_path / "stars" / "README.md").read_text()
