"""Write Python's results on random texts, for tokenizers in other languages to compare with.

    python tests/golden/make_cases.py runs/cases

Every run makes other texts; `--seed` makes those of an earlier one. docs/tokenizers.md describes
the files. Places are in UTF-16 units, as in Kotlin, JavaScript and Swift's `utf16` views.
"""

import argparse
import json
import math
import random
import sys
import unicodedata
from pathlib import Path

import numpy as np

from mobilebert_tf import Tokenizer
from mobilebert_tf.data.datasets import squad
from mobilebert_tf.data.features.question_settings import DEFAULTS, QuestionSettings
from mobilebert_tf.data.features.question_windows import windows
from mobilebert_tf.data.features.tagged_tokens import by_word, word_tags
from mobilebert_tf.data.features.tagged_tokens import windows as tagged_windows
from mobilebert_tf.evaluation.entities import entities
from mobilebert_tf.inference.cascade import Cascade
from mobilebert_tf.inference.predict import predict
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.ranking import softmax
from mobilebert_tf.kinds.span_decoding import answer, decode
from mobilebert_tf.text.normalization_table import normalization_table
from mobilebert_tf.text.packing import join
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary
from mobilebert_tf.text.words import split

GOLDEN = Path(__file__).parent
SHARED = GOLDEN.parents[2] / "shared" / "data"
sys.path.insert(0, str(GOLDEN / "text"))

from make_offsets import case, utf16_offsets  # noqa: E402

RANDOM_TEXTS = 10_000
_TAGGED_TEXTS = 1_000
_PAIRS = 500
_QUESTIONS = 60
_CASCADES = 500
_LENGTHS = (384, 64, 128)
# Every other question has other settings than the defaults.
_SETTINGS = (DEFAULTS, QuestionSettings(stride=11, max_question_length=5, max_answer_length=3,
                                        n_best=7, null_threshold=-1.5),
             DEFAULTS, QuestionSettings(stride=40, max_question_length=9, max_answer_length=12,
                                        n_best=2))
# Sigmas, letters that become two, controls, spaces, lone surrogates, joiners, marks.
_ODD = ("ΣΣΣςσİıßẞﬁ½ǅ\u0345\u00ad\u200d\u200b\u0301\u0323\u2028\u0085\x1c\t\n\r\ufffd\uffff\x00"
        "\ud800\udfff가각힣か゚👩👧🏽❤\ufe0f\U0001d160\u1b44\u302e[]'._-#Aa ")

# What the words of a tagger are: abbreviations, names, numbers, clitics, repeated marks.
_WORD_PARTS = ("U.S.", "a.b.", "A.", "@na_me", "#to-pic", "3.5", "12,000", ",", "1,a", "AT&T",
               "it's", "’s", "'", "!!!", "...", "São", "e\u0301", "-", "Tomé", "中文", "\u200d",
               "½.", "Ⅳ.", "½", "٣,٤", "_", " ", " ", "\n", "\U00020000", "\ue000", "👩", "👩",
               "\U000e0100.", "\ufeff")
_CLASSES = ("bad", "good", "so so")
_TAGS = ("O", "B-PER", "I-PER", "B-two words", "I-two words")


def write(directory, seed, shared=SHARED):
    """Write all cases into a directory, in a folder for each kind of them.

    The questions are SQuAD's if the folder `shared` has them, else those of tests/golden/squad.
    """
    write_random(directory / "random", seed)
    write_squad(directory / "squad", seed, shared)
    write_tagging(directory / "tagging", seed)
    write_packing(directory / "packing", seed)
    write_cascade(directory / "cascade", seed)


def write_random(directory, seed):
    """Write random Unicode texts with their ids and offsets, lower-cased and cased.

    The directory also gets the vocabulary and both normalization tables.
    """
    generator = random.Random(seed)
    texts = _random_texts(generator)
    vocabulary = _vocabulary(generator, texts)
    directory.mkdir(parents=True)
    vocabulary.save(directory / "vocab.txt")
    for name, lower_case in (("lower_case", True), ("cased", False)):
        tokenizer = Tokenizer(vocabulary, lower_case)
        (directory / f"{name}.txt").write_text(normalization_table(lower_case))
        _save(directory / f"{name}.json", {"cases": [case(tokenizer, text) for text in texts]})


