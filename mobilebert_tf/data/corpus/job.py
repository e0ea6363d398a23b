"""A corpus from texts, made by an Apache Beam job whose memory does not grow with them.

The job's elements are work items, not texts. An item says which parts of which files become one
shard. Items are planned beforehand, at random, and an item takes the memory of its 4 MB of text.
So Beam never shuffles anything large, and the shards do not depend on the runner.
"""

import dataclasses
import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import apache_beam as beam

from mobilebert_tf.data import beam_jobs
from mobilebert_tf.data.corpus.dataset_texts import DatasetPart, find_dataset
from mobilebert_tf.data.corpus.directory import SPLITS, CorpusDirectory
from mobilebert_tf.data.corpus.excerpts import shuffled_excerpts
from mobilebert_tf.data.corpus.item import Item, process, report_path, shard_path
from mobilebert_tf.data.corpus.settings import CorpusSettings
from mobilebert_tf.data.corpus.shard import Shard
from mobilebert_tf.data.corpus.text_files import TextFile, digest, find_files, use_flags
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import check_replaceable, directory_written_atomically
from mobilebert_tf.text.tokenizer import Tokenizer

DEFAULTS = CorpusSettings()
# Text of one work item, whose examples are in memory together.
ITEM_BYTES = 4 << 20


def make_corpus(texts: Sequence[str], tokenizer: Tokenizer, directory: str | os.PathLike,
                settings: CorpusSettings = DEFAULTS, *, dataset: str | None = None,
                dataset_feature: str = "text", dataset_directory: str | None = None,
                overwrite: bool = False, workers: int = 1, beam_flags: Sequence[str] = (),
                on_progress: Callable[[int, int, int, int], None] = lambda *_: None
                ) -> CorpusDirectory:
    """Make a corpus of text files, of a TFDS dataset, or of both.

    Everything is written beside `directory`, which is replaced at the end.

    Args:
      texts: paths, globs and directories, as `find_files` takes them.
      tokenizer: tokenizes the texts; its vocabulary becomes part of the corpus.
      directory: where to write. All workers must see it under this name.
      settings: how examples are made.
      dataset: name of a TFDS dataset whose examples are documents, such as "wiki40b/en".
      dataset_feature: the dataset's feature with the text.
      dataset_directory: where TFDS keeps its datasets; None for its default.
      overwrite: whether to replace a corpus that is at `directory`. Nothing else is replaced.
      workers: processes of the local runner; 1 does the work in this process.
      beam_flags: Apache Beam's own flags, such as `--runner`.
      on_progress: called with the number of finished parts, of all parts, of finished bytes and of
        all bytes.
    Raises:
      InputError: if there are no texts; they give no example; they are a single document and
        `settings` asks for pairs; `directory` holds something else than a corpus, or a corpus
        without `overwrite`; or something cannot be read or written.
    """
    if not texts and not dataset:
        raise InputError("there are no texts; give files, globs or directories, or a dataset")
    beam_jobs.check_output(directory)
    _check_place(Path(directory), overwrite)
    files = find_files(texts, beam_flags)
    parts = find_dataset(dataset, dataset_directory, dataset_feature, ITEM_BYTES) if dataset else ()
    items = plan(files, parts, settings)
    if not items:
        raise InputError(f"there is no text: all of {len(files)} files are empty")
    with directory_written_atomically(directory) as staging:
        sizes = {report_path(staging, item.number): item.size for item in items}
        with beam_jobs.watched(sizes, on_progress):
            _run(items, settings, tokenizer, os.path.abspath(staging), workers, beam_flags)
        corpus = _finished(items, files, staging, settings, tokenizer.lower_case)
        corpus.save(tokenizer.vocabulary)
    return CorpusDirectory.load(directory)


def _check_place(directory, overwrite):
    """Refuse to replace anything but a corpus, or a corpus without `overwrite`."""
    names = CorpusDirectory.names(directory)
    check_replaceable(directory, names, "a corpus")
    if names and not overwrite:
        raise InputError(f"{directory} holds a corpus; choose another directory, or set overwrite "
                         "to replace it")


class _WriteShards(beam.DoFn):
    def __init__(self, settings, tokenizer, directory, beam_flags):
        self._settings, self._tokenizer, self._directory = settings, tokenizer, directory
        self._beam_flags = beam_flags

    def setup(self):
        use_flags(self._beam_flags)

    def process(self, item):
        report = process(item, self._settings, self._tokenizer, self._directory)
        # For the runner's own display. The report's counters count a repeated item once.
        for name, count in report.get("counters", {}).items():
            beam.metrics.Metrics.counter("corpus", name).inc(count)


