"""Write variants of CoLA's training sentences, without labels, one a line.

  python docs/experiments/sentence_variants.py --train glue/CoLA/train.tsv \\
    --dev glue/CoLA/dev.tsv --words bge-small-en-v1.5 --output variants.txt

In a variant, words are replaced, or one error of acceptability.py is put in, or both. A word is
replaced by one of the ten words with the same ending whose input embeddings are most similar, so
that most variants keep the structure of the sentence. No variant is a sentence of the training set
or the dev set.
"""

import argparse
import random
import re
from pathlib import Path

import numpy as np
from acceptability import FORMS, with_error
from safetensors.numpy import load_file

from mobilebert_tf.files import write_atomically

NEIGHBOURS = 10
REPLACED = 0.4
ENDING = re.compile(r"(s|ed|ing|ly|er|est)?$")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", required=True, type=Path, help="CoLA's train.tsv")
    parser.add_argument("--dev", required=True, type=Path, help="CoLA's dev.tsv")
    parser.add_argument("--words", required=True, type=Path,
                        help="Hugging Face directory of a BERT, for its input embeddings")
    parser.add_argument("--output", required=True, type=Path, help="the file of variants")
    parser.add_argument("--draws", type=int, default=14,
                        help="variants to try for each sentence (default: %(default)s)")
    arguments = parser.parse_args()
    draw = random.Random(1)
    train = _sentences(arguments.train)
    known = {_plain(sentence) for sentence in [*train, *_sentences(arguments.dev)]}
    neighbours = _neighbours(arguments.words)
    found = {}
    for sentence in train:
        for _ in range(arguments.draws):
            variant = _variant(sentence, neighbours, draw)
            if _plain(variant) not in known:
                found.setdefault(_plain(variant), variant)
    variants = list(found.values())
    draw.shuffle(variants)
    write_atomically(arguments.output, "".join(f"{text}\n" for text in variants).encode())
    print(f"{len(variants):,} variants of {len(train):,} sentences")


def _sentences(path):
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t")[3] for line in lines]


def _plain(sentence):
    return " ".join(re.findall(r"[a-z']+", sentence.lower()))


def _variant(sentence, neighbours, draw):
    kind = draw.choice(("words", "error", "both"))
    if kind != "error":
        sentence = re.sub(r"[A-Za-z]+", lambda word: _other(word[0], neighbours, draw), sentence)
    if kind != "words" and len(sentence.split()) > 2 and re.search(r"[.?!]$", sentence):
        sentence = with_error(sentence, draw)
    return sentence


def _other(word, neighbours, draw):
    others = neighbours.get(word.lower())
    if not others or draw.random() >= REPLACED:
        return word
    other = draw.choice(others)
    return other.capitalize() if word[0].isupper() else other


def _neighbours(directory):
    """The most similar words of each word that is no function word."""
    pieces = (directory / "vocab.txt").read_text(encoding="utf-8").split("\n")
    table = load_file(directory / "model.safetensors")["embeddings.word_embeddings.weight"]
    places = [place for place, piece in enumerate(pieces)
              if re.fullmatch("[a-z]{3,}", piece) and piece not in FORMS]
    words = [pieces[place] for place in places]
    vectors = table[places].astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = {}
    for word, vector in zip(words, vectors, strict=True):
        similar = np.argsort(-(vectors @ vector))[1:5 * NEIGHBOURS]
        found[word] = [words[other] for other in similar
                       if ENDING.search(words[other])[1] == ENDING.search(word)[1]][:NEIGHBOURS]
    return found


if __name__ == "__main__":
    main()
