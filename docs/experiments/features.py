"""Measure the time and the memory that making the features of questions takes.

  python docs/experiments/features.py --vocab models/mobilebert_mini/vocab.txt \\
    squad/adversarial_qa_train_squadformat.json

Read the questions of SQuAD files and make the features that a model is trained on, for more and
more questions. Each number of questions has a process of its own. Print seconds, windows and the
peak of the process's memory.
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
    """Return (seconds, windows, peak before and after in MB) for the first `count` questions."""
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
    parser.add_argument("files", nargs="+", type=Path,
                        help="SQuAD's JSON; all questions have an answer")
    parser.add_argument("--vocab", required=True, type=Path)
    parser.add_argument("--counts", default="2500,5000,10000", help="numbers of questions")
    parser.add_argument("--length", type=int, default=384)
    arguments = parser.parse_args()
    print("questions  windows  seconds  peak MB before  after")
    for count in map(int, arguments.counts.split(",")):
        # A peak is that of a process's whole life.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, windows, before, after = pool.apply(
                measure, (arguments.files, arguments.vocab, count, arguments.length))
        print(f"{count:9,}  {windows:7,}  {seconds:7.1f}  {before:14.0f}  {after:5.0f}")


if __name__ == "__main__":
    main()
