"""Does the cosine of two sentence embeddings tell pairs apart that no model here was trained on?

  python docs/experiments/cosine_apart.py --qnli glue/QNLI/dev.tsv --snli snli/dev.jsonl \\
    models/mobilebert_mini

Print the area under the ROC curve for the first pairs of QNLI's dev set (a question, and a sentence
with its answer or without) and of SNLI's (a text that follows, or one that contradicts).
"""

import argparse
import json
from pathlib import Path

import numpy as np
from fidelity import encode, states
from sklearn.metrics import roc_auc_score

from mobilebert_tf import model_directory

QNLI_PAIRS, SNLI_PAIRS, LENGTH = 2_500, 3_000, 64
ENTAILMENT, CONTRADICTION = 0, 2


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("qnli", "snli"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("models", nargs="+", help="model or Hugging Face directories")
    arguments = parser.parse_args()
    sets = {"qnli": qnli(arguments.qnli), "snli": snli(arguments.snli)}
    for model in arguments.models:
        contents = model_directory.load(model)
        print(json.dumps({"model": model, **{
            name: roc_auc_score([label for *_, label in pairs], cosines(contents, pairs))
            for name, pairs in sets.items()}}), flush=True)


def qnli(path):
    """Return (question, sentence, whether it has the answer)."""
    lines = path.read_text("utf-8").splitlines()[1 : QNLI_PAIRS + 1]
    rows = [line.split("\t") for line in lines]
    return [(question, sentence, label == "entailment") for _, question, sentence, label in rows]


def snli(path):
    """Return (premise, hypothesis, whether it follows), without the neutral ones."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()[:SNLI_PAIRS]]
    return [(row["premise"], row["hypothesis"], row["label"] == ENTAILMENT) for row in rows
            if row["label"] in (ENTAILMENT, CONTRADICTION)]


def cosines(contents, pairs):
    first, second = (embedded(contents, [pair[place] for pair in pairs]) for place in (0, 1))
    return (first * second).sum(axis=1)


def embedded(contents, texts):
    vectors = states(contents, encode(texts, contents, LENGTH))["pooled_output"]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
