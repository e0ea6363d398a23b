"""Compare the speed of augmentation with TinyBERT's way, one forward pass for each word.

  python docs/experiments/augmentation_speed.py --vocabulary models/mobilebert_mini/vocab.txt --task sst2 --table glue/SST-2/train.tsv

The masked LM has random weights, which are as fast as trained ones. Both ways take turns on the
same rows of the table. TinyBERT's code computes the scores of the vocabulary at every position;
"one pass a word" computes them at the mask only. Print rows per second, and how many words have
the same candidates.
"""  # noqa: E501

import argparse
import time
from pathlib import Path

import numpy as np
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf.augmentation import candidates
from mobilebert_tf.augmentation.augment_examples import augment_examples
from mobilebert_tf.augmentation.masked_lm import MaskedLM
from mobilebert_tf.augmentation.neighbours import Neighbours
from mobilebert_tf.augmentation.settings import AugmentationSettings
from mobilebert_tf.tasks import catalogue


class OnePassAWord:
    """A masked LM that reads one row at a time.

    Args:
      model: a `Pretrainer`.
      masked_lm: of the model.
      everywhere: whether to compute the scores at every position, as TinyBERT's code does.
    """

    def __init__(self, model, masked_lm, everywhere):
        self.tokenizer, self.word_table = masked_lm.tokenizer, masked_lm.word_table
        self.max_positions = masked_lm.max_positions
        self._everywhere = everywhere
        rows = tf.TensorSpec((None, None), tf.int32)
        self._logits = tf.function(
            lambda ids, types, positions: model({
                "input_word_ids": ids, "input_mask": tf.ones_like(ids), "input_type_ids": types,
                "masked_positions": positions}, training=False)["mlm_logits"][0],
            input_signature=[rows, rows, rows])

    def best(self, ids, types, positions, count):
        found = []
        for row, row_types, position in zip(ids, types, positions, strict=True):
            places = np.arange(len(row), dtype=np.int32) if self._everywhere else [position]
            logits = self._logits(row[None], row_types[None], np.array([places], np.int32))
            found.append(tf.math.top_k(logits[position if self._everywhere else 0], count).indices)
        return np.stack(found)


def main():
    arguments = _arguments()
    tokenizer = mb.Tokenizer(arguments.vocabulary)
    config = mb.presets.get(arguments.preset)
    model = mb.Pretrainer(mb.Encoder(config))
    masked_lm = MaskedLM(model, tokenizer)
    ways = {"TinyBERT's": OnePassAWord(model, masked_lm, everywhere=True),
            "one pass a word": OnePassAWord(model, masked_lm, everywhere=False),
            "all masks at once": masked_lm}
    table = catalogue.of(arguments.task).read_train([arguments.table])
    chosen = np.random.default_rng(1).choice(len(table), arguments.rows, replace=False)
    blocks = np.array_split(chosen, arguments.turns)
    settings = AugmentationSettings(draws=arguments.draws)
    seconds = dict.fromkeys(ways, 0.0)
    for way in ways.values():  # traces the graphs
        augment_examples(table.select(blocks[0][:1].tolist()), way, settings)
    for block in blocks:
        for name, way in ways.items():
            start = time.perf_counter()
            augment_examples(table.select(block.tolist()), way, settings)
            seconds[name] += time.perf_counter() - start
    print(f"{arguments.preset}, {arguments.rows} rows of {arguments.task}, "
          f"{arguments.draws} draws, {arguments.turns} turns each")
    for name, took in seconds.items():
        print(f"{name:18} {arguments.rows / took:6.2f} rows/s   "
              f"{seconds[next(iter(ways))] / took:4.2f} times TinyBERT's")
    _compare(ways["TinyBERT's"], masked_lm, [table.texts[number] for number in blocks[0]])


def _compare(one, other, texts):
    """Print how many words have the same candidates in the same order."""
    neighbours = Neighbours(other.tokenizer.vocabulary, other.word_table)
    both = [[candidates.find(text, way, neighbours, 15).replacements for way in (one, other)]
            for text in texts]
    same = [words == others[number] for found, others in both for number, words in found.items()]
    print(f"{sum(same)} of {len(same)} words have the same candidates")


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocabulary", required=True, help="vocab.txt of as many pieces as the "
                                                            "preset has")
    parser.add_argument("--task", default="sst2", help="task of the table")
    parser.add_argument("--table", required=True, type=Path, help="training file of the task")
    parser.add_argument("--preset", default="bert_base", help="the masked LM's config")
    parser.add_argument("--rows", type=int, default=60, help="rows to augment")
    parser.add_argument("--turns", type=int, default=3, help="turns of each way")
    parser.add_argument("--draws", type=int, default=20, help="new rows to try for each")
    return parser.parse_args()


if __name__ == "__main__":
    main()
