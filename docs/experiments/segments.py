"""Measure what a model's states know about two texts read in one pass, without fine-tuning.

  python docs/experiments/segments.py --model models/mobilebert_mini --data glue/STS-B

Print the Spearman correlation, on STS-B's dev set, of the cosine between the means of both
segments' states.
"""

import argparse
from pathlib import Path

import tf_keras as keras
from scipy import stats

from mobilebert_tf import model_directory
from mobilebert_tf.models.repooling import with_pooler
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.text.tokenizer import Tokenizer


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="model or Hugging Face directory")
    parser.add_argument("--data", required=True, type=Path, help="directory of STS-B")
    parser.add_argument("--length", type=int, default=64, help="tokens that are read of each pair")
    arguments = parser.parse_args()
    contents = model_directory.load(arguments.model)
    task = catalogue.of("stsb")
    pairs = task.read(catalogue.data(task, arguments.data).dev_file)
    tokenizer = Tokenizer(contents.vocabulary, contents.lower_case)
    features = task.kind.rows(pairs, tokenizer, arguments.length)
    encoder = with_pooler(contents.model.encoder, "segment_match")
    # Leave out the encoder's other outputs, which are gigabytes.
    pooled = keras.Model(encoder.input, encoder.output["pooled_output"]).predict(
        features.packed(arguments.length, contents.vocabulary.pad_id), batch_size=64, verbose=0)
    # The last quarter are the products; of means whose mean square is 1 their mean is the cosine.
    cosines = pooled[:, -encoder.config.hidden_size:].mean(axis=1)
    print(f"{stats.spearmanr(cosines, pairs.labels).statistic:.4f}")


if __name__ == "__main__":
    main()
