"""Two small models with random weights, exported, and what `predict` says with them.

    python android_demo/checks/end_to_end.py DIRECTORY
"""

import dataclasses
import json
import sys
from pathlib import Path

import numpy as np
from cases import GOLDEN, utf16_offsets

import mobilebert_tf as mb
from mobilebert_tf.data import question_windows, squad
from mobilebert_tf.data.features import Features
from mobilebert_tf.export import Runner
from mobilebert_tf.tasks import prediction, running
from mobilebert_tf.text.normalization_table import normalization_table
from mobilebert_tf.text.vocabulary import Vocabulary

_TEXTS = [
    ("The ferry leaves the harbour at seven.", None), ("", None),
    ("Naïve CAFÉ, 中文; 😀\x00!", None), ("the bridge " * 60, None),
    ("The river moved.", "Why did they rebuild the bridge twice?"),
    ("the recipe " * 20, "the garden " * 30), ("a\ud800b", None),
]
_TWICE = "The harbour 😀 is old. Nobody on the quay knows the harbour; the harbour knows nobody."


def main(directory):
    """Writes a directory as the app has it for each model, and cases.json with the results."""
    vocabulary = Vocabulary.load(GOLDEN / "text" / "vocab.txt")
    config = dataclasses.replace(mb.presets.get("mobilebert_nano"), vocab_size=len(vocabulary))
    encoder = mb.Encoder(config)
    labels = ["bad", "so so", "good"]
    classifier = _randomized(mb.Classifier(encoder, len(labels)))
    answerer = _randomized(mb.QuestionAnswerer(encoder))
    runner = _export(directory / "classifier", classifier, (16, 48), vocabulary, labels)
    _save(directory / "classifier", [_classes(runner, *texts) for texts in _TEXTS])
    runner = _export(directory / "answerer", answerer, (32, 96), vocabulary, None)
    ferry = squad.read(GOLDEN / "squad" / "questions.json")[0].context
    passages = ["The ferry left at seven", _TWICE, ferry, f"{ferry} " * 55]
    _save(directory / "answerer", [
        _answer(runner, question, passage) for passage in passages
        for question in ("When was Ida Holm born?", "who?")])


def _randomized(model):
    random = np.random.default_rng(7)
    for variable in model.variables:
        center = 1.0 if "gamma" in variable.name else 0.0
        variable.assign(random.normal(center, 0.12, variable.shape))
    return model


def _export(directory, model, lengths, vocabulary, labels):
    result = mb.export.to_tflite(model, "dynamic_int8", lengths, vocabulary=vocabulary,
                                 labels=labels)
    directory.mkdir(parents=True)
    (directory / "model.tflite").write_bytes(result.model)
    vocabulary.save(directory / "vocab.txt")
    (directory / "normalization.txt").write_text(normalization_table(True))
    runner = Runner(result.model)
    description = runner.metadata
    (directory / "model.json").write_text(json.dumps({
        "name": "random weights", "kind": description.task, "lengths": description.lengths,
        "signatures": {str(length): description.signature(length)
                       for length in description.lengths},
        "inputs": dict.fromkeys(("ids", "mask", "segment_ids"), {"type": "int32"}),
        "outputs": {name: {"type": "float32"} for name in result.report.outputs},
        "labels": labels, "lower_case": True}))
    return runner


def _classes(runner, text, pair):
    (found,) = prediction.predict(runner, [text], pair)
    return {"text": text, "pair": pair, "classes": found["classes"],
            "truncated": found["truncated"]}


def _answer(runner, question, passage):
    (found,) = prediction.predict(runner, [question], passage)
    windows = question_windows.windows(squad.Question("", question, passage), runner.tokenizer,
                                       length=runner.length)
    outputs = running.outputs(runner, Features(
        [window.ids for window in windows], [window.first_length for window in windows]))
    (start,), (end,) = utf16_offsets(passage, [(found["start"], found["end"])])
    return {"question": question, "passage": passage, "answer": found["answer"], "start": start,
            "end": end, "null_odds": found["null_odds"], "windows": [
                {name: outputs[name][row, :runner.length_for(len(window.ids))].tolist()
                 for name in ("start_logits", "end_logits")}
                for row, window in enumerate(windows)]}


def _save(directory, cases):
    (directory / "cases.json").write_text(json.dumps({"cases": cases}), encoding="ascii")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
