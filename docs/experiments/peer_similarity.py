"""Score models on STS-B as sentence-transformers reads them, without this package.

Run it with a Python that has sentence-transformers and SciPy:

  python docs/experiments/peer_similarity.py --dev glue/STS-B/dev.tsv models/mobilebert_mini
"""

import argparse
import csv

from scipy.stats import spearmanr
from sentence_transformers import SentenceTransformer


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dev", required=True, help="dev.tsv of STS-B")
    parser.add_argument("models", nargs="+", help="directories that sentence-transformers opens")
    arguments = parser.parse_args()
    with open(arguments.dev, encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    scores = [float(row["score"]) for row in rows]
    for model in arguments.models:
        embed = SentenceTransformer(model, local_files_only=True).encode
        first, second = (embed([row[column] for row in rows], normalize_embeddings=True)
                         for column in ("sentence1", "sentence2"))
        found = spearmanr((first * second).sum(axis=1), scores).statistic
        print(f"{model}: Spearman {found:.4f} on {len(rows):,} pairs")


if __name__ == "__main__":
    main()
