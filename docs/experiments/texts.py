"""Write the texts of tasks' training data, without labels, for mobilebert_mini's distillation.

  python docs/experiments/texts.py --data data --output texts

Write singles/ with one file per source, each text once, separated by blank lines; and pairs/ for
the sources whose examples have two texts, one line per text. Both are for `mobilebert corpus
--split-by lines`, the first with `--examples sentences`. Dev and test files are not read. Some of
their texts are in training files too; docs/experiments.md says how many.
"""

import argparse
from itertools import chain, islice
from pathlib import Path

from mobilebert_tf.data.corpus.sentences import sentences
from mobilebert_tf.data.datasets import conll as tagging
from mobilebert_tf.data.datasets import glue, squad

GLUE = {"sst2": "SST-2", "cola": "CoLA", "mrpc": "MRPC", "rte": "RTE"}
QUESTIONS = ("adversarial_qa_train_squadformat.json", "squad_train_subset.json")
TAGGED = ("restaurant/train.bio", "wnut17/wnut17train.conll")
# A question is paired with sentences of its passage up to so many words, the answer's among them.
# Every second question is used: with all of them, questions would be 85 % of all pairs.
PASSAGE_WORDS = 100
EVERY = 2


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="directory of all data")
    parser.add_argument("--output", required=True, type=Path, help="directory for the texts")
    arguments = parser.parse_args()
    for name, found in (("singles", singles), ("pairs", pairs)):
        (arguments.output / name).mkdir(parents=True)
        seen = set()
        for source, texts in found(arguments.data):
            new = [text for text in dict.fromkeys(texts) if text and text not in seen]
            seen.update(new)
            (arguments.output / name / f"{source}.txt").write_text("\n\n".join(new) + "\n", "utf-8")
            print(f"{name} of {source}: {len(new):,}")


def singles(data):
    """Yield (name, texts of one line)."""
    for name, folder in GLUE.items():
        read = glue.read(data / "glue" / folder / "train.tsv", glue.task(name))
        # Both texts of a pair one after the other, as they stand in the file.
        yield name, map(_line, chain.from_iterable(zip(read.texts, read.second_texts, strict=True)
                                                   if read.second_texts else [read.texts]))
    questions = _questions(data)
    yield "questions", [_line(question.question) for question in questions]
    yield "passages", map(_line, chain.from_iterable(
        sentences([context]) for context in dict.fromkeys(one.context for one in questions)))
    for path in TAGGED:
        yield Path(path).parent.name, [_line(" ".join(sentence.words)) for sentence in
                                       tagging.read(data / "tagging" / path)]


def pairs(data):
    """Yield (name, texts of two lines)."""
    for name in ("mrpc", "rte"):
        read = glue.read(data / "glue" / GLUE[name] / "train.tsv", glue.task(name))
        yield name, map(_lines, read.texts, read.second_texts)
    yield "questions", [_lines(question.question, _around_answer(question))
                        for question in islice(_questions(data), 0, None, EVERY)]


def _questions(data):
    return [question for name in QUESTIONS for question in squad.read(data / "squad" / name)]


def _around_answer(question):
    """Return sentences of the context with the answer's among them, up to `PASSAGE_WORDS` words."""
    chunks = [[]]
    for sentence in map(_line, sentences([question.context])):
        if chunks[-1] and len(" ".join([*chunks[-1], sentence]).split()) > PASSAGE_WORDS:
            chunks.append([])
        chunks[-1].append(sentence)
    chunks = [" ".join(chunk) for chunk in chunks]
    answer = _line(question.answers[0].text)
    return next((chunk for chunk in chunks if answer in chunk), chunks[0])


def _line(text):
    return " ".join(text.split())


def _lines(first, second):
    return f"{_line(first)}\n{_line(second)}"


if __name__ == "__main__":
    main()
