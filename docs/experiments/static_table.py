"""A table of word vectors made from a teacher: what texts without any context are worth.

The way is model2vec's (https://github.com/MinishLab/model2vec): the teacher's embedding of each
piece of its vocabulary alone, its 256 principal components, and weights that fall with how frequent
a piece is, which Zipf's law tells from its rank. A text is the mean of its pieces' vectors.
On top, a logistic regression for a task. From the repository's root:

  python docs/experiments/static_table.py --teacher bge-small --glue glue --output table.json
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from mobilebert_tf.files import write_atomically

DIMENSIONS, SIF = 256, 1e-4
BATCH_SIZE = 512
# The rows of the training sets that trial.py reads.
ROWS = {"sst2": 4_000, "cola": 4_000, "mrpc": 1_500}
FOLDERS = {"sst2": "SST-2", "cola": "CoLA", "mrpc": "MRPC"}


class StaticTable:
    """A vector for each piece of a vocabulary."""

    def __init__(self, tokenizer, vectors):
        self._tokenizer, self._vectors = tokenizer, vectors

    @classmethod
    def of_teacher(cls, directory, dimensions=DIMENSIONS):
        """Make the table from a model directory."""
        from mobilebert_tf import model_directory
        from mobilebert_tf.models.repooling import with_pooler
        from mobilebert_tf.text.tokenizer import Tokenizer

        contents = model_directory.load(directory)
        encoder = with_pooler(getattr(contents.model, "encoder", contents.model), "mean")
        vocabulary = contents.vocabulary
        pieces = np.arange(len(vocabulary))
        ids = np.stack([np.full_like(pieces, vocabulary.cls_id), pieces,
                        np.full_like(pieces, vocabulary.sep_id)], axis=1)
        outputs = [encoder({
            "input_word_ids": batch, "input_mask": np.ones_like(batch),
            "input_type_ids": np.zeros_like(batch)})["pooled_output"].numpy()
            for batch in np.array_split(ids.astype(np.int32), len(ids) // BATCH_SIZE)]
        vectors = zipf_weights(len(pieces))[:, None] * principal_components(
            np.concatenate(outputs), dimensions)
        return cls(Tokenizer(vocabulary, contents.lower_case), vectors.astype(np.float32))

    def embed(self, texts):
        """Return unit vectors, float32 [texts, dimensions]; zeros for a text without pieces."""
        found = np.stack([self._mean(text) for text in texts])
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)

    def _mean(self, text):
        ids = self._tokenizer.encode(text)
        return self._vectors[ids].mean(0) if len(ids) else np.zeros_like(self._vectors[0])


def principal_components(vectors, dimensions):
    """Return the projections of the centred rows on their first principal components."""
    centred = vectors - vectors.mean(0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    return centred @ directions[:, ::-1][:, :dimensions]


def zipf_weights(count):
    """Return a / (a + p) for each rank, with p in proportion to 1 / (rank + 2)."""
    inverse = 1 / np.arange(2, count + 2)
    return SIF / (SIF + inverse / inverse.sum())


def features(table, examples):
    """Return the inputs of the regression: a vector; of a pair also the other, |a - b| and a b."""
    first = table.embed(examples.texts)
    if examples.second_texts is None:
        return first
    second = table.embed(examples.second_texts)
    return np.concatenate([first, second, np.abs(first - second), first * second], axis=1)


def scores(table, task, folder):
    """Return the dev scores of a logistic regression on a task."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV

    from mobilebert_tf.tasks import catalogue

    task = catalogue.of(task)
    train, dev = (task.read_file(folder / f"{split}.tsv", None) for split in ("train", "dev"))
    rows = slice(ROWS.get(task.name))
    model = GridSearchCV(LogisticRegression(max_iter=2000), {"C": np.logspace(-2, 4, 7)}, cv=5)
    model.fit(features(table, train)[rows], np.asarray(train.labels)[rows])
    return task.metrics.scores(model.predict(features(table, dev)), np.asarray(dev.labels))


def similarity(table, folder):
    """Return Spearman's correlation of cosines with STS-B's dev labels."""
    from scipy import stats

    from mobilebert_tf.tasks import catalogue

    dev = catalogue.of("stsb").read_file(folder / "dev.tsv", None)
    cosines = (table.embed(dev.texts) * table.embed(dev.second_texts)).sum(1)
    return stats.spearmanr(cosines, dev.labels).statistic


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teacher", required=True, type=Path)
    parser.add_argument("--glue", required=True, type=Path)
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    began = time.process_time()
    table = StaticTable.of_teacher(arguments.teacher)
    found = {"cpu_seconds": round(time.process_time() - began),
             "similarity": similarity(table, arguments.glue / "STS-B")}
    for task, folder in FOLDERS.items():
        found[task] = scores(table, task, arguments.glue / folder)
    write_atomically(arguments.output, json.dumps(found, indent=2).encode() + b"\n")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
