"""`mobilebert augment`: a larger training file, by TinyBERT's data augmentation."""

import functools
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.augmentation.settings import OTHER_DRAWS, AugmentationSettings
from mobilebert_tf.cli import output, tasks
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.counted import counted
from mobilebert_tf.terminal.progress import track

EXAMPLES = """[bold]Examples[/bold]

mobilebert augment glue/SST-2/train.tsv --task sst2 --model bert-base-uncased --output augmented.tsv

mobilebert augment mails/train.csv --task classification --text body --label folder --model runs/teacher/model --draws 5 --output augmented.jsonl

mobilebert augment squad/train-v2.0.json --task squad_v2 --model bert-base-uncased --draws 2 --output augmented.json.gz

mobilebert augment slots/train.bio --task tagging --model bert-base-uncased --output augmented.bio

mobilebert augment glue/MNLI/train.tsv --task mnli --model bert-base-uncased --shard 1/4 --output augmented_1.tsv

mobilebert finetune --task sst2 --train augmented.tsv --dev glue/SST-2/dev.tsv --checkpoint models/mobilebert_mini --pooler mean --learning-rate 1.5e-4 --output runs/sst2"""  # noqa: E501


def run(
    table: Annotated[Path, typer.Argument(
        help="Training file of the task: GLUE's .tsv; .json of questions; a CoNLL file; or your "
             "own .tsv, .csv or .jsonl. Each may be compressed (.gz).")],
    task: Annotated[str, typer.Option(
        help="One of GLUE's, squad, squad_v2 or tagging; or classification, multi_label or "
             "regression on your own table.")],
    model: Annotated[Path, typer.Option(
        help="Model or Hugging Face directory with a masked-LM head.")],
    output_file: Annotated[Path, typer.Option(
        "--output", metavar="FILE",
        help="The new file, original rows included, in a format of the task; packed if it ends in "
             ".gz. A killed run continues from FILE.parts.")],
    text: tasks.TextOption = None,
    second_text: tasks.SecondTextOption = None,
    label: tasks.LabelOption = None,
    draws: Annotated[int | None, typer.Option(
        help="New rows to try for each row. By default the published number of the task, and "
             f"{OTHER_DRAWS} for others.")] = AugmentationSettings.draws,
    candidates: Annotated[int, typer.Option(
        help="Words that a word may be replaced by.")] = AugmentationSettings.candidates,
    probability: Annotated[float, typer.Option(
        help="Probability of replacing a word.")] = AugmentationSettings.probability,
    seed: Annotated[int, typer.Option(
        help="Seed of the draws.")] = AugmentationSettings.seed,
    as_published: Annotated[bool, typer.Option(
        "--as-published", help="Do as TinyBERT's code does: new second texts go with the last new "
                               "first text, special pieces may replace words, long texts are cut.",
    )] = AugmentationSettings.as_published,
    shard: Annotated[str, typer.Option(
        metavar="NUMBER/COUNT", help="Augment one part of the table: 1/4 is the first of four.",
    )] = "1/1",
    json: output.JsonOption = None,
):
    """Augment a training file with rows in which some words are replaced.

    A killed run continues when it is started again with the same arguments.
    """
    parts = _parts(shard)
    from mobilebert_tf.augmentation.augment import augment

    found = augment(
        table, output_file, task=task, model=model, text=text, label=label,
        second_text=second_text, shard=parts, settings=AugmentationSettings(
            draws=draws, candidates=candidates, probability=probability, seed=seed,
            as_published=as_published),
        track=functools.partial(track, unit="rows"))
    tasks.say_left_out(found.left_out)
    output.results.print(f"{counted(found.written, 'row')} in {found.output}, made of "
                         f"{counted(found.rows, 'row')}",
                         soft_wrap=True)
    output.write_json(json, {**found.to_json(), **tasks.left_out(found.left_out)})


def _parts(shard):
    try:
        number, count = map(int, shard.split("/"))
    except ValueError as error:
        raise InputError(f"--shard should be a number and a count, such as 1/4, and is {shard}"
                         ) from error
    return number, count