def _run(items, settings, tokenizer, directory, workers, beam_flags):
    # A process takes seconds to start, so there are never more processes than items' worth of text.
    workers = max(1, min(workers, -(-sum(item.size for item in items) // ITEM_BYTES)))
    with beam_jobs.pipeline(workers, beam_flags) as pipeline:
        (pipeline | "Plan" >> beam.Create(items) | "Spread" >> beam.Reshuffle()
         | "Write shards" >> beam.ParDo(_WriteShards(settings, tokenizer, directory, beam_flags)))


def plan(files: Sequence[TextFile], dataset: Sequence[DatasetPart],
         settings: CorpusSettings) -> list[Item]:
    """Assign parts of all texts to work items; contents and seed alone decide."""
    groups = [(None, files)]
    if settings.document == "file":
        kept = validation_keys(files, settings)
        groups = [("train", [file for file in files if file.key not in kept]),
                  ("validation", [file for file in files if file.key in kept])]
    items = []
    for split, members in groups:
        parts = shuffled_excerpts(members, settings.document, settings.seed)
        count = -(-sum(part.size for part in parts) // ITEM_BYTES)
        items += [Item(len(items) + index, tuple(parts[index::count]), split)
                  for index in range(count)]
    return items + [Item(len(items) + index, (part,)) for index, part in enumerate(dataset)]


def validation_keys(files: Sequence[TextFile], settings: CorpusSettings) -> set[bytes]:
    """Choose the files that are kept for validation if each file is a document.

    Files are taken in random order until they have the wanted fraction of the bytes, and never
    twice as much. Pairs need two files. If that fails, the smallest files are taken; if training
    would have too few files left, none.
    """
    sizes = Counter()
    for file in files:
        sizes[file.key] += file.size
    sizes = +sizes
    wanted = settings.validation * sum(sizes.values())
    least = 2 if settings.examples == "pairs" else 1
    if not wanted or len(sizes) < 2 * least:
        return set()
    kept = {}
    for key in sorted(sizes, key=lambda key: digest(settings.seed, key)):
        total = sum(kept.values())
        if total >= wanted and len(kept) >= least:
            break
        if total + sizes[key] <= 2 * wanted:
            kept[key] = sizes[key]
    if len(kept) < least:
        return set(sorted(sizes, key=lambda key: (sizes[key], key))[:least])
    return set(kept)


def _finished(items, files, directory, settings, lower_case):
    """Read the items' reports, name the shards and describe the corpus."""
    counters = Counter(files=len(files), bytes=sum(item.size for item in items),
                       skipped_empty_files=sum(not file.size for file in files))
    shards, sources, documents = {split: [] for split in SPLITS}, set(), set()
    for item in items:
        report = _report(report_path(directory, item.number))
        counters.update(report["counters"])
        sources.update(report["sources"])
        documents.update(report["documents"])
        for split, counts in report["shards"].items():
            if counts:
                shards[split].append((shard_path(directory, split, item.number), counts))
    counters["documents"] += len(documents)
    counters["skipped_files_without_text"] = sum(
        file.size > 0 and file.path not in sources for file in files)
    _check(counters, shards, settings)
    named = {split: tuple(_named(path, split, index, len(found), counts)
                          for index, (path, counts) in enumerate(found))
             for split, found in shards.items()}
    for split in SPLITS:
        counters[f"examples_{split}"] = sum(shard.examples for shard in named[split])
    return CorpusDirectory(Path(directory), settings.examples, settings.length, lower_case, named,
                           dict(sorted(counters.items())), dataclasses.asdict(settings))


def _report(path):
    try:
        report = json.loads(path.read_text())
    except FileNotFoundError as error:
        raise InputError(f"no worker wrote to {path.parent}; the output must be a directory that "
                         "all workers see under the same name") from error
    if "error" in report:
        raise InputError(report["error"])
    path.unlink()
    return report


def _named(path, split, index, count, counts):
    name = f"{split}-{index:05d}-of-{count:05d}.tfrecord"
    path.rename(path.with_name(name))
    return Shard(name, **counts)


def _check(counters, shards, settings):
    if settings.examples == "pairs" and counters["documents"] == 1:
        other = "block" if settings.document == "file" else "file"
        raise InputError("the texts are a single document, and half of all pairs need another one; "
                         f'give more texts, set document to "{other}" or examples to "sentences"')
    if not any(shards.values()):
        reasons = [f"{name.removeprefix('skipped_').replace('_', ' ')}: {count:,}"
                   for name, count in sorted(counters.items())
                   if name.startswith("skipped_") and count]
        raise InputError("the texts give no example; skipped: " + ("; ".join(reasons) or "nothing"))
