"""Write the texts that the students of bge-small-en-v1.5 are distilled on, without labels.

  python docs/experiments/family_texts.py --data data --output texts

Write singles/ with one text a line, separated by blank lines, and pairs/ with two lines a text.
Both are for `mobilebert corpus --split-by lines`, the first with `--examples sentences`. Every
second document of the long sources is written sentence by sentence, the others in passages of
whole sentences, up to 100 words each. Dev and test files are not read.
"""

import argparse
import gzip
import itertools
import json
from pathlib import Path

from mobilebert_tf.data.corpus.sentences import sentences
from mobilebert_tf.data.datasets import conll, glue

GLUE = {"sst2": "SST-2", "cola": "CoLA", "mrpc": "MRPC", "rte": "RTE"}
QUESTIONS = ("train-v1.1-rebuilt.json.gz", "adversarial_qa_train_squadformat.json",
             "more/fairytaleqa.json.gz", "more/policyqa.json.gz", "more/qamr.json.gz",
             "more/zre.json.gz")
TAGGED = ("restaurant/train.bio", "wnut17/wnut17train.conll")
# Of each long source every n-th document, so that no source has more than a quarter of the tokens.
BOOKS_EVERY, REVIEWS_EVERY, QUESTIONS_EVERY = 3, 3, 2
PASSAGE_WORDS = 100


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="directory of all data")
    parser.add_argument("--output", required=True, type=Path, help="directory for the texts")
    arguments = parser.parse_args()
    for name, sources in (("singles", singles), ("pairs", pairs)):
        (arguments.output / name).mkdir(parents=True)
        seen = set()
        for source, texts in sources(arguments.data):
            new = [text for text in dict.fromkeys(texts) if text and text not in seen]
            seen.update(new)
            (arguments.output / name / f"{source}.txt").write_text("\n\n".join(new) + "\n", "utf-8")
            print(f"{name} of {source}: {len(new):,} texts, "
                  f"{sum(len(text.split()) for text in new):,} words", flush=True)


def singles(data):
    """Yield (name, texts of one line)."""
    for name, folder in GLUE.items():
        read = glue.read(data / "glue" / folder / "train.tsv", glue.task(name))
        yield name, map(_line, [*read.texts, *(read.second_texts or ())])
    for path in TAGGED:
        yield Path(path).parent.name, [_line(" ".join(sentence.words)) for sentence in
                                       conll.read(data / "tagging" / path)]
    for name, file, columns in (
            ("banking77", "more/banking77/train.jsonl.gz", ("text",)),
            ("clinc150", "more/clinc150/train.jsonl.gz", ("text",)),
            ("goemotions", "more/goemotions/train.jsonl.gz", ("text",)),
            ("tweets", "more/tweeteval/emotion_train.jsonl.gz", ("text",)),
            ("nli", "nli/train.jsonl.gz", ("premise", "hypothesis")),
            ("paraphrases", "pairs/paraphrases.jsonl.gz", ("a", "b")),
            ("asked", "pairs/questions_answers.jsonl.gz", ("question",))):
        yield name, [_line(row[column]) for row in _rows(data / file) for column in columns]
    for name, file in (("conll2003", "more/conll2003/train.jsonl.gz"),
                       ("snips", "more/snips/train.jsonl.gz")):
        yield name, [_line(" ".join(row["tokens"])) for row in _rows(data / file)]
    questions = _questions(data)
    yield "questions", [_line(question) for question, _, _ in questions]
    yield "passages", _pieces(dict.fromkeys(context for _, context, _ in questions))
    yield "wikipedia", _pieces(_blocks(data / "text/wikipedia/wiki_paragraphs_train.txt"))
    yield "textbooks", _pieces(_blocks(data / "text/textbooks.txt.gz"))
    yield "books", _pieces(itertools.islice(
        _blocks(data / "text/books.txt.gz"), 0, None, BOOKS_EVERY))
    reviews = (row["text"] for name in ("unlabelled", "train")
               for row in _rows(data / f"imdb/{name}.jsonl.gz"))
    yield "reviews", _pieces(itertools.islice(reviews, 0, None, REVIEWS_EVERY))


def pairs(data):
    """Yield (name, texts of two lines)."""
    for name in ("mrpc", "rte"):
        read = glue.read(data / "glue" / GLUE[name] / "train.tsv", glue.task(name))
        yield name, map(_lines, read.texts, read.second_texts)
    yield "nli", [_lines(row["premise"], row["hypothesis"])
                  for row in itertools.islice(_rows(data / "nli/train.jsonl.gz"), 0, None, 4)]
    yield "questions", [_lines(question, _around_answer(context, answer)) for
                        question, context, answer in
                        itertools.islice(_questions(data), 0, None, QUESTIONS_EVERY)]


def _rows(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _blocks(path):
    """Yield the paragraphs of a file, which blank lines separate, each as one line."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        for is_text, block in itertools.groupby(lines, key=lambda line: bool(line.strip())):
            if is_text:
                yield _line(" ".join(block))


def _pieces(documents):
    """Yield sentences of the even documents and passages of the odd ones."""
    for index, document in enumerate(documents):
        found = map(_line, sentences([document]))
        yield from _passages(found) if index % 2 else found


def _passages(found):
    """Yield whole sentences joined, up to `PASSAGE_WORDS` words."""
    passage = []
    for sentence in found:
        if passage and len(" ".join([*passage, sentence]).split()) > PASSAGE_WORDS:
            yield " ".join(passage)
            passage = []
        passage.append(sentence)
    if passage:
        yield " ".join(passage)


def _questions(data):
    """Return (question, its passage, an answer or "") of all sets.

    Ids are not read, because some repeat.
    """
    found = []
    for name in QUESTIONS:
        path = data / "squad" / name
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
            articles = json.load(file)["data"]
        found += [(question["question"], paragraph["context"],
                   next((_line(answer["text"]) for answer in question["answers"]), ""))
                  for article in articles for paragraph in article["paragraphs"]
                  for question in paragraph["qas"]]
    return found


def _around_answer(context, answer):
    """Return the passage with the answer, or the first one for a question without an answer."""
    chunks = list(_passages(map(_line, sentences([context]))))
    return next((chunk for chunk in chunks if answer in chunk), chunks[0])


def _line(text):
    return " ".join(text.split())


def _lines(first, second):
    return f"{_line(first)}\n{_line(second)}"


if __name__ == "__main__":
    main()
