"""SQuAD's files are read as they are, and what is wrong in one is named."""

import copy
import gzip
import json

import pytest

from mobilebert_tf.data import lines
from mobilebert_tf.data.datasets import squad
from mobilebert_tf.data.datasets.answer import Answer
from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.errors import InputError

CONTEXT = "Ida Holm built the Aurora, in Zürich."


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "dev.json"
        if not isinstance(content, bytes):
            content = json.dumps(content).encode()
        path.write_bytes(content)
        return path

    return write


def data(*entries, context=CONTEXT):
    return {"version": "1.1", "data": [
        {"title": "Ship", "paragraphs": [{"context": context, "qas": list(entries)}]}]}


BUILDER = {"id": "a1", "question": "Who built it?", "answers": [
    {"text": "Ida Holm", "answer_start": 0}, {"text": "Holm", "answer_start": 4}]}


def test_a_file_is_one_line_of_any_length_and_has_a_bound(write, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 10)
    path = write(data(BUILDER))
    assert len(squad.read(path)) == 1
    monkeypatch.setattr(lines, "_MOST_BYTES", 100)
    with pytest.raises(InputError, match="too much for one JSON file"):
        squad.read(path)


def test_reads_questions_in_order_with_their_context_and_answers(write):
    content = data(BUILDER, {"id": "a2", "question": "Where?", "answers": []})
    content["data"].append({"paragraphs": [{"context": "", "qas": [
        {"id": "a0", "question": "", "answers": [], "is_impossible": True,
         "plausible_answers": [{"text": "x", "answer_start": 0}]}]}]})
    assert squad.read(write(content)) == (
        Question("a1", "Who built it?", CONTEXT, (Answer("Ida Holm", 0), Answer("Holm", 4)), False),
        Question("a2", "Where?", CONTEXT, (), False),
        Question("a0", "", "", (), True))


def test_places_are_in_characters_and_a_byte_order_mark_is_none(write):
    entry = {"id": "1", "question": "?", "answers": [{"text": "rich.", "answer_start": 32}]}
    path = write(b"\xef\xbb\xbf" + json.dumps(data(entry), ensure_ascii=False).encode())
    assert squad.read(path)[0].answers == (Answer("rich.", 32),)


@pytest.mark.parametrize(("content", "message"), [
    (b"", r"dev.json is not JSON: Input data was truncated"),
    (b'{"data": [\n\n}', r"dev.json is not JSON: invalid character in line 3$"),
    (b'{"data":\n"\xff"}', r"dev.json, line 2 is not UTF-8"),
    ([], r"dev.json: expected object, got array"),
    ({"version": "v2.0"}, r"dev.json: object missing required field data"),
    ({"data": {}}, r"dev.json, data: expected array, got object"),
    ({"data": []}, r"dev.json has no questions"),
    (data(), r"dev.json has no questions"),
    ({"data": [{"paragraphs": [{"context": "", "qas": []}]}, {"title": "b"}]},
     r"dev.json, data\[1\]: object missing required field paragraphs"),
    ({"data": [{"paragraphs": [{"context": "", "qas": []}, {"qas": []}]}]},
     r"object missing required field context"),
    ({"data": [{"paragraphs": [{"context": None, "qas": []}]}]},
     r"paragraphs\[0\]\.context: expected str, got null"),
])
def test_a_file_of_another_shape_is_named(write, content, message):
    with pytest.raises(InputError, match=message):
        squad.read(write(content))


def changed(key, value, place=()):
    entry = copy.deepcopy(BUILDER)
    target = entry
    for step in place:
        target = target[step]
    target[key] = value
    return entry


ANSWER = ("answers", 1)


@pytest.mark.parametrize(("entry", "message"), [
    (changed("id", 7), r"dev.json, data\[0\].paragraphs\[0\].qas\[0\].id: expected str, got int"),
    (changed("question", None), r"qas\[0\].question: expected str, got null"),
    ({"id": "a1", "question": "?"}, r"qas\[0\]: object missing required field answers"),
    (changed("is_impossible", 1), r"qas\[0\].is_impossible: expected bool, got int"),
    (changed("is_impossible", True), r"question 'a1' is marked impossible and has answers"),
    (changed("answer_start", 5, ANSWER),
     r"dev.json, question 'a1': the answer 'Holm' is not at its answer_start 5; the context has "
     r"'olm ' there"),
    (changed("answer_start", 35, ANSWER), r"answer_start 35; the context has 'h\.'"),
    # The character at -33, counted from the end, is the right one.
    (changed("answer_start", 4 - len(CONTEXT), ANSWER), r"the context has '' there"),
    (changed("answer_start", True, ANSWER), r"answers\[1\].answer_start: expected int, got bool"),
    (changed("text", "holm", ANSWER), r"the answer 'holm' is not at"),
    (changed("text", "", ANSWER), r"question 'a1' has an empty answer"),
])
def test_a_wrong_question_is_named_by_its_id(write, entry, message):
    with pytest.raises(InputError, match=message):
        squad.read(write(data(entry)))


@pytest.mark.parametrize("content", [
    data({**BUILDER, "answers": []}, context="Ida \ud83d"), data(changed("question", "\ud83d")),
    data(changed("text", "\ud83d", ANSWER)), data(changed("id", "\ud83d"))])
def test_half_a_surrogate_pair_is_named(write, content):
    place = json.dumps(content).index("\\ud83d")
    with pytest.raises(InputError, match=rf"half a surrogate pair, .* \(byte {place}\)$"):
        squad.read(write(content))


def test_an_id_is_of_one_question(write):
    again = {**BUILDER, "answers": BUILDER["answers"][:1]}
    assert [len(one.answers) for one in squad.read(write(data(BUILDER, again)))] == [2, 1]
    message = r"data\[0\].paragraphs\[0\]: the id 'a1' is another question's already"
    with pytest.raises(InputError, match=message):
        squad.read(write(data(BUILDER, {**BUILDER, "question": "Which?"})))
    other_context = data(BUILDER)
    other_context["data"] += data({**BUILDER, "answers": []}, context="Another.")["data"]
    with pytest.raises(InputError, match=r"data\[1\].paragraphs\[0\]: the id 'a1'"):
        squad.read(write(other_context))


def test_a_gzip_file_is_read_as_the_file_in_it(write):
    path = write(data(BUILDER))
    packed = path.with_name("dev.json.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert squad.read(packed) == squad.read(path)
    packed.write_bytes(packed.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"cannot unpack .*dev.json.gz"):
        squad.read(packed)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*none.json: No such file"):
        squad.read(tmp_path / "none.json")


@pytest.mark.parametrize(("name", "count", "impossible", "answers"), [
    ("squad_v2_half", 6078, 3168, 10_052),
    ("squad_train_subset", 4000, 0, 4000),
    ("adversarial_qa_train_squadformat", 30_000, 0, 30_000),
    ("adversarial_qa_valid_squadformat", 3000, 0, 3000),
])
def test_real_files_have_their_numbers_of_questions(shared_data, name, count, impossible, answers):
    questions = squad.read(shared_data / "squad" / f"{name}.json")
    assert len(questions) == count
    assert sum(question.is_impossible for question in questions) == impossible
    assert sum(len(question.answers) for question in questions) == answers
