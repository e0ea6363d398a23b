"""Write an encoder that has only the first blocks of another, with its weights and vocabulary.

  python docs/experiments/first_blocks.py models/mobilebert_mini 2 runs/mini_2_blocks

It is a start for a small student; distillation does the rest.
"""

import argparse
import dataclasses
import shutil
from pathlib import Path

import mobilebert_tf as mb


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("encoder", type=Path, help="directory of an encoder, with its vocab.txt")
    parser.add_argument("blocks", type=int, help="how many of its blocks to keep")
    parser.add_argument("output", type=Path, help="directory of the smaller encoder")
    arguments = parser.parse_args()
    whole = mb.from_pretrained(arguments.encoder)
    part = mb.Encoder(dataclasses.replace(whole.config, num_blocks=arguments.blocks))
    weights = {variable.name: variable for variable in whole.variables}
    for variable in part.variables:
        variable.assign(weights[variable.name])
    mb.checkpoints.save_huggingface(part, arguments.output)
    shutil.copy(arguments.encoder / "vocab.txt", arguments.output)


if __name__ == "__main__":
    main()
