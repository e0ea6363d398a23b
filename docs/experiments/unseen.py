"""Write the lines of a task's dev file whose texts are not in the training texts.

  python docs/experiments/unseen.py --task similarity --texts texts/singles \\
    --dev glue/STS-B/dev.tsv --output unseen.tsv
  mobilebert evaluate models/mobilebert_mini --task similarity --dev unseen.tsv

Texts count as equal if they differ only in case, spaces and punctuation. `texts` is what
docs/experiments/family_texts.py writes. The file is a table with one row per line.
"""

import argparse
import re
from pathlib import Path

from mobilebert_tf.tasks import catalogue


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", required=True)
    for name in ("texts", "dev", "output"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    arguments = parser.parse_args()
    seen = {_key(line) for path in sorted(arguments.texts.glob("*.txt"))
            for line in path.read_text("utf-8").splitlines()} - {""}
    examples = catalogue.of(arguments.task).read(arguments.dev)
    columns = [examples.texts, *([examples.second_texts] if examples.second_texts else [])]
    texts = [text for column in columns for text in column]
    unseen = {number for row, number in enumerate(examples.lines)
              if not any(_key(column[row]) in seen for column in columns)}
    print(f"{sum(_key(text) in seen for text in texts):,} of {len(texts):,} texts were seen; "
          f"{len(unseen):,} of {len(examples):,} lines have none of them")
    first = min(examples.lines)  # the lines before it are the header
    with open(arguments.dev, encoding="utf-8", newline="\n") as lines:
        kept = [line for number, line in enumerate(lines, 1) if number < first or number in unseen]
    arguments.output.write_text("".join(kept), "utf-8")


def _key(text):
    return " ".join(re.findall(r"\w+", text.lower()))


if __name__ == "__main__":
    main()
