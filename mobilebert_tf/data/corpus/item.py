"""One work item of a corpus: parts of many texts become one shard of each split."""

import dataclasses
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from mobilebert_tf.data.corpus.dataset_texts import DatasetPart
from mobilebert_tf.data.corpus.directory import SPLITS
from mobilebert_tf.data.corpus.document import Document
from mobilebert_tf.data.corpus.excerpt import Excerpt
from mobilebert_tf.data.corpus.pairs import pairs
from mobilebert_tf.data.corpus.records import example, write_records
from mobilebert_tf.data.corpus.sentences import sentences
from mobilebert_tf.data.corpus.settings import CorpusSettings
from mobilebert_tf.data.corpus.text_files import digest
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically, written_atomically
from mobilebert_tf.text.tokenizer import Tokenizer

# Sentences that are tokenized in one call.
_BATCH = 4096


@dataclasses.dataclass(frozen=True)
class Item:
    """Parts of texts that become one shard of each split.

    Args:
      number: which item it is, counted from 0.
      parts: what it reads.
      split: the split of all its documents; None if each document is assigned to one by its text.
    """

    number: int
    parts: tuple[Excerpt | DatasetPart, ...]
    split: str | None = None

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)


def shard_path(directory: str | os.PathLike, split: str, number: int) -> Path:
    return Path(directory) / f"{split}-{number}.tfrecord"


def report_path(directory: str | os.PathLike, number: int) -> Path:
    """The path of an item's report; the report is written after the item's shards."""
    return Path(directory) / f"item-{number}.json"


def process(item: Item, settings: CorpusSettings, tokenizer: Tokenizer, directory: str) -> dict:
    """Write the shards of an item, then its report; return the report.

    The same item, settings and vocabulary give the same bytes, so a runner may repeat an item.

    Returns:
      `counters`; `shards`, the counts of each split's shard, None for a split without examples;
      `sources` that had text; and `documents`, the keys of documents that other items may share.
      Or only `error`, if something cannot be read or written.
    Raises:
      InputError: if this worker does not see the directory.
    """
    if not os.path.isdir(directory):
        raise InputError(f"this worker does not see {directory}; the output must be a directory "
                         "that all workers see under the same name")
    try:
        report = _process(item, settings, tokenizer, directory)
    except (OSError, InputError) as error:
        report = {"error": str(error)}
    write_atomically(report_path(directory, item.number), json.dumps(report).encode())
    return report


def _process(item, settings, tokenizer, directory):
    counters, sources, shared = Counter(), set(), set()
    documents = defaultdict(list)
    for part in item.parts:
        for split, document in _documents(part, item.split, settings, counters):
            documents[split].append(document)
            sources.add(part.source)
            if part.key is None:
                counters["documents"] += 1
            else:
                shared.add(document.key.hex())
    shards = {}
    for split in SPLITS:
        encoded = _encoded(documents.pop(split, []), tokenizer, counters)
        rng = random.Random(f"{settings.seed} {item.number} {split}")
        make = _pair_examples if settings.examples == "pairs" else _sentence_examples
        examples = list(make(encoded, settings, tokenizer.vocabulary, rng, counters))
        rng.shuffle(examples)
        shards[split] = _write(examples, shard_path(directory, split, item.number))
    return {"counters": counters, "shards": shards, "sources": sorted(sources),
            "documents": sorted(shared)}


def _documents(part, split, settings, counters):
    """Yield (split, document) for every document with a sentence; the sentences are still texts."""
    for text in part.read(counters):
        found = [sentence for lines in text.paragraphs
                 for sentence in sentences(lines, settings.split_by, settings.language)]
        if found:
            yield split or _split(text.key, settings), Document(text.key, found)


def _split(key, settings):
    # By content, so that a document which is there twice is in one split.
    draw = int.from_bytes(digest(settings.seed, key), "big") / 2**64
    return "validation" if draw < settings.validation else "train"


def _encoded(documents, tokenizer, counters):
    """Encode the sentences; leave out sentences without tokens and documents without sentences."""
    flat = [sentence for document in documents for sentence in document.sentences]
    ids = []
    for start in range(0, len(flat), _BATCH):
        ids += tokenizer.encode_texts(flat[start:start + _BATCH])
    counters["sentences"] += len(ids)
    counters["tokens"] += sum(map(len, ids))
    counters["skipped_sentences_without_tokens"] += ids.count([])
    encoded, start = [], 0
    for document in documents:
        stop = start + len(document.sentences)
        kept = [tokens for tokens in ids[start:stop] if tokens]
        if kept:
            encoded.append(Document(document.key, kept))
        start = stop
    return encoded


def _pair_examples(documents, settings, vocabulary, rng, counters) -> Iterator[tuple]:
    """Yield (ids, length of the first segment, label)."""
    counters.update(pairs_following=0, pairs_random=0)
    for index, document in enumerate(documents):
        has_pair = False
        for pair in pairs(documents, index, settings.length, settings.short_probability, rng):
            has_pair = True
            counters["pairs_random" if pair.label else "pairs_following"] += 1
            counters["tokens_cut"] += pair.cut
            ids = [vocabulary.cls_id, *pair.first, vocabulary.sep_id, *pair.second,
                   vocabulary.sep_id]
            yield ids, len(pair.first) + 2, pair.label
        counters["documents_of_one_sentence"] += len(document.sentences) == 1
        counters["skipped_documents_without_a_pair"] += not has_pair


def _sentence_examples(documents, settings, vocabulary, rng, counters) -> Iterator[tuple]:
    room = settings.length - 2
    for document in documents:
        for sentence in document.sentences:
            counters["tokens_cut"] += max(0, len(sentence) - room)
            ids = [vocabulary.cls_id, *sentence[:room], vocabulary.sep_id]
            yield ids, len(ids), -1


def _write(examples, path):
    """Write a shard and return its counts; return None if there are no examples."""
    if not examples:
        return None
    # A runner may do an item twice at the same time.
    with written_atomically(path) as (temporary,):
        write_records(temporary, (example(*parts) for parts in examples))
        return {"examples": len(examples), "tokens": sum(len(ids) for ids, _, _ in examples),
                "bytes": temporary.stat().st_size}
