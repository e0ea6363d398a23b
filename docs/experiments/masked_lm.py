"""How well pre-trained models predict masked tokens, on a corpus that they were not trained on.

  python docs/experiments/masked_lm.py --model runs/teacher/model --model runs/student/model \\
    --corpus novels --corpus wikipedia

prints, as JSON, over the corpora's validation splits: the accuracy of each model's masked-LM and
next-sentence heads, and what the most frequent answer gets. All models predict the same tokens.
"""

import argparse
import collections
import json

from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.masking import Masking
from mobilebert_tf.training.components import components
from mobilebert_tf.training.loading import load
from mobilebert_tf.training.measured import Measured
from mobilebert_tf.training.pretraining_plan import PretrainingPlan
from mobilebert_tf.training.step import TrainingStep

BATCH_SIZE = 32
MEASURES = ("masked_lm", "masked_lm_accuracy", "next_sentence_accuracy")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, action="append", help="a pre-trained model")
    parser.add_argument("--corpus", required=True, action="append")
    parser.add_argument("--split", default="validation")
    arguments = parser.parse_args()
    corpus = CorpusDirectory.load_all(arguments.corpus)
    batches = CorpusBatches(corpus, arguments.split, BATCH_SIZE, Masking(), seed=1)
    dataset = batches.dataset(epochs=1)
    found = {name: measured(load(name, corpus), dataset)
             for name in arguments.model}
    print(json.dumps({**found, "most frequent": most_frequent(dataset)}, indent=2))


def measured(model, dataset):
    (stage,) = PretrainingPlan(steps=1, batch_size=BATCH_SIZE).stages(tuple(components(model)))
    step = TrainingStep(stage, model, None)
    function = step.measuring_function(dataset.element_spec)
    found = Measured(stage.active_losses)
    for batch in dataset:
        found.add(function(batch))
    means = found.means()
    return {name: round(means[name], 4) for name in MEASURES}


def most_frequent(dataset):
    pieces, following = collections.Counter(), collections.Counter()
    for batch in dataset:
        real = batch["masked_weights"].numpy() > 0
        pieces.update(batch["masked_ids"].numpy()[real].tolist())
        following.update(batch["next_sentence_labels"].numpy().tolist())
    return {"predicted": pieces.total(),
            "masked_lm_accuracy": round(max(pieces.values()) / pieces.total(), 4),
            "next_sentence_accuracy": round(max(following.values()) / following.total(), 4)}


if __name__ == "__main__":
    main()
