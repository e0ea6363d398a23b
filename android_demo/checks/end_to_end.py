"""Write models as the app's assets, with the answers that `predict` gives with them.

Two small models have random weights; the others are those in models/.

    python android_demo/checks/end_to_end.py DIRECTORY
"""

import dataclasses
import json
import sys
from pathlib import Path

import numpy as np

import mobilebert_tf as mb
from mobilebert_tf.data.datasets import squad
from mobilebert_tf.data.features.question_settings import QuestionSettings
from mobilebert_tf.export import Runner
from mobilebert_tf.export.package import app_assets, facts
from mobilebert_tf.inference.predict import predict
from mobilebert_tf.running import run as running
from mobilebert_tf.text.vocabulary import Vocabulary

_REPOSITORY = Path(__file__).resolve().parents[2]
_MODELS, _GOLDEN = _REPOSITORY / "models", _REPOSITORY / "tests" / "golden"
sys.path.insert(0, str(_GOLDEN / "text"))

from make_offsets import utf16_offsets  # noqa: E402

_TEXTS = [
    ("The ferry leaves the harbour at seven.", None),
    ("Naïve CAFÉ, 中文; 😀\x00!", None), ("the bridge " * 60, None),
    ("The river moved.", "Why did they rebuild the bridge twice?"),
    ("the recipe " * 20, "the garden " * 30), ("a\ud800b", None),
]
_ORDERS = ("a cheap italian place near the harbour that is open at midnight",
           "which sushi bars downtown have outdoor seating and good reviews ? " * 12)
_FEELINGS = ("Thank you, I love it!", "I can't believe they cancelled it again.",
             "The ferry leaves at seven. " * 20, "a\ud800b 😀")
_LINES = ["When does the last boat leave?", "The final ferry goes at ten past nine.",
          "Dogs travel free.", "the garden " * 60]
_TWICE = "The harbour 😀 is old. Nobody on the quay knows the harbour; the harbour knows nobody."


def main(directory):
    """Write a folder of the app's assets for each model, and cases.json in it with the answers."""
    vocabulary = Vocabulary.load(_GOLDEN / "text" / "vocab.txt")
    config = dataclasses.replace(mb.presets.get("mobilebert_nano"), vocab_size=len(vocabulary))
    encoder = mb.Encoder(config)
    labels = ["bad", "so so", "good"]
    classifier = _randomized(mb.Classifier(encoder, len(labels)))
    answerer = _randomized(mb.QuestionAnswerer(encoder))
    ferry = squad.read(_GOLDEN / "squad" / "questions.json")[0].context
    passages = ["The ferry left at seven", _TWICE, ferry, f"{ferry} " * 55]
    questions = [(question, passage) for passage in passages
                 for question in ("When was Ida Holm born?", "who?")]
    runner = _export(directory, classifier, (16, 48), vocabulary, labels)
    _save(directory / "text_classification", [_classes(runner, *texts) for texts in _TEXTS])
    runner = _export(directory, answerer, (32, 96), vocabulary, None)
    _save(directory / "question_answering", [_answer(runner, *asked) for asked in questions])
    # These settings are in model.json only, not in the .tflite file. The app and Python read them.
    other = directory / "other_settings"
    settings = QuestionSettings(stride=20, max_question_length=4, max_answer_length=3, n_best=9)
    _export(other, answerer, (32, 96), vocabulary, None, settings)
    odds = sorted(_answer(_opened(other), *asked)["null_odds"] for asked in questions)
    _export(other, answerer, (32, 96), vocabulary, None, dataclasses.replace(
        settings, null_threshold=(odds[len(odds) // 2 - 1] + odds[len(odds) // 2]) / 2))
    answers = [_answer(_opened(other), *asked) for asked in questions]
    assert {bool(one["answer"]) for one in answers} == {True, False}
    _save(other / "question_answering", answers)
    shipped = directory / "shipped"
    runner = _shipped(shipped, "mobilebert_mini_sst2", "text_classification")
    _save(shipped / "text_classification", [
        _classes(runner, text, None) for text, second in _TEXTS if second is None])
    runner = _shipped(shipped, "mobilebert_mini_squad", "question_answering")
    _save(shipped / "question_answering", [_answer(runner, *asked) for asked in questions])
    runner = _shipped(shipped, "mobilebert_mini_restaurant", "tagging")
    _save(shipped / "tagging", [
        {"text": text, "entities": found["entities"]}
        for text, found in zip(_ORDERS, predict(runner, list(_ORDERS)), strict=True)])
    # In a folder of its own: the app has no screen for it.
    own = directory / "own"
    runner = _shipped(own, "mobilebert_mini_emotion", "multi_label")
    found = predict(runner, list(_FEELINGS), top_k=len(runner.kind.labels))
    assert {len(one["labels"]) for one in found} == {1, 2}
    _save(own / "multi_label", found)
    runner = _shipped(shipped, "mobilebert_mini_embedding", "text_embedding")
    cosines = [found["cosine"] for found in predict(runner, [_LINES[0]] * len(_LINES), _LINES)]
    (shipped / "text_embedding" / "cases.json").write_text(json.dumps(
        {"query": _LINES[0], "lines": _LINES, "cosines": cosines}), encoding="ascii")


def _opened(assets):
    return Runner(assets / "question_answering" / "model.tflite")


def _shipped(assets, package, folder):
    app_assets.write_from_package(assets, _MODELS / package)
    return Runner((assets / folder / "model.tflite").read_bytes())


def _randomized(model):
    random = np.random.default_rng(7)
    for variable in model.variables:
        center = 1.0 if "gamma" in variable.name else 0.0
        variable.assign(random.normal(center, 0.12, variable.shape))
    return model


def _export(assets, model, lengths, vocabulary, labels, settings=None):
    result = mb.export.to_tflite(model, "dynamic_int8", lengths, vocabulary=vocabulary,
                                 labels=labels)
    name = "random weights"
    app_assets.write(
        assets, {**facts.of_model(name, result), "pairs": False,
                 "settings": settings and settings.to_json(),
                 "files": [facts.of_file(name, result)]}, {name: result.model}.__getitem__)
    return Runner(result.model)


def _classes(runner, text, second_text):
    (found,) = predict(runner, [text], second_text)
    return {"text": text, "second_text": second_text, "classes": found["classes"],
            "truncated": found["truncated"]}


def _answer(runner, question, passage):
    (found,) = predict(runner, [question], passage)
    windows = runner.kind.rows(runner.kind.examples([question], [passage]), runner.tokenizer,
                               runner.length)
    outputs = running.outputs(runner, windows)
    start = end = None
    if found["answer"]:
        (start,), (end,) = utf16_offsets(passage, [(found["start"], found["end"])])
    return {"question": question, "passage": passage, "answer": found["answer"], "start": start,
            "end": end, "null_odds": found["null_odds"], "answers": found["answers"],
            "truncated": found["truncated"], "windows": [
                {name: outputs[name][row, :runner.length_for(len(ids))].tolist()
                 for name in ("start_logits", "end_logits")}
                for row, ids in enumerate(windows.ids)]}


def _save(directory, cases):
    (directory / "cases.json").write_text(json.dumps({"cases": cases}), encoding="ascii")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