def _random_texts(generator):
    by_category = {}
    for point in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(point))
        if category != "Cs":
            by_category.setdefault(category, []).append(chr(point))
    everything = [character for members in by_category.values() for character in members]
    sources = [_ODD, "aBcDe ", " .,", *by_category.values(), everything]
    marks = [character for character in everything if unicodedata.combining(character)]
    sources += [marks, [mark for mark in marks if unicodedata.category(mark) != "Mn"]]
    texts = []
    for _ in range(RANDOM_TEXTS):
        few = generator.choices(sources, k=generator.randrange(1, 5))
        text = "".join(generator.choice(generator.choice(few))
                       for _ in range(generator.randrange(40)))
        # In UTF-16, two lone surrogates beside each other are one character.
        texts.append(text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"))
    return texts


def _vocabulary(generator, texts):
    """Make a vocabulary of most of the texts' characters and of parts of their words."""
    words = {}
    for text in texts:
        for form in (text, text.lower(), unicodedata.normalize("NFD", text.lower())):
            for word in form.split():
                start = generator.randrange(len(word))
                words[word[start:start + generator.randrange(1, 5)]] = None
                words.update(dict.fromkeys(word[:20]))
    pieces = [piece for piece in words if generator.random() < 0.9 and piece.split() == [piece]
              and not any(unicodedata.category(character) in ("Cn", "Cs") for character in piece)]
    return Vocabulary([*SPECIAL_PIECES, *pieces,
                       *(f"##{piece}" for piece in pieces if f"##{piece}" not in words)])


def write_squad(directory, seed, shared):
    """Write windows of questions with random logits, and the answers that Python finds in these."""
    generator = random.Random(seed)
    path, vocabulary = GOLDEN / "squad" / "questions.json", GOLDEN / "text" / "vocab.txt"
    source = "tests/golden/squad"
    if (shared / "squad" / "squad_v2_half.json").exists():
        path, vocabulary = shared / "squad" / "squad_v2_half.json", shared / "vocab" / "vocab.txt"
        source = "SQuAD 2.0"
    questions = squad.read(path)
    questions = generator.sample(questions, min(_QUESTIONS, len(questions)))
    tokenizer = Tokenizer(vocabulary)
    directory.mkdir(parents=True)
    tokenizer.vocabulary.save(directory / "vocab.txt")
    (directory / "lower_case.txt").write_text(normalization_table(True))
    logits = np.random.default_rng(seed)
    _save(directory / "cases.json", {"source": source, "cases": [
        _question_case(question, tokenizer, _LENGTHS[number % len(_LENGTHS)],
                       _SETTINGS[number % len(_SETTINGS)], logits)
        for number, question in enumerate(questions)]})


def _question_case(question, tokenizer, length, settings, logits):
    found = windows(question, tokenizer, length=length, settings=settings)
    # Rounded to one decimal so that some are equal; float32 as a model's outputs.
    starts, ends = ([logits.normal(0, 3, len(window.ids)).round(1).astype(np.float32)
                     for window in found] for _ in range(2))
    decoded = decode(question, found, starts, ends, settings=settings,
                     counts_null=settings.null_threshold is not None)
    best = answer(decoded, settings.null_threshold)
    spans = zip(decoded.n_best, *utf16_offsets(
        question.context, [(span.start, span.end) for span in decoded.n_best]), strict=True)
    return {
        "question": question.question, "passage": question.context, "length": length,
        "settings": settings.to_json(),
        "windows": [_window_case(question.context, window, start, end)
                    for window, start, end in zip(found, starts, ends, strict=True)],
        "null_odds": decoded.null_odds,
        # JSON has no -inf.
        "log_total": decoded.log_total if decoded.log_total > -math.inf else None,
        "answer": best and best.text,
        "spans": [{"text": span.text, "start": start, "end": end, "probability": span.probability,
                   "score": span.start_logit + span.end_logit} for span, start, end in spans],
    }


def _window_case(context, window, start_logits, end_logits):
    starts, ends = utf16_offsets(context, window.offsets)
    return {"ids": window.ids, "first_length": window.first_length, "starts": starts, "ends": ends,
            "words": window.words, "is_max_context": window.is_max_context,
            "start_logits": start_logits.tolist(), "end_logits": end_logits.tolist()}


def write_tagging(directory, seed):
    """Write words of texts, their windows with random logits, and the entities found in these."""
    generator = random.Random(seed)
    texts = ["".join(generator.choices(_WORD_PARTS, k=generator.randrange(12)))
             for _ in range(_TAGGED_TEXTS)]
    # Other programs may know more characters than this Python does, or fewer.
    texts += [text for text in _random_texts(generator)[:_TAGGED_TEXTS]
              if "Cn" not in map(unicodedata.category, text)]
    vocabulary = _vocabulary(generator, texts)
    tokenizer = Tokenizer(vocabulary)
    directory.mkdir(parents=True)
    vocabulary.save(directory / "vocab.txt")
    (directory / "lower_case.txt").write_text(normalization_table(True))
    logits = np.random.default_rng(seed)
    _save(directory / "cases.json", {"tags": _TAGS, "cases": [
        _tagging_case(text, tokenizer, generator.choice((3, 8, 32)), logits) for text in texts]})


def _tagging_case(text, tokenizer, length, logits):
    words, offsets = split(text)
    found = tagged_windows(words, tokenizer, length=length)
    # Quarters, so that some are equal.
    rows = [logits.integers(-16, 17, (len(window.ids), len(_TAGS))) / 4 for window in found]
    tags = word_tags(found, [row.argmax(axis=-1) for row in rows], _TAGS, len(words))
    likely = by_word(found, [softmax(row).max(axis=-1) for row in rows], len(words), 1.0)
    named = entities(text, offsets, tags, likely)
    starts, ends = utf16_offsets(text, offsets)
    places = zip(*utf16_offsets(text, [(one["start"], one["end"]) for one in named]), strict=True)
    return {"text": text, "length": length, "starts": starts, "ends": ends,
            "windows": [{"ids": window.ids, "words": window.words, "logits": row.tolist()}
                        for window, row in zip(found, rows, strict=True)],
            "entities": [one | {"start": start, "end": end}
                         for one, (start, end) in zip(named, places, strict=True)]}


def write_packing(directory, seed):
    """Write texts and pairs of texts as ids, and the model inputs that are made of them."""
    generator = random.Random(seed)
    directory.mkdir(parents=True)
    cases = []
    for _ in range(_PAIRS):
        a, b = ([generator.randrange(5, 99) for _ in range(generator.randrange(20))]
                for _ in range(2))
        b = generator.choice((b, b, None))
        length = generator.randrange(3, 30)
        ids, first_length = join(a, b, length=length, cls_id=2, sep_id=3)
        cases.append({"a": a, "b": b, "length": length, "ids": ids, "first_length": first_length})
    _save(directory / "cases.json", {"cls_id": 2, "sep_id": 3, "cases": cases})


def write_cascade(directory, seed):
    """Write probabilities of two classifiers, and whose answer a cascade gives."""
    random = np.random.default_rng(seed)
    directory.mkdir(parents=True)
    tokenizer = Tokenizer(Vocabulary([*SPECIAL_PIECES, "a"]))
    cases = []
    for number in range(_CASCADES):
        # Sixteenths, so that some are equal to each other or to the threshold.
        first, second = (random.multinomial(16, (0.6, 0.3, 0.1)).astype(np.float32) / 16
                         for _ in range(2))
        threshold = float(random.choice((0, 0.5, 0.625, 0.75, 1)))
        # Some texts have no tokens, and of others the first model gives no usable numbers.
        text = " " if number % 10 == 0 else "a"
        is_finite = number % 7 > 0 or text == " "
        if not is_finite:
            first[0] = np.nan
        (said,) = predict(Cascade(*(_Saying(tokenizer, row) for row in (first, second)),
                                  threshold), [text])
        # JSON has no NaN.
        cases.append({"text": text, "first": first.tolist() if is_finite else None,
                      "second": second.tolist(), "threshold": threshold,
                      "answered_by": said["answered_by"], "confidence": said.get("confidence"),
                      "labels": [one["label"] for one in said.get("classes", [])] or None})
    _save(directory / "cases.json", {"labels": _CLASSES, "cases": cases})


class _Saying:
    """A classifier that gives the same probabilities to every text."""

    length, pairs = 8, None

    def __init__(self, tokenizer, probabilities):
        self.tokenizer, self.kind = tokenizer, Classification(labels=_CLASSES)
        self._probabilities = probabilities

    def length_for(self, tokens):
        return self.length

    def __call__(self, inputs):
        return {"probabilities": np.tile(self._probabilities, (len(inputs["input_mask"]), 1))}


def _save(path, value):
    path.write_text(json.dumps(value, allow_nan=False), encoding="ascii")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("directory", type=Path, help="a directory that does not exist")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30),
                        help="of the random texts; by default another in each run")
    arguments = parser.parse_args()
    write(arguments.directory, arguments.seed)
    print(f"Python's results in {arguments.directory}: seed {arguments.seed}")


if __name__ == "__main__":
    main()
