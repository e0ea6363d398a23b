"""The texts of tasks' training data, without labels: what mobilebert_mini's distillation ends with.

  python docs/experiments/texts.py --data data --output texts

writes a file a source, each text once, a blank line between: for `mobilebert corpus --split-by
lines --examples sentences`. Dev and test files are not read; some of their texts stand in training
files too, docs/experiments.md says how many.
"""

import argparse
from itertools import chain
from pathlib import Path

from mobilebert_tf.data import glue, squad, tagging
from mobilebert_tf.data.sentences import sentences

GLUE = {"sst2": "SST-2", "cola": "CoLA", "mrpc": "MRPC", "rte": "RTE"}
QUESTIONS = ("adversarial_qa_train_squadformat.json", "squad_train_subset.json")
TAGGED = ("restaurant/train.bio", "wnut17/wnut17train.conll")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="directory of all data")
    parser.add_argument("--output", required=True, type=Path, help="directory for the texts")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True)
    seen = set()
    for name, texts in sources(arguments.data):
        new = [text for text in dict.fromkeys(" ".join(text.split()) for text in texts)
               if text and text not in seen]
        seen.update(new)
        (arguments.output / f"{name}.txt").write_text("\n\n".join(new) + "\n", "utf-8")
        print(f"{name}: {len(new):,} texts")


def sources(data):
    """(name, texts) in turn."""
    for name, folder in GLUE.items():
        read = glue.read(data / "glue" / folder / "train.tsv", glue.task(name))
        # Both texts of a pair one after the other, as they stand in the file.
        yield name, chain.from_iterable(zip(read.texts, read.pairs, strict=True)
                                        if read.pairs else [read.texts])
    questions = [question for name in QUESTIONS for question in squad.read(data / "squad" / name)]
    yield "questions", [question.question for question in questions]
    yield "passages", chain.from_iterable(
        sentences([context]) for context in dict.fromkeys(one.context for one in questions))
    for path in TAGGED:
        yield Path(path).parent.name, [" ".join(sentence.words) for sentence in
                                       tagging.read(data / "tagging" / path)]


if __name__ == "__main__":
    main()
