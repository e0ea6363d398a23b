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
from mobilebert_tf.data.corpus.shard import Shard
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically
from mobilebert_tf.text.vocabulary import Vocabulary

SPLITS = ("train", "validation")
_DESCRIPTION, _VOCABULARY = "corpus.json", "vocab.txt"
# Bytes of an empty record: its length and two checksums.
_LEAST_BYTES = 16


class _Shards(msgspec.Struct, forbid_unknown_fields=True):
    train: tuple[Shard, ...]
    validation: tuple[Shard, ...]


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
    """A corpus on disk.

    The shards' records are tf.train.Examples of three features:

    - `ids`: [CLS] first [SEP], or [CLS] first [SEP] second [SEP], without padding
    - `first_length`: tokens of the first segment, with its [CLS] and [SEP]
    - `next_sentence_label`: 0 if the second segment follows the first, 1 if it is random, -1 if
      there is none

    Args:
      directory: the corpus's directory.
      examples: "pairs" or "sentences".
      length: most tokens of an example.
      lower_case: whether the texts were lower-cased.
      shards: the shards of each split in `SPLITS`.
      counters: what was read, written and skipped, by name.
      settings: every setting that the corpus was made with. For several corpora read as one:
        `corpora`, a list of the settings and counters of each.
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

    def count(self, split: str) -> int:
        """Return the number of examples in a split."""
        return sum(shard.examples for shard in self.shards[split])

    def save(self, vocabulary: Vocabulary) -> None:
        """Write vocab.txt, then corpus.json; a directory without corpus.json is not whole."""
        vocabulary.save(self.directory / _VOCABULARY)
        described = msgspec.to_builtins(self, enc_hook=str)
        del described["directory"]
        write_atomically(self.directory / _DESCRIPTION,
                         json.dumps(described, indent=2).encode() + b"\n")

    @staticmethod
    def names(directory: str | os.PathLike) -> set[str]:
        """Return the names of a corpus's files; none if there is no corpus.

        Raises:
          InputError: if corpus.json is damaged.
        """
        path = Path(directory, _DESCRIPTION)
        if not path.exists():
            return set()
        shards = records.read(path, _Description).shards
        return {_DESCRIPTION, _VOCABULARY,
                *(shard.file for shard in (*shards.train, *shards.validation))}

    @classmethod
    def load(cls, directory: str | os.PathLike) -> "CorpusDirectory":
        """Read what `save` wrote and check that every shard is there and has its size.

        Raises:
          InputError: if there is no corpus, it is not whole, or a shard is missing or cut.
        """
        directory = Path(directory)
        path = directory / _DESCRIPTION
        if not path.exists():
            raise InputError(f"{directory} is not a corpus: it has no {_DESCRIPTION}; make one "
                             "with `mobilebert corpus`")
        described = msgspec.structs.asdict(records.read(path, _Description))
        shards = msgspec.structs.asdict(described["shards"])
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
        """Read one corpus, or several as one that has the shards of all, in their order.

        Raises:
          InputError: as for `load`; and if none is given, one is given twice, or vocabularies or
            cases differ.
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
            msgspec.structs.replace(shard, file=str(place / shard.file))
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
