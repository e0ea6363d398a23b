"""How long features of questions take, and how much memory.

  python docs/experiments/features.py --vocab models/mobilebert_mini/vocab.txt \\
    squad/adversarial_qa_train_squadformat.json

reads the questions of SQuAD files and makes the features that a model is trained on, of ever more
questions, each number in a process of its own; prints seconds, windows and the process's peak.
"""

import argparse
import multiprocessing
import resource
import time
from pathlib import Path

from mobilebert_tf.tasks import catalogue
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import Vocabulary


def measure(files, vocabulary, count, length):
    """(seconds, windows, peak before and after in MB) for the first `count` questions."""
    task = catalogue.of("squad")
    tokenizer = Tokenizer(Vocabulary.load(vocabulary))
    questions = task.read_train(files)[:count]
    before = peak_mb()
    start = time.perf_counter()
    features = task.kind.rows(questions, tokenizer, length)
    return time.perf_counter() - start, len(features.ids), before, peak_mb()


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="SQuAD's JSON, all answered")
    parser.add_argument("--vocab", required=True, type=Path)
    parser.add_argument("--counts", default="2500,5000,10000", help="of questions")
    parser.add_argument("--length", type=int, default=384)
    arguments = parser.parse_args()
    print("questions  windows  seconds  peak MB before  after")
    for count in map(int, arguments.counts.split(",")):
        # Peaks are of a process's whole life.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, windows, before, after = pool.apply(
                measure, (arguments.files, arguments.vocab, count, arguments.length))
        print(f"{count:9,}  {windows:7,}  {seconds:7.1f}  {before:14.0f}  {after:5.0f}")


if __name__ == "__main__":
    main()
