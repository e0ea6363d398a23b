"""A model over files of texts, by an Apache Beam job whose memory does not grow with them.

The job's elements are parts of the files, not rows. A part is in memory with its answers, and
becomes one shard. So Beam never shuffles anything large, and the shards do not depend on the
runner. A shard is written beside its place and renamed, and the part's report after it: a job that
was killed and is started again does the parts that have no report.
"""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import apache_beam as beam
import msgspec
import numpy as np
from apache_beam.ml.inference.base import KeyedModelHandler, RunInference

import mobilebert_tf
from mobilebert_tf import files
from mobilebert_tf.data import beam_jobs
from mobilebert_tf.data.corpus.text_files import find_files, use_flags
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch import fingerprint, formats, planning
from mobilebert_tf.inference.batch.answer import RowAnswer
from mobilebert_tf.inference.batch.bad_row import BadRow
from mobilebert_tf.inference.batch.directory import BatchDirectory
from mobilebert_tf.inference.batch.job_settings import JobSettings
from mobilebert_tf.inference.batch.model_handler import FileModelHandler
from mobilebert_tf.inference.batch.part import Part
from mobilebert_tf.inference.batch.reading import read
from mobilebert_tf.inference.batch.report import PartReport
from mobilebert_tf.inference.batch.result import BatchResult
from mobilebert_tf.inference.batch.work import Work
from mobilebert_tf.inference.opening import file_of, open_model
from mobilebert_tf.resuming.lock import locked

DEFAULTS = JobSettings()


def run(work: Work, model: str | os.PathLike, texts: Sequence[str], output: str | os.PathLike,
        settings: JobSettings = DEFAULTS, *,
        on_progress: Callable[[int, int, int, int], None] = lambda *_: None) -> BatchResult:
    """Do a work with all rows of files.

    Args:
      work: what to do.
      model: path as `open_model` takes it; all workers must see it under this name.
      texts: paths, globs and directories, as `find_files` takes them.
      output: the directory for the answers; all workers must see it under this name.
      settings: of the job.
      on_progress: called with the number of finished parts, of all parts, of finished rows and of
        all rows. Those of an earlier run count as finished.
    Raises:
      InputError: if there is nothing to read; the model cannot do it; the directory is of another
        job; or something cannot be read or written.
    """
    beam_jobs.check_output(output)
    model = file_of(Path(model).absolute())
    form = formats.of(settings.format)
    runner = open_model(model, settings.length, settings.threads, work.kind)
    work.check(runner, settings.pairs or settings.second_text is not None)
    parts, inputs = planning.plan(find_files(texts, settings.beam_flags),
                                  settings.shard_rows)
    if not parts:
        raise InputError(f"there is no text: all of {len(inputs)} files are empty")
    directory = BatchDirectory(Path(output).absolute(), len(parts))
    with locked(directory.path, f"another process is at work in {output}"):
        directory.begin({"version": mobilebert_tf.__version__, **work.description,
                         **settings.description,
                         "model": msgspec.structs.asdict(fingerprint.of(model, runner)),
                         "inputs": inputs})
        # Not before: the directory could be any other, such as a home directory.
        files.remove_unfinished(directory.path)
        left = [parts[number] for number in directory.left(range(len(parts)))]
        rows = {directory.report_path(part.number): part.lines for part in parts}
        with beam_jobs.watched(rows, on_progress):
            if left:
                _run(left, directory, FileModelHandler(model, work, settings.length,
                                                       settings.threads), form, settings)
        return directory.finish(model, {"files": len(inputs), "rows": sum(rows.values())})


def _run(parts, directory, handler, form, settings):
    workers = max(1, min(settings.workers, len(parts)))
    # Beam's batching emits its last batch in finish_bundle, and DaskRunner loses what that emits.
    run_model = RunInference(KeyedModelHandler(handler).with_no_batching())
    with beam_jobs.pipeline(workers, settings.beam_flags) as pipeline:
        (pipeline | "Plan" >> beam.Create(parts) | "Spread" >> beam.Reshuffle()
         | "Read rows" >> beam.ParDo(_ReadRows(directory, settings))
         | "Run model" >> run_model
         | "Write shard" >> beam.ParDo(_WriteShard(directory, form)))


class _ReadRows(beam.DoFn):
    """A part -> [(part, its rows)], which is a batch of RunInference."""

    def __init__(self, directory, settings):
        self._directory, self._settings = directory, settings

    def setup(self):
        use_flags(self._settings.beam_flags)

    def process(self, part: Part):
        if not self._directory.path.is_dir():
            raise InputError(f"this worker does not see {self._directory.path}; the output must be "
                             "a directory that all workers see under the same name")
        try:
            rows = read(part, self._settings.pairs, self._settings.second_text)
        except InputError as error:
            self._directory.write_report(part.number, PartReport(error=str(error)))
            return
        yield [(part, rows)]


class _WriteShard(beam.DoFn):
    """(part, the outcomes of its rows) -> a shard and a report on disk."""

    def __init__(self, directory, form):
        self._directory, self._format = directory, form

    def process(self, element):
        part, outcomes = element
        answers = [one for one in outcomes if isinstance(one, RowAnswer)]
        bad = [one for one in outcomes if isinstance(one, BadRow)]
        try:
            report = self._written(part, answers, bad)
        except InputError as error:
            report = PartReport(error=str(error))
        self._directory.write_report(part.number, report)
        # For the runner's own display. The report's counters count a repeated part once.
        for name, count in report.counters.items():
            beam.metrics.Metrics.counter("mobilebert", name).inc(count)

    def _written(self, part, answers, bad):
        vectors = [one.vector for one in answers if one.vector is not None]
        vectors = np.stack(vectors) if vectors else None
        paths = [] if not answers else self._format.write(
            self._directory.stem(part.number), [one.record for one in answers], vectors)
        counters = Counter(answered=len(answers),
                           truncated=sum(one.values["truncated"] for one in answers))
        counters.update(f"skipped_rows_{one.counter}" for one in bad)
        return PartReport(counters=counters, rows=len(answers),
                      features=None if vectors is None else vectors.shape[1],
                      files={path.name: path.stat().st_size for path in paths},
                      bad=[one.to_json() for one in bad])
