"""Tune: measure the files that pass the gate, and choose one with its threads and lengths."""

import contextlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from mobilebert_tf import machine
from mobilebert_tf.checks import (
    check_count,
    check_lengths,
    check_paths,
    check_some,
    check_texts,
    check_threads,
    is_number,
)
from mobilebert_tf.errors import InputError
from mobilebert_tf.export import recipes as known_recipes
from mobilebert_tf.export.benchmark import host, phone
from mobilebert_tf.export.benchmark.plan import default_threads
from mobilebert_tf.export.file import metadata
from mobilebert_tf.export.lengths.choose import needed
from mobilebert_tf.export.package import directory as package_directory
from mobilebert_tf.export.package.file_settings import check_single_texts, pairs_of
from mobilebert_tf.export.tuning import subject as subjects
from mobilebert_tf.export.tuning.candidate import Candidate
from mobilebert_tf.export.tuning.tuning import Tuning, best, name
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.text.tokenizer import Tokenizer

RECIPES = ("dynamic_int8", "int8")


def tune(models, *, texts: Sequence[str] | None = None, recipes: Sequence[str] = RECIPES,
         lengths: Sequence[int] | None = None, threads: Sequence[int] | None = None,
         loss: float = 1.0, runs: int = 50, phone_settings: dict | None = None,
         say: Callable[[str], None] = lambda message: None,
         on_round: Callable[[int, int], None] = lambda done, of: None,
         measure=host.measure, **task_files) -> Tuning:
    """Measure files that pass the gate with several numbers of threads; say which one to ship.

    A model directory is exported by each recipe and compared with the model on the dev set. The
    verdict on a .tflite file is read from the report beside it, or from its package. `tuning.best`
    has the rules of the choice. On this machine all files take turns in one run; on a phone one
    file runs after the other.

    Args:
      models: paths of model directories and .tflite files.
      texts: those that the file will read, over which latencies are averaged; None for the longest
        length.
      recipes: of the exports.
      lengths: of the exports; None for the length of the fine-tuning, else the kind's.
      threads: numbers of threads; None for 1, 2 and 4, on this machine as far as there are cores.
      loss: points of the metric that a file's score may be below the best of all.
      runs: timed runs of each file, length and number of threads.
      phone_settings: of `phone.measure`, without `threads` and `runs`; None for this machine.
      say: receives a sentence before each step.
      on_round: receives the runs done and `runs`.
      measure: as `host.measure`; for tests.
      task_files: further arguments of `export_model`, such as `data`.
    Raises:
      InputError: for arguments of a wrong type, an empty list, an unknown recipe, threads or runs
        that are out of range, and a loss that is not 0 or more; if no file passed its gate; for
        files of different tasks, or of different longest lengths without texts; for texts, if a
        model reads pairs of them; and as `export_model` and `phone.measure` do.
    """
    if threads is None:
        # A phone has other cores than this machine.
        threads = [count for count in (1, 2, 4)
                   if phone_settings is not None or count <= default_threads()]
    _check_arguments(models, texts, recipes, lengths, threads, loss, runs)
    recipes, threads = dict.fromkeys(recipes), tuple(dict.fromkeys(map(int, threads)))
    with contextlib.ExitStack() as stack:
        found, left_out = _subjects(list(map(Path, models)), recipes, lengths, say, stack,
                                    task_files)
        _check(found, left_out, texts)
        counts = [_counts(one, texts) for one in found]
        say("Measuring ...")
        if phone_settings is None:
            costs = _on_host(found, threads, runs, on_round, measure)
            where = machine.describe()
        else:
            costs, where = _on_phone(found, threads, runs, say, phone_settings)
    candidates = tuple(sorted(
        (Candidate.of(one, count, *costs[one.file, count], needing)
         for one, needing in zip(found, counts, strict=True) for count in threads),
        key=lambda one: one.mean_ms))
    return Tuning(candidates=candidates, left_out=left_out, best=best(candidates, loss),
                  texts=None if texts is None else len(texts), loss=loss, num_runs=runs,
                  machine=where, is_interleaved=phone_settings is None, date=machine.now())


