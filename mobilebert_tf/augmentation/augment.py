"""augment: a larger training file, by TinyBERT's data augmentation."""

import os
import shutil
from pathlib import Path

from mobilebert_tf.augmentation import rows as of_examples
from mobilebert_tf.augmentation.augment_examples import opened
from mobilebert_tf.augmentation.augmented import Augmented
from mobilebert_tf.augmentation.masked_lm import MaskedLM
from mobilebert_tf.augmentation.settings import AugmentationSettings
from mobilebert_tf.data import lines
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import written_atomically
from mobilebert_tf.running import run as running
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.tasks.task import left_out_of

# Follows the name of the output: the directory of the rows that are made, until all are.
_PARTS = ".parts"


def augment(table: str | os.PathLike, output: str | os.PathLike, *, task: str,
            model: str | os.PathLike | MaskedLM, text: str | None = None,
            label: str | None = None, second_text: str | None = None,
            settings: AugmentationSettings | None = None, shard: tuple[int, int] = (1, 1),
            track: running.Track = running.untracked) -> Augmented:
    """Write a file with every example of another, each followed by its new ones.

    A new example has the label of the original and texts in which some words are replaced: those of
    one piece by what a masked LM puts there, those of several pieces by the words with the most
    similar input embeddings (TinyBERT uses GloVe's). In a question only the context changes,
    outside the answers. In a tagged sentence only words tagged O change, each to one word.
    `fine_tune` reads the output as it reads the table. `augment_examples` makes the same examples
    without files. Source: Jiao et al. 2020 (arXiv:1909.10351), algorithm 1, and TinyBERT's
    data_augmentation.py.

    Finished rows are kept in the directory `OUTPUT.parts` until the output is whole. A run that was
    killed continues from there when it is called with the same arguments, and the output has the
    bytes that it would have had.

    Args:
      table: a training file of the task: a TSV file of GLUE; JSON of questions in SQuAD's layout; a
        CoNLL file of tags; or your own table, as .tsv, .csv or .jsonl. Each may be compressed
        (.gz).
      output: the file to write, in a format that the task reads; packed if the name ends in .gz.
        For your own table the name tells the format: .tsv, .csv or .jsonl.
      task: one of GLUE's, squad, squad_v2 or tagging; or classification, multi_label or regression
        on your own table.
      model: a model directory or a Hugging Face directory with a masked-LM head and a vocabulary;
        or an open `MaskedLM`.
      text, label, second_text: columns of your own table. The output has no other columns.
      settings: None for the published ones.
      shard: (number, count), counted from 1: augment this one of so many equal parts of the table.
        The rows of all shards in order are those of the whole table.
      track: shows the progress; see `running.run.run`.
    Raises:
      InputError: with file and line, for anything wrong in the table; if the model has no masked-LM
        head; if nothing is trained for the task; for a shard without rows; if `OUTPUT.parts` is of
        another table, model or other settings; if the output is the table, or cannot be written.

    Example:
      >>> mb.augment("glue/SST-2/train.tsv", "augmented.tsv", task="sst2",
      ...            model="bert-base-uncased")  # doctest: +SKIP
    """
    table, output = Path(table), Path(output)
    if output.resolve() == table.resolve():
        raise InputError(f"the output {output} is the table itself: name another file")
    found = catalogue.of(task, catalogue.columns(text, label, second_text))
    if not found.kind.is_fine_tuned:
        raise InputError(f"the task {task} is only evaluated: no training file of it is augmented")
    found = found.found_in([table])
    examples = found.read_train([table])
    rows = of_examples.of(examples)
    file_format = rows.file_format(found, output)
    numbers = _shard(len(rows), *shard)
    _check(rows, numbers, file_format)
    settings = (settings or AugmentationSettings()).for_task(task)
    cache = output.with_name(output.name + _PARTS)
    with opened(rows, model, settings, cache) as (augmentor, parts):
        made = of_examples.augmented(rows, numbers, augmentor, parts, track)
        written = _write(output, file_format, made)
        shutil.rmtree(cache, ignore_errors=True)
    return Augmented(output, len(numbers), written, settings, left_out_of(examples))


def _check(rows, numbers, file_format):
    """Refuse an example that the format cannot hold now, and not after hours."""
    for number in numbers:
        file_format.record(rows.augmented(number, [])[0])


def _write(output, file_format, rows):
    """Write all examples of rows; return how many there are."""
    count = 0
    with written_atomically(output) as (temporary,), lines.written(temporary) as file:
        file.write(file_format.head)
        for examples in rows:
            for example in examples:
                file.write(file_format.separator * (count > 0) + file_format.record(example))
                count += 1
        file.write(file_format.tail)
    return count


def _shard(rows, number, count):
    """The numbers of a shard's rows."""
    if not 1 <= number <= count:
        raise InputError(f"shard {number} of {count} does not exist: count from 1")
    found = range(rows * (number - 1) // count, rows * number // count)
    if not found:
        raise InputError(f"shard {number} of {count} has no row: the table has {rows}")
    return found
