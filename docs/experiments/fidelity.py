"""Measure how close a student's states and sentence embeddings are to its teacher's, on texts.

  python docs/experiments/fidelity.py --teacher bge-small-en-v1.5 \\
    --student models/mobilebert_mini --texts glue/SST-2/dev.tsv

Print as JSON: the mean of 1 - cosine of the mean-pooled embeddings, and for the states of each
block of the student the fraction of the variance that it does not explain. A teacher of twice its
depth is compared by every second block.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from mobilebert_tf import model_directory
from mobilebert_tf.models.repooling import with_pooler
from mobilebert_tf.text.tokenizer import Tokenizer


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("teacher", "student"):
        parser.add_argument(f"--{name}", required=True, help="model or Hugging Face directory")
    parser.add_argument("--texts", required=True, type=Path,
                        help="a table: a header, then one text per line, up to a tab")
    parser.add_argument("--length", type=int, default=64, help="tokens that are read of each text")
    arguments = parser.parse_args()
    contents = model_directory.load(arguments.student)
    rows = [line.split("\t")[0] for line in arguments.texts.read_text("utf-8").splitlines()[1:]]
    inputs = encode([row for row in rows if row.strip()], contents, arguments.length)
    print(json.dumps(compare(states(model_directory.load(arguments.teacher), inputs),
                             states(contents, inputs), inputs["input_mask"] == 1), indent=2))


def encode(texts, contents, length):
    tokenizer = Tokenizer(contents.vocabulary, contents.lower_case)
    vocabulary = contents.vocabulary
    ids = np.full((len(texts), length), vocabulary.pad_id, np.int32)
    mask = np.zeros_like(ids)
    for row, text in enumerate(texts):
        tokens = [vocabulary.cls_id, *tokenizer.encode(text)[: length - 2], vocabulary.sep_id]
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return {"input_word_ids": ids, "input_mask": mask, "input_type_ids": np.zeros_like(ids)}


def states(contents, inputs):
    encoder = getattr(contents.model, "encoder", contents.model)
    return with_pooler(encoder, "mean").predict(inputs, batch_size=64, verbose=0)


def compare(taught, learned, real):
    unit = [output["pooled_output"] / np.linalg.norm(output["pooled_output"], axis=1, keepdims=True)
            for output in (taught, learned)]
    unexplained = []
    # A student of half the depth learns from every second block.
    times = len(taught["block_outputs"]) // len(learned["block_outputs"])
    for theirs, ours in zip(taught["block_outputs"][times - 1 :: times], learned["block_outputs"],
                            strict=True):
        theirs, ours = theirs[real], ours[real]
        unexplained.append(float(np.square(theirs - ours).sum()
                                 / np.square(theirs - theirs.mean(0)).sum()))
    return {"texts": len(real), "one_minus_cosine": float(1 - (unit[0] * unit[1]).sum(1).mean()),
            "unexplained_variance": unexplained}


if __name__ == "__main__":
    main()
