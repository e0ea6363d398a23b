"""Texts of a TFDS dataset, in parts that one worker reads."""

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator

from mobilebert_tf.data.corpus.text import Text
from mobilebert_tf.data.corpus.text_files import digest
from mobilebert_tf.data.datasets.tfds import prepared
from mobilebert_tf.errors import InputError

# wiki40b's marks of structure.
_MARKS = re.compile(r"_(?:START_ARTICLE|START_SECTION|START_PARAGRAPH|NEWLINE)_")


@dataclasses.dataclass(frozen=True)
class DatasetPart:
    """A range of a dataset's examples; each example is a document.

    Args:
      name: TFDS's name of the dataset, such as "wiki40b/en".
      directory: where TFDS keeps its datasets; None for its default.
      feature: the feature with the text.
      start: first example, in the split "train".
      stop: the example after the last.
      size: estimated bytes of text.
    """

    name: str
    directory: str | None
    feature: str
    start: int
    stop: int
    size: int

    key = None

    @property
    def source(self) -> str:
        return self.name

    def read(self, counters: Counter) -> Iterator[Text]:
        """Yield the documents; skip and count texts that are not UTF-8."""
        import tensorflow_datasets as tfds

        split = tfds.core.ReadInstruction("train", from_=self.start, to=self.stop, unit="abs")
        dataset = tfds.builder(self.name, data_dir=self.directory).as_dataset(split=split)
        for example in dataset.as_numpy_iterator():
            try:
                text = _MARKS.sub("\n\n", example[self.feature].decode("utf-8"))
            except UnicodeDecodeError:
                counters["skipped_texts_not_utf8"] += 1
                continue
            blocks = [block.splitlines() for block in re.split(r"\n\s*\n", text) if block.strip()]
            if blocks:
                yield Text(digest(blocks), blocks)


def find_dataset(name: str, directory: str | None, feature: str,
                 part_bytes: int) -> list[DatasetPart]:
    """Prepare a dataset, downloading it if needed, and cut its split "train" into parts.

    Raises:
      InputError: if TFDS is not installed or has no such dataset, or the dataset has no such text
        feature.
    """
    builder = prepared(name, directory, "train")
    import tensorflow_datasets as tfds

    split = builder.info.splits["train"]
    features = builder.info.features
    if feature not in features or not isinstance(features[feature], tfds.features.Text):
        texts = [key for key in features if isinstance(features[key], tfds.features.Text)]
        raise InputError(f"{name} has no text feature {feature!r}; its text features are "
                         f"{', '.join(texts) or 'none'}")
    count = max(1, -(-split.num_bytes // part_bytes))
    edges = [split.num_examples * index // count for index in range(count + 1)]
    return [DatasetPart(name, directory, feature, start, stop, split.num_bytes // count)
            for start, stop in zip(edges, edges[1:], strict=False) if stop > start]
