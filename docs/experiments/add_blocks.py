"""Write an encoder with twice the blocks of another that computes the same, as a start for more.

  python docs/experiments/add_blocks.py models/mobilebert_mini runs/mini_12_blocks

After each block stands a copy of it whose output bottleneck adds nothing: its kernel and bias are
0, and its NoNorm passes the block's input on. So the larger encoder begins where the smaller one
ended, and the new blocks learn from the first update on: the gradient of a kernel of zeros is not
zero (Chen et al. 2016, arXiv:1511.05641, on growing networks without changing what they compute).
"""

import argparse
import dataclasses
import re
import shutil
from pathlib import Path

import numpy as np

import mobilebert_tf as mb

CLOSE = 1e-5


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("encoder", type=Path, help="directory of an encoder with NoNorm and "
                        "bottlenecks, with its vocab.txt")
    parser.add_argument("output", type=Path, help="directory of the larger encoder")
    arguments = parser.parse_args()
    small = mb.from_pretrained(arguments.encoder)
    large = mb.Encoder(dataclasses.replace(small.config, num_blocks=2 * small.config.num_blocks))
    weights = {variable.name: variable for variable in small.variables}
    for variable in large.variables:
        variable.assign(_start(variable, weights))
    difference = _difference(small, large)
    if difference > CLOSE:
        raise SystemExit(f"the encoders differ by {difference}")
    mb.checkpoints.save_huggingface(large, arguments.output)
    shutil.copy(arguments.encoder / "vocab.txt", arguments.output)
    print(f"{large.config.num_blocks} blocks; outputs differ by {difference:.1e} of the largest")


def _start(variable, weights):
    """Return the weights of the block that a new block follows, but for its output bottleneck."""
    found = re.match(r"block_(\d+)/", variable.name)
    if found is None:
        return weights[variable.name]
    block, name = int(found[1]), variable.name[found.end():]
    source = weights[f"block_{block // 2}/{name}"]
    if block % 2 == 0 or not name.startswith("output_bottleneck/"):
        return source
    return np.ones(source.shape) if "gamma" in name else np.zeros(source.shape)


def _difference(one, other):
    ids = np.random.default_rng(1).integers(1000, one.config.vocab_size, (4, 32), np.int32)
    inputs = {"input_word_ids": ids, "input_mask": np.ones_like(ids),
              "input_type_ids": np.zeros_like(ids)}
    first, second = (np.asarray(model(inputs)["sequence_output"]) for model in (one, other))
    return np.abs(first - second).max() / np.abs(first).max()


if __name__ == "__main__":
    main()
