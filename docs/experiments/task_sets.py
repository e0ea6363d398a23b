"""Write the sets of three task models: entities of CoNLL-2003, intents of CLINC150, emotions.

  python docs/experiments/task_sets.py --data data/more --output sets

The intents have one more class, `out_of_scope`: comments of GoEmotions, which ask an assistant for
nothing. CLINC150's own questions out of scope are not among its files here. A phrase that is like
no intent and like no comment either is still taken for one of them.
"""

import argparse
import gzip
import json
import random
from pathlib import Path

from mobilebert_tf.files import write_atomically

OUT_OF_SCOPE = "out_of_scope"
# As many as eight intents have: more would draw rare phrases out of their intents.
TRAIN, DEV = 800, 150


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="directory of the sets")
    parser.add_argument("--output", required=True, type=Path, help="directory for the files")
    arguments = parser.parse_args()
    data, output = arguments.data, arguments.output
    for name, source in (("train", "train"), ("valid", "testa")):
        lines = [line for row in rows(data / "conll2003" / f"{source}.jsonl.gz")
                 for line in (*map(" ".join, zip(row["tokens"], row["tags"], strict=True)), "")]
        write(output / "conll2003" / f"{name}.bio", lines)
    for name, source, count in (("train", "train", TRAIN), ("dev", "val", DEV)):
        comments = [row["text"] for row in rows(data / "goemotions" / f"{name}.jsonl.gz")]
        chosen = random.Random(name).sample(comments, count)
        write_table(output / "intents" / f"{name}.jsonl", [
            *rows(data / "clinc150" / f"{source}.jsonl.gz"),
            *({"text": text, "label": OUT_OF_SCOPE} for text in chosen)])
        write_table(output / "emotions" / f"{name}.jsonl",
                    rows(data / "goemotions" / f"{name}.jsonl.gz"))


def rows(path):
    """Return the rows of a compressed JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write_table(path, found):
    write(path, [json.dumps(row, ensure_ascii=False) for row in found])


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode())
    print(f"{path}: {len(lines):,} lines")


if __name__ == "__main__":
    main()
