"""augment: a larger training table, by TinyBERT's data augmentation."""

import os
import shutil
from pathlib import Path

from mobilebert_tf.augmentation import rows as of_examples
from mobilebert_tf.augmentation import table_format
from mobilebert_tf.augmentation.augment_examples import opened
from mobilebert_tf.augmentation.augmented import Augmented
from mobilebert_tf.augmentation.masked_lm import MaskedLM
from mobilebert_tf.augmentation.settings import AugmentationSettings
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
    """Write a table with every row of another, each followed by its new rows.

    A new row has the label of the original and texts in which some words are replaced: those of one
    piece by what a masked LM puts there, those of several pieces by the words with the most similar
    input embeddings (TinyBERT uses GloVe's). `fine_tune` reads the output as it reads the table.
    Source: Jiao et al. 2020 (arXiv:1909.10351), algorithm 1, and TinyBERT's data_augmentation.py.

    Args:
      table: a training file of the task: a TSV file of GLUE; or your own, as .tsv, .csv or .jsonl,
        which may be compressed (.gz).
      output: the file to write, when all rows are made: .tsv; for your own table also .jsonl.
      task: one of GLUE's, or classification, multi_label or regression on your own table.
      model: a model directory or a Hugging Face directory with a masked-LM head and a vocabulary;
        or an open `MaskedLM`.
      text, label, second_text: columns of your own table.
      settings: None for the published ones.
      shard: (number, count), counted from 1: augment this one of so many equal parts of the table.
        The rows of all shards in order are those of the whole table.
      track: shows the progress; see `running.run.run`.
    Raises:
      InputError: with file and line, for anything wrong in the table; if the model has no masked-LM
        head; if the task has no table; for a shard without rows; if the output cannot be written.

    Example:
      >>> mb.augment("glue/SST-2/train.tsv", "augmented.tsv", task="sst2",
      ...            model="bert-base-uncased")  # doctest: +SKIP
    """
    table, output = Path(table), Path(output)
    found = catalogue.of(task, catalogue.columns(text, label, second_text))
    table_format.of(found, output)
    found = found.found_in([table])
    examples = found.read_train([table])
    rows = of_examples.of(examples)
    numbers = _shard(len(examples), *shard)
    layout = table_format.of(found, output)
    for number in numbers:  # so that no text is refused after hours
        layout.line(_texts(examples, number), examples.labels[number])
    settings = (settings or AugmentationSettings()).for_task(task)
    cache = output.with_name(output.name + _PARTS)
    written = 0
    with opened(rows, model, settings, cache) as (augmentor, parts):
        with (written_atomically(output) as (temporary,),
              open(temporary, "w", encoding="utf-8", newline="") as file):
            file.write(layout.first_line())
            for made in of_examples.augmented(rows, numbers, augmentor, parts, track):
                file.writelines(layout.line(row.texts, row.label) for row in made)
                written += len(made)
        shutil.rmtree(cache, ignore_errors=True)
    return Augmented(output, len(numbers), written, settings, left_out_of(examples))


def _texts(examples, number):
    columns = (examples.texts, examples.second_texts)
    return tuple(column[number] for column in columns if column is not None)


def _shard(rows, number, count):
    """The numbers of a shard's rows."""
    if not 1 <= number <= count:
        raise InputError(f"shard {number} of {count} does not exist: count from 1")
    found = range(rows * (number - 1) // count, rows * number // count)
    if not found:
        raise InputError(f"shard {number} of {count} has no row: the table has {rows}")
    return found
