"""Write the sets of questions that teachers and students are trained and chosen on.

  python docs/experiments/question_sets.py --data data/squad --output questions

The documents of SQuAD's training set are cut in two: every twentieth is for dev.json and
dev_v2.json, 2,000 questions each, the others for train.json, train_v2.json, ten_thousand.json and
mixed.json. train.json also has the other sets whose answers are spans, and adversarial_qa's
training set. ten_thousand.json, five_thousand.json and two_thousand.json are samples of v1.1,
five_hundred.json and five_hundred_v2.json samples of the documents of dev.json and dev_v2.json.
test.json has the questions of half of SQuAD v2.0's own dev set that have an answer.

cut.json has the questions of v1.1 beside a piece of their passage, 200 to 1,200 characters with the
answer at any place. They have 0.7 of the tokens of questions beside whole passages.
cut_sample.json is a sample of it.

cut_v2.json has the questions of cut.json and 72,000 more, all beside pieces of passages. 60,000
questions have no answer: some are of v2.0, some stand beside a piece of their passage that lacks
the answer, some beside a piece of another passage. cut_v2_sample.json is a sample of it.

mixed.json has samples of v1.1, whose passages are mostly the original ones, and of v2.0, whose are
back-translations: else only back-translated questions would have no answer, and the language would
give it away. For the same reason some questions of v1.1 stand beside another passage of their
document, which does not have their answer.
"""

import argparse
import gzip
import json
import random
from pathlib import Path

from mobilebert_tf.files import write_atomically

V1, V2 = "train-v1.1-rebuilt.json.gz", "train-v2.0-backtranslated.json.gz"
TEST = "squad_v2_half.json"
MORE = ("adversarial_qa_train_squadformat.json", "more/qamr.json.gz", "more/zre.json.gz",
        "more/policyqa.json.gz", "more/fairytaleqa.json.gz")
EVERY, DEV = 20, 2_000
SAMPLES = {"ten_thousand": 10_000, "five_thousand": 5_000, "two_thousand": 2_000}
SHORT_DEV = 500
CUT_CHARACTERS, CUT_SAMPLE = (200, 1_200), 24_000
# Of cut_v2.json, beside those of cut.json: of v2.0 with and without an answer, beside another piece
# of their passage, and beside a piece of another passage.
CUT_V2 = {"answered": 12_000, "impossible": 36_000, "left_out": 12_000, "elsewhere": 12_000}
CUT_V2_SAMPLE = 22_000
# Of mixed.json: of v1.1, of v2.0 with and without an answer, and beside another passage.
MIXED = {"v1": 36_000, "answered": 12_000, "impossible": 12_000, "elsewhere": 5_000}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="directory of the sets")
    parser.add_argument("--output", required=True, type=Path, help="directory for the files")
    arguments = parser.parse_args()
    v1, v2 = (_split(_read(arguments.data / name)) for name in (V1, V2))
    more = [article for name in MORE for article in _read(arguments.data / name)]
    cut, cut_v2 = _cut(v1[0]), _cut_v2(v1[0], v2[0])
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, articles in (
            ("dev", _sample(v1[1], DEV)), ("dev_v2", _sample(v2[1], DEV)),
            ("five_hundred", _sample(v1[1], SHORT_DEV)),
            ("five_hundred_v2", _sample(v2[1], SHORT_DEV)),
            ("test", _answerable(_read(arguments.data / TEST))),
            *((name, _sample(v1[0], count)) for name, count in SAMPLES.items()),
            ("cut", cut), ("cut_sample", _sample(cut, CUT_SAMPLE)),
            ("cut_v2", cut_v2), ("cut_v2_sample", _sample(cut_v2, CUT_V2_SAMPLE)),
            ("train", v1[0] + more),
            ("train_v2", v2[0]), ("mixed", _mixed(v1[0], v2[0]))):
        articles = _numbered(articles, name)
        write_atomically(arguments.output / f"{name}.json", json.dumps(
            {"version": name, "data": articles}, ensure_ascii=False).encode())
        print(f"{name}: {len(_questions(articles)):,} questions")


def _read(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file)["data"]


def _split(articles):
    """Return (the documents for training, those for dev)."""
    return ([article for index, article in enumerate(articles) if index % EVERY],
            articles[::EVERY])


def _questions(articles):
    return [(paragraph["context"], question) for article in articles
            for paragraph in article["paragraphs"] for question in paragraph["qas"]]


