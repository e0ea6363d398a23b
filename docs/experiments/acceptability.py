"""Write sentences of plain text, half of them with an error of grammar put in, as a table.

  python docs/experiments/acceptability.py --texts texts/singles --output sets/acceptability

CoLA has 8,551 sentences. This makes a larger set like it from plain text. Half of the sentences
stay as they are. In each of the others one word takes another form (is for are, him for he, walked
for walks), is left out, is moved, or is added. Some changes leave a good sentence, so some labels
are wrong. train.jsonl and dev.jsonl have the columns text and label. Another count draws other
sentences.
"""

import argparse
import itertools
import json
import random
import re
from pathlib import Path

from mobilebert_tf.data.corpus.sentences import sentences
from mobilebert_tf.files import write_atomically

SOURCES = ("books", "textbooks", "wikipedia", "nli", "passages", "reviews")
WORDS = (4, 14)
DEV = 2_000
# Words of one group are seldom right in each other's place.
GROUPS = [group.split() for group in (
    "am is are be been being", "was were be been", "have has having", "do does doing done",
    "he him himself", "she her herself hers", "they them themselves their", "i me myself my",
    "we us ourselves our", "who whom whose which", "this these", "that those", "a an",
    "much many", "nobody anybody", "nothing anything", "never ever", "more most very",
    "to for of", "than that as", "because whether of", "what that who", "into of at")]
FORMS = {word: [other for group in GROUPS if word in group for other in group if other != word]
         for word in itertools.chain(*GROUPS)}
INSERTED = ("the", "of", "to", "is", "that", "be", "has", "it", "who", "not", "do", "for", "a",
            "at")
ENDINGS = re.compile(r"^([a-z]{3,}?)(s|ed|ing)$")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", required=True, type=Path,
                        help="directory of family_texts.py's singles")
    parser.add_argument("--output", required=True, type=Path, help="directory for the table")
    parser.add_argument("--count", type=int, default=60_000,
                        help="sentences for training (default: %(default)s)")
    arguments = parser.parse_args()
    draw = random.Random(1)
    found = list(dict.fromkeys(itertools.chain.from_iterable(
        _chosen(arguments.texts / f"{source}.txt", (arguments.count + DEV) // 3, draw)
        for source in SOURCES)))
    draw.shuffle(found)
    rows = [_row(sentence, draw) for sentence in found[:arguments.count + DEV]]
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, part in (("train", rows[DEV:]), ("dev", rows[:DEV])):
        write_atomically(arguments.output / f"{name}.jsonl", "".join(
            json.dumps(row, ensure_ascii=False) + "\n" for row in part).encode())
        print(f"{name}: {len(part):,} sentences, "
              f"{sum(row['label'] == 'acceptable' for row in part):,} left as they were")


def _chosen(path, most, draw):
    """The sentences of a file that are of the right length, at most so many."""
    with open(path, encoding="utf-8") as lines:
        texts = [line.strip() for line in lines if line.strip()]
    draw.shuffle(texts)
    fitting = (sentence for text in texts for sentence in sentences([text])
               if WORDS[0] <= len(sentence.split()) <= WORDS[1]
               and re.fullmatch(r"[A-Z][A-Za-z',; -]+[.?!]", sentence))
    return itertools.islice(fitting, most)


def _row(sentence, draw):
    if draw.random() < 0.5:
        return {"text": sentence, "label": "acceptable"}
    return {"text": with_error(sentence, draw), "label": "not"}


def with_error(sentence, draw):
    """Return the sentence, which ends in a mark, with one error put in."""
    words, end = sentence[:-1].split(), sentence[-1]
    changed = words
    while changed == words:
        changed = draw.choices((_replace, _inflect, _drop, _move, _insert),
                               (35, 20, 20, 15, 10))[0](words, draw)
    text = " ".join(changed)
    return text[0].upper() + text[1:] + end


def _replace(words, draw):
    """Another form of a function word; nothing changes if there is none."""
    places = [place for place, word in enumerate(words) if word.lower() in FORMS]
    if not places:
        return words
    place = draw.choice(places)
    return _with(words, place, draw.choice(FORMS[words[place].lower()]))


def _inflect(words, draw):
    """Another ending of a word."""
    places = [place for place, word in enumerate(words) if re.fullmatch("[a-z]{4,}", word)]
    if not places:
        return words
    place = draw.choice(places)
    ending = ENDINGS.match(words[place])
    if ending:
        return _with(words, place, ending[1] + draw.choice(
            [other for other in ("", "s", "ed", "ing") if other != ending[2]]))
    return _with(words, place, words[place] + draw.choice(("s", "ed", "ing")))


def _drop(words, draw):
    place = draw.randrange(len(words))
    return words[:place] + words[place + 1:]


def _move(words, draw):
    """A word to another place, at most three words away."""
    changed = list(words)
    place = draw.randrange(len(words))
    word = changed.pop(place)
    changed.insert(min(max(place + draw.choice((-3, -2, -1, 1, 2, 3)), 0), len(changed)), word)
    return changed


def _insert(words, draw):
    place = draw.randrange(1, len(words))
    return [*words[:place], draw.choice(INSERTED), *words[place:]]


def _with(words, place, word):
    return [*words[:place], word, *words[place + 1:]]


if __name__ == "__main__":
    main()
