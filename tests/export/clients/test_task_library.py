"""The Task Library on our files: it runs those that its old runtime can, and refuses the others."""

import numpy as np
import pytest

from mobilebert_tf.export import RECIPES, Runner
from mobilebert_tf.export.file import metadata
from mobilebert_tf.text.packing import encode_batch

from .conftest import tolerance
from .task_library import RUNTIME

TEXTS = ["al bl", "AL cl ? zz", "dm. em? fp!", "al " * 30]


@pytest.fixture
def ask(task_library, tmp_path):
    """file's content, kind, what is asked -> the answer."""

    def run(content, kind, **question):
        path = tmp_path / "model.tflite"
        path.write_bytes(content)
        (answer,) = task_library.ask([{"kind": kind, "file": str(path), **question}])
        return answer

    return run


def refused(content, answer):
    """Whether the file needs a newer runtime; then the answer has to be a clean refusal."""
    version = tuple(map(int, metadata.read(content).runtime.split(".")))
    if version[:2] <= RUNTIME:
        return False
    # By an operation's version, an operation's type, or a tensor's.
    assert any(sentence in answer["error"] for sentence in (
        "Didn't find op for builtin opcode", "AllocateTensors() failed",
        "Could not build model")), answer
    return True


@pytest.mark.parametrize("kind", ["classification", "multi_label"])
def test_the_classifier_gives_litert_s_probabilities(kind, recipe, exported, ask, litert,
                                                     assert_same):
    file = exported(kind, recipe).model
    answer = ask(file, kind, texts=TEXTS)
    if not refused(file, answer):
        assert_same(answer, litert(file, TEXTS), recipe)


def test_the_answerer_gives_litert_s_spans(recipe, answerer, ask, vocabulary):
    file = answerer(recipe)
    runner = Runner(file)
    question, spans = "al bl ?", 0
    for seed in range(4):
        # It looks at the five best starts and ends alone: few words leave them to the padding.
        words = np.random.default_rng(seed).choice(vocabulary.pieces[10:80], 377)
        context = " ".join(words)
        answers = ask(file, "question_answering", question=question, context=context)
        if refused(file, answers):
            return
        inputs = encode_batch(runner.tokenizer, [question], [context], length=384)
        logits = {name: rows[0] for name, rows in runner(inputs).items()}
        before = int(np.argmax(inputs["input_type_ids"][0]))
        for answer in answers:
            start, end = answer["start"], answer["end"]
            assert answer["text"].split() == list(words[start - before:end - before + 1])
            assert answer["logit"] == pytest.approx(
                logits["start_logits"][start] + logits["end_logits"][end],
                abs=2 * tolerance(recipe, is_probability=False))
        if not RECIPES[recipe].calibrated:  # there its logits are not ours to the last bit
            assert [(answer["start"], answer["end"]) for answer in answers] == best_spans(
                logits["start_logits"], logits["end_logits"],
                range(before, before + len(words)))
        spans += len(answers)
    assert spans


def best_spans(start_logits, end_logits, context):
    """The library's rule: of five starts and five ends, spans of up to 32 tokens in the context."""
    starts, ends = ([place for place in np.argsort(-logits)[:5] if place in context]
                    for logits in (start_logits, end_logits))
    spans = [(start, end) for start in starts for end in ends if start <= end < start + 32]
    return sorted(spans, key=lambda span: -start_logits[span[0]] - end_logits[span[1]])[:5]


def test_an_answerer_of_another_length_gives_no_answer(exported, ask):
    answer = ask(exported("question_answering", "float32").model, "question_answering",
                 question="al", context="bl")
    assert list(answer) == ["error"]  # its words do not say why


def test_where_its_tokenizer_differs_from_bert_s(misread, ask):
    file, text, expected = misread
    assert ask(file, "classification", texts=[text]) == [pytest.approx(expected, abs=1e-5)]


def test_a_file_that_its_tokenizer_would_misread_is_refused(without_tokenizer, ask):
    answer = ask(without_tokenizer, "classification", texts=["al"])
    assert "input process unit" in answer["error"]


@pytest.mark.slow
def test_a_trained_classifier(recipe, trained, reviews, ask, litert, assert_same):
    file = trained(recipe)
    answer = ask(file, "classification", texts=reviews)
    if not refused(file, answer):
        assert_same(answer, litert(file, reviews), recipe)


def test_the_shipped_answerer(shipped, ask):
    file = shipped("mobilebert_mini_squad", "int8")
    runner = Runner(file)
    question, context = "Who wrote the first program?", (
        "Ada Lovelace wrote the first program in 1843. It was meant for a machine that Charles "
        "Babbage had designed but never built.")
    inputs = encode_batch(runner.tokenizer, [question], [context], length=384)
    logits = {name: rows[0] for name, rows in runner(inputs).items()}
    pieces = [runner.tokenizer.vocabulary.pieces[token] for token in inputs["input_word_ids"][0]]
    answers = ask(file, "question_answering", question=question, context=context)
    assert answers[0]["text"] == "Ada Lovelace"
    for answer in answers:
        assert answer["text"] in context
        assert whole_words(pieces, answer["start"], answer["end"]) == (
            answer["text"].lower().replace(" ", ""))
        # Its int8 kernels are older. Even those of LiteRT without XNNPACK differ by up to 0.5 in a
        # logit of this passage. Starts exchanged for ends would be 9 apart in the first answer.
        assert answer["logit"] == pytest.approx(
            logits["start_logits"][answer["start"]] + logits["end_logits"][answer["end"]], abs=1.0)


def whole_words(pieces, start, end):
    """The library's rule: the words to which the first and the last piece of a span belong."""
    while pieces[start].startswith("##"):
        start -= 1
    while pieces[end + 1].startswith("##"):
        end += 1
    return "".join(piece.removeprefix("##") for piece in pieces[start:end + 1])