def _sample(articles, count):
    """Return so many questions, drawn with a fixed seed; each has a paragraph of its own."""
    return _drawn(_questions(articles), count)


def _drawn(found, count):
    drawn = random.Random(1).sample(found, count)
    return [{"title": "", "paragraphs": [{"context": context, "qas": [question]}
                                         for context, question in drawn]}]


def _answerable(articles):
    return [{"title": article["title"], "paragraphs": [
        {"context": paragraph["context"],
         "qas": [question for question in paragraph["qas"] if question["answers"]]}
        for paragraph in article["paragraphs"]]} for article in articles]


def _cut(articles):
    """Return the questions, in an order of their own, each beside a piece of its passage."""
    drawing = random.Random(1)
    found = [_piece(context, question, drawing) for context, question in _questions(articles)]
    return _drawn(found, len(found))


def _piece(context, question, drawing):
    """Return (a piece of the passage with the first answer, the question with that answer)."""
    answer = question["answers"][0]
    first, text = answer["answer_start"], answer["text"]
    size = max(len(text), _size(drawing))
    begin = max(0, min(drawing.randint(first + len(text) - size, first), len(context) - size))
    end = begin + size
    begin, end = _at_words(context, begin, end, first, first + len(text))
    return context[begin:end], {**question, "answers": [
        {"text": text, "answer_start": first - begin}]}


def _size(drawing):
    shortest, longest = CUT_CHARACTERS
    return round(shortest * (longest / shortest) ** drawing.random())


def _cut_v2(v1, v2):
    drawing = random.Random(2)
    found = _questions(v2)
    without = [_any_piece(context, question, drawing) for context, question in (
        *drawing.sample([one for one in found if not one[1]["answers"]], CUT_V2["impossible"]),
        *drawing.sample(_elsewhere(v1), CUT_V2["elsewhere"]))]
    left_out = [_any_piece(context, question, drawing) for context, question in _questions(v1)]
    answered = [_piece(context, question, drawing) for context, question in drawing.sample(
        [one for one in found if one[1]["answers"]], CUT_V2["answered"])]
    every = [*_questions(_cut(v1)), *answered, *without, *drawing.sample(
        [(context, _unanswered(question)) for context, question in left_out
         if not any(answer["text"] in context for answer in question["answers"])],
        CUT_V2["left_out"])]
    return _drawn(every, len(every))


def _any_piece(context, question, drawing):
    """Return (a piece of the passage from anywhere, the question as it is)."""
    size = _size(drawing)
    begin = drawing.randint(0, max(0, len(context) - size))
    begin, end = _at_words(context, begin, begin + size, len(context), begin + 1)
    return context[begin:end], question


def _at_words(context, begin, end, latest_begin, least_end):
    """Move both cuts to the ends of words, as far as the limits allow; return them."""
    begin = min(latest_begin, context.find(" ", begin) + 1) if begin else 0
    return begin, (len(context) if end >= len(context)
                   else max(least_end, context.rfind(" ", begin, end)))


def _unanswered(question):
    return {**question, "answers": [], "is_impossible": True}


def _mixed(v1, v2):
    found = _questions(v2)
    return [*_sample(v1, MIXED["v1"]),
            *_drawn([one for one in found if one[1]["answers"]], MIXED["answered"]),
            *_drawn([one for one in found if not one[1]["answers"]], MIXED["impossible"]),
            *_drawn(_elsewhere(v1), MIXED["elsewhere"])]


def _elsewhere(articles):
    """Return the questions beside the next passage of their document, if it lacks the answer."""
    found = []
    for article in articles:
        contexts = [paragraph["context"] for paragraph in article["paragraphs"]]
        for paragraph, context in zip(article["paragraphs"], contexts[1:] + contexts[:1],
                                      strict=True):
            found += [(context, _unanswered(question))
                      for question in paragraph["qas"]
                      if not any(answer["text"] in context for answer in question["answers"])]
    return found


def _numbered(articles, name):
    """Return the articles with ids that are unique; some sets repeat theirs."""
    counter = iter(range(len(_questions(articles))))
    return [{"title": article.get("title", ""), "paragraphs": [
        {"context": paragraph["context"],
         "qas": [{**question, "id": f"{name}-{next(counter)}"} for question in paragraph["qas"]]}
        for paragraph in article["paragraphs"]]} for article in articles]


if __name__ == "__main__":
    main()
