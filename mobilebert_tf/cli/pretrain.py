"""`mobilebert pretrain`: masked LM and next sentence, without a teacher."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output, training

EXAMPLES = """[bold]Examples[/bold]

mobilebert pretrain --model ib_bert_mini --corpus corpus --steps 20000 --output runs/ib_bert

mobilebert pretrain --model google/mobilebert-uncased --corpus corpus --steps 1000 --learning-rate 1e-4 --output runs/domain

The same command again continues a run that was stopped."""  # noqa: E501


def run(
    model: Annotated[str, typer.Option(
        help="Preset, for random weights, or a directory to start from.")],
    corpus: training.CorpusOption,
    output_directory: Annotated[Path, typer.Option(
        "--output", help="Directory of the run: model/, checkpoints/, logs/, metrics.jsonl.")],
    steps: Annotated[int, typer.Option(min=1, help="Updates.")] = 10_000,
    batch_size: Annotated[int, typer.Option(min=1, help="Sequences an update, in all.")] = 64,
    learning_rate: Annotated[float, typer.Option(help="Peak learning rate.")] = 1.5e-3,
    optimizer: Annotated[str, typer.Option(help="lamb or adamw.")] = "lamb",
    whole_word: Annotated[bool, typer.Option(
        "--whole-word", help="Mask the pieces of a word together.")] = False,
    next_sentence: Annotated[bool, typer.Option(
        help="Whether to train a next-sentence head too; needs a corpus of pairs.")] = True,
    seed: training.SeedOption = 1,
    accumulation: training.AccumulationOption = 1,
    log_every: training.LogOption = 20,
    checkpoint_every: training.CheckpointOption = 200,
    keep: training.KeepOption = 3,
    devices: training.DevicesOption = training.Devices.one,
    precision: training.PrecisionOption = training.Precision.float32,
    deterministic: training.DeterministicOption = False,
    json: output.JsonOption = None,
):
    """Pre-train a model on a corpus: masked LM and next sentence."""
    run_on = training.start(devices, precision, deterministic, seed)
    from mobilebert_tf.data.corpus.directory import CorpusDirectory
    from mobilebert_tf.training import runs
    from mobilebert_tf.training import stages as recipes
    from mobilebert_tf.training.loop import Settings

    def make_stages(components):
        return recipes.pretraining(components, steps, batch_size, learning_rate,
                                   next_sentence, optimizer=optimizer, whole_word=whole_word)

    path = runs.pretrain(
        model=runs.Model(model), make_stages=make_stages,
        heads=("mlm", "nsp") if next_sentence else ("mlm",),
        corpus=CorpusDirectory.load_all(corpus), directory=output_directory, strategy=run_on,
        say=training.say,
        settings=Settings(seed=seed, accumulation=accumulation, log_every=log_every,
                          checkpoint_every=checkpoint_every, keep=keep))
    training.finish(path, output_directory, json, run_on)
