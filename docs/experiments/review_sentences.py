"""Write sentences of film reviews, one a line: text without labels for students of SST-2.

  python docs/experiments/review_sentences.py --data data/imdb --count 100000 --output reviews.txt

The reviews are those without labels. A line is a sentence of 3 to 40 words. Sentences are drawn
with a fixed seed, each at most once.
"""

import argparse
import gzip
import json
import random
from pathlib import Path

from mobilebert_tf.data.corpus.sentences import sentences
from mobilebert_tf.files import write_atomically

WORDS = range(3, 41)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="directory of the reviews")
    parser.add_argument("--count", required=True, type=int, help="how many sentences")
    parser.add_argument("--output", required=True, type=Path, help="the text file")
    arguments = parser.parse_args()
    with gzip.open(arguments.data / "unlabelled.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = dict.fromkeys(line for row in lines for line in _sentences(json.loads(row)["text"])
                              if len(line.split()) in WORDS)
    drawn = random.Random(1).sample(list(found), min(arguments.count, len(found)))
    write_atomically(arguments.output, "".join(f"{line}\n" for line in drawn).encode())
    print(f"{len(drawn):,} of {len(found):,} sentences")


def _sentences(review):
    return [" ".join(sentence.split()) for sentence in sentences([review])]


if __name__ == "__main__":
    main()
