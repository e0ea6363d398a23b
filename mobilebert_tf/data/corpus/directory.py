"""A corpus on disk: TFRecord shards of tokenized examples, and corpus.json, which lists them."""

import dataclasses
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from mobilebert_tf import records
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically
from mobilebert_tf.text.vocabulary import Vocabulary

SPLITS = ("train", "validation")
_DESCRIPTION, _VOCABULARY = "corpus.json", "vocab.txt"


# Of a record: its length and the two checksums.
_LEAST_BYTES = 16


@dataclasses.dataclass(frozen=True)
class Shard:
    """A TFRecord file of the corpus, with the counts that tell where a step's examples lie."""

    file: str
    examples: int
    tokens: int
    bytes: int


class _Shard(msgspec.Struct, forbid_unknown_fields=True):
    file: records.FileName
    examples: records.Count
    tokens: records.Count
    bytes: records.Count


class _Shards(msgspec.Struct, forbid_unknown_fields=True):
    train: list[_Shard]
    validation: list[_Shard]


class _Description(msgspec.Struct, forbid_unknown_fields=True):
    """corpus.json."""

    examples: Literal["pairs", "sentences"]
    length: Annotated[int, msgspec.Meta(ge=3, le=1 << 20)]
    lower_case: bool
    shards: _Shards
    counters: dict[str, records.Count]
    settings: dict


@dataclasses.dataclass(frozen=True)
class CorpusDirectory:
    """What a corpus holds. The shards' records are tf.train.Examples of three features:

    `ids`: [CLS] first [SEP], or [CLS] first [SEP] second [SEP], without padding;
    `first_length`: tokens of the first part, its [CLS] and [SEP] included;
    `next_sentence_label`: 0 where the second part follows the first, 1 where it is random, -1
    where there is no second part.

    Args:
      directory: where it lies.
      examples: `pairs` or `sentences`.
      length: most tokens of an example.
      lower_case: whether the texts were lower-cased.
      shards: split -> its shards; every split of `SPLITS` is there.
      counters: what was read, written and skipped, by name.
      settings: every argument that the corpus was made with; of several as one `corpora`, a list
        of the settings and counters of each.
    """

    directory: Path
    examples: str
    length: int
    lower_case: bool
    shards: dict[str, tuple[Shard, ...]]
    counters: dict[str, int]
    settings: dict

    def vocabulary(self) -> Vocabulary:
        return Vocabulary.load(self.directory / _VOCABULARY)

    def paths(self, split: str) -> list[str]:
        return [str(self.directory / shard.file) for shard in self.shards[split]]

    def count(self, split: str) -> int:
        """Examples in a split."""
        return sum(shard.examples for shard in self.shards[split])

    def tokens(self, split: str) -> int:
        return sum(shard.tokens for shard in self.shards[split])

    def save(self, vocabulary: Vocabulary) -> None:
        """Writes vocab.txt, then corpus.json: a directory without the latter is not whole."""
        vocabulary.save(self.directory / _VOCABULARY)
        described = dataclasses.asdict(self)
        del described["directory"]
        write_atomically(self.directory / _DESCRIPTION,
                         json.dumps(described, indent=2).encode() + b"\n")

    @classmethod
    def load(cls, directory: str | os.PathLike) -> "CorpusDirectory":
        """Reads what `save` wrote and checks that every shard is there, of its size.

        Raises:
          InputError: where there is no corpus, it is not whole, or a shard is missing or cut.
        """
        directory = Path(directory)
        path = directory / _DESCRIPTION
        if not path.exists():
            raise InputError(f"{directory} is not a corpus: it has no {_DESCRIPTION}; make one "
                             "with `mobilebert corpus`")
        described = msgspec.structs.asdict(records.read(path, _Description))
        shards = {split: tuple(Shard(**msgspec.structs.asdict(shard))
                               for shard in getattr(described["shards"], split))
                  for split in SPLITS}
        for split in SPLITS:
            for index, shard in enumerate(shards[split]):
                _check(directory / shard.file, shard.bytes)
                if shard.bytes < _LEAST_BYTES * shard.examples or shard.bytes < shard.tokens:
                    raise InputError(f"{path}, shards.{split}[{index}]: {shard.bytes:,} bytes hold "
                                     f"fewer than {shard.examples:,} examples of "
                                     f"{shard.tokens:,} tokens")
        return cls(directory, **{**described, "shards": shards})

    @classmethod
    def load_all(cls, directories: Sequence[str | os.PathLike]) -> "CorpusDirectory":
        """Reads one corpus, or several as one whose shards are those of all, in their order.

        Raises:
          InputError: of `load`; for none, one given twice, or vocabularies or cases that differ.
        """
        if not directories:
            raise InputError("no corpus is given")
        corpora = [cls.load(directory) for directory in directories]
        if len(corpora) == 1:
            return corpora[0]
        first = corpora[0]
        places = [corpus.directory.resolve() for corpus in corpora]
        pieces = first.vocabulary().pieces
        for index, corpus in enumerate(corpora):
            if places[index] in places[:index]:
                raise InputError(f"{corpus.directory} is given twice")
            if corpus.lower_case != first.lower_case or corpus.vocabulary().pieces != pieces:
                raise InputError(f"{corpus.directory} has another vocabulary or case than "
                                 f"{first.directory}; make both with the same")
        shards = {split: tuple(
            dataclasses.replace(shard, file=str(place / shard.file))
            for place, corpus in zip(places, corpora, strict=True)
            for shard in corpus.shards[split]) for split in SPLITS}
        return cls(places[0], " and ".join(sorted({one.examples for one in corpora})),
                   max(corpus.length for corpus in corpora), first.lower_case, shards,
                   dict(sum((Counter(corpus.counters) for corpus in corpora), Counter())),
                   {"corpora": [{"settings": corpus.settings, "counters": corpus.counters}
                                for corpus in corpora]})


def _check(path, size):
    found = path.stat().st_size if path.is_file() else None
    if found is None:
        raise InputError(f"{path} is missing from the corpus; make it again")
    if found != size:
        raise InputError(f"{path} has {found:,} bytes, not {size:,}; make the corpus again")
