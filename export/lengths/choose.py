"""Choose the lengths of a file for texts, by what a run at each length was measured to cost."""

import contextlib
import importlib.metadata
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from mobilebert_tf import __version__, machine
from mobilebert_tf.checks import (
    check_count,
    check_lengths,
    check_path,
    check_texts,
    check_threads,
)
from mobilebert_tf.errors import InputError
from mobilebert_tf.export import export_model, recipes
from mobilebert_tf.export.benchmark import host
from mobilebert_tf.export.benchmark.plan import default_threads
from mobilebert_tf.export.file import metadata
from mobilebert_tf.export.file.file_lengths import checked_lengths
from mobilebert_tf.export.lengths import choosing
from mobilebert_tf.export.lengths.length_choice import LengthChoice
from mobilebert_tf.export.package.file_settings import check_single_texts, pairs_of
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.text.tokenizer import Tokenizer

CANDIDATES = (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)


def choose_lengths(model: str | os.PathLike, texts: Sequence[str], *, budget: int = 6,
                   candidates: Sequence[int] | None = None, recipe: str = "dynamic_int8",
                   threads: int | None = None, runs: int = 50,
                   say: Callable[[str], None] = lambda message: None,
                   on_round: Callable[[int, int], None] = lambda done, of: None,
                   measure=host.measure) -> LengthChoice:
    """Find the at most `budget` lengths with which a file answers texts fastest on average.

    Every candidate is measured on this machine in one interleaved run. The longest candidate is
    always chosen, so a text that fits into it is not cut; see `choosing.best_sets`.

    Args:
      model: a model directory with a vocabulary, which is exported at each candidate; or a .tflite
        file of this project, whose signatures are measured.
      texts: those that the file will read, or a sample of them.
      budget: the most lengths.
      candidates: the lengths to choose from; None for those of the file, or those of `CANDIDATES`
        below the length of the fine-tuning, and that length.
      recipe: of the exports; a file has its own.
      threads: of the CPU kernels; None for the cores there are, at most 4.
      runs: timed runs at each length.
      say: receives a sentence before each step.
      on_round: receives the runs done and `runs`.
      measure: as `host.measure`; for tests.
    Raises:
      InputError: for arguments of a wrong type, no text, no candidate, a budget, threads or runs
        that are out of range, a model without a vocabulary or of pairs of texts, and candidates
        that the model does not take or the file does not have; and for a recipe that is unknown, or
        learns ranges from a task's texts.
    """
    threads = default_threads() if threads is None else threads
    _check_arguments(model, texts, budget, candidates, threads, runs)
    model, threads = Path(model), int(threads)
    with contextlib.ExitStack() as stack:
        opened = _opened_file if model.is_file() else _exported
        files, tokenizer, recipe = opened(model, candidates, recipe, say, stack)
        tokens = [len(ids) + 2 for ids in tokenizer.encode_texts(list(texts))]
        say("Measuring in turn ...")
        measured = measure([(file, length) for length, file in files.items()], threads, runs,
                           on_round)
    costs = {length: one.latency.median_ms for length, one in zip(files, measured, strict=True)}
    counts = needed(tokens, tuple(files))
    return LengthChoice(
        model=model.resolve().name, recipe=recipe, texts=len(texts), longest_text=max(tokens),
        counts=counts, costs=costs,
        undisturbed={length: one.latency.p5_ms
                     for length, one in zip(files, measured, strict=True)},
        sets=tuple(choosing.best_sets(costs, counts, budget)),
        num_threads=threads, num_runs=runs, machine=machine.describe(), date=machine.now(),
        versions={"mobilebert-tf": __version__,
                  "ai-edge-litert": importlib.metadata.version("ai-edge-litert")})


def _check_arguments(model, texts, budget, candidates, threads, runs):
    """Raise InputError for wrong arguments before the minutes that exports take."""
    check_path(model=model)
    check_texts("texts", texts)
    if not len(texts):
        raise InputError("there is no text to choose lengths for")
    check_count(budget=budget, runs=runs)
    check_threads(threads)
    if candidates is not None:
        check_lengths(candidates, "candidates")


def needed(tokens: Sequence[int], lengths: Sequence[int]) -> dict[int, int]:
    """Return how many texts need each length.

    Args:
      tokens: of each text, [CLS] and [SEP] included.
      lengths: ascending; a text needs the length that `Metadata.length_for` gives it.
    """
    counts = dict.fromkeys(lengths, 0)
    for count in tokens:
        counts[next((length for length in lengths if length > count), lengths[-1])] += 1
    return counts


def _opened_file(file, candidates, _recipe, _say, _stack):
    """length -> the file, its tokenizer and its recipe."""
    found = metadata.read(file)
    if found.vocabulary is None:
        raise InputError(f"{file} carries no vocabulary: export it again with one")
    check_single_texts(file, pairs_of(file, found))
    chosen = sorted(set(found.lengths if candidates is None else candidates))
    missing = [length for length in chosen if length not in found.lengths]
    if missing:
        raise InputError(f"{file} has the lengths {', '.join(map(str, found.lengths))} and not "
                         f"{missing[0]}: name its model directory to choose from others")
    return (dict.fromkeys(chosen, file), Tokenizer(found.vocabulary, found.lower_case),
            found.recipe)


def _exported(directory, candidates, recipe, say, stack):
    """length -> a file that was exported for it alone, the model's tokenizer and the recipe."""
    from mobilebert_tf.export.file import calibration

    if recipes.get(recipe).calibrated:
        raise InputError(f"{recipe} learns ranges from texts of a task, which are not read here: "
                         "choose the lengths with dynamic_int8, or name an exported file")
    contents = export_model.load(directory, None, None, None)
    if contents.vocabulary is None:
        raise InputError(f"{directory} has no vocabulary: put its vocab.txt beside the model")
    check_single_texts(directory, catalogue.reads_pairs(contents.task, contents.columns))
    if candidates is None:
        longest = export_model.default_lengths(contents)[-1]
        candidates = (*(length for length in CANDIDATES if length < longest), longest)
    place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mobilebert-lengths-")))
    files = {}
    for length in checked_lengths(set(candidates), contents.model.config):
        say(f"Exporting {directory} at length {length} ...")
        files[length] = place / f"{length}.tflite"
        files[length].write_bytes(
            calibration.calibrated(contents, recipe, (length,), None).model)
    return files, Tokenizer(contents.vocabulary, contents.lower_case), recipe