def _check_arguments(models, texts, recipes, lengths, threads, loss, runs):
    """Raise InputError for wrong arguments before the minutes that exports take."""
    check_paths(models=models)
    check_some(recipes=recipes, threads=threads)
    if texts is not None:
        check_texts("texts", texts)
        if not len(texts):
            raise InputError("there is no text to average over")
    for recipe in recipes:
        known_recipes.get(recipe)
    if lengths is not None:
        check_lengths(lengths)
    for count in threads:
        check_threads(count)
    check_count(runs=runs)
    if not is_number(loss):
        raise InputError("the loss is in points of the metric, 0 or more. Received: "
                         f"{loss}")


def _subjects(models, recipes, lengths, say, stack, task_files):
    """The files that passed, and why others did not, by path."""
    found, left_out = [], {}
    for model in dict.fromkeys(map(package_directory.first_file, models)):
        if not model.exists():
            raise InputError(f"there is no model {model}")
        if model.is_file():
            tried = [(str(model), subjects.of_file(model))]
        else:
            place = Path(stack.enter_context(
                tempfile.TemporaryDirectory(prefix="mobilebert-tune-")))
            tried = [(f"{model}, {recipe}", subjects.exported(
                model, recipe, place, say, lengths=lengths, **task_files)) for recipe in recipes]
        for what, (subject, reason) in tried:
            if subject is None:
                left_out[what] = reason
            else:
                found.append(subject)
    return found, left_out


def _check(found, left_out, texts):
    if not found:
        raise InputError("no file passed its gate: " + "; ".join(
            f"{what}: {reason}" for what, reason in left_out.items()))
    tasks = {f"{one.task} by {one.metric}" for one in found}
    if len(tasks) > 1:
        raise InputError("files that were scored on different tasks cannot be compared: "
                         f"{', '.join(sorted(tasks))}")
    longest = {one.lengths[-1]: name(one) for one in found}
    if texts is None and len(longest) > 1:
        raise InputError("the files take different numbers of tokens, "
                         f"{', '.join(map(str, sorted(longest)))}: name the texts that they will "
                         "read")


def _counts(subject, texts):
    """How many texts need each length; without texts one needs the longest."""
    if texts is None:
        return {subject.lengths[-1]: 1}
    known = metadata.read(subject.file)
    pairs = pairs_of(subject.file, known)
    check_single_texts(subject.source, catalogue.reads_pairs(subject.task, None) if pairs is None
                       else pairs)
    if known.vocabulary is None:
        raise InputError(f"{subject.file} carries no vocabulary: export it again with one")
    tokenizer = Tokenizer(known.vocabulary, known.lower_case)
    return needed([len(ids) + 2 for ids in tokenizer.encode_texts(list(texts))], subject.lengths)


def _on_host(found, threads, runs, on_round, measure):
    """(file, threads) -> the median and the 5th percentile by length."""
    cases = [(one.file, length, count) for one in found for length in one.lengths
             for count in threads]
    measured = measure([(file, length) for file, length, _ in cases],
                       [count for *_, count in cases], runs, on_round)
    costs = {}
    for (file, length, count), one in zip(cases, measured, strict=True):
        medians, undisturbed = costs.setdefault((file, count), ({}, {}))
        medians[length], undisturbed[length] = one.latency.median_ms, one.latency.p5_ms
    return costs


def _on_phone(found, threads, runs, say, settings):
    """The same on a phone, and its name."""
    costs, records = {}, []
    for count in threads:
        records = phone.measure([one.file for one in found], threads=count, runs=runs, say=say,
                                **settings)
        for record in records:
            timing = record.timing
            median = timing.avg_ms if timing.median_ms is None else timing.median_ms
            medians, undisturbed = costs.setdefault((Path(record.file), count), ({}, {}))
            medians[record.length] = median
            undisturbed[record.length] = median if timing.p5_ms is None else timing.p5_ms
    known = records[0].phone
    return costs, f"{known.manufacturer} {known.model}, Android {known.android}"
