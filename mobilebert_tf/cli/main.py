"""The entry point of `mobilebert`. TensorFlow is not imported here, so that `--help` is fast."""

import errno
import sys

import typer

from mobilebert_tf.cli import (
    augment,
    benchmark,
    benchmark_phone,
    benchmark_training,
    cascade,
    check_arm,
    check_gpu,
    compare,
    convert,
    corpus,
    demo,
    distill,
    embed,
    evaluate,
    examples,
    export,
    finetune,
    lengths,
    models,
    output,
    package,
    predict,
    presets,
    pretrain,
    quickstart,
    score,
    search,
    startup,
    tokenize,
    tune,
    vocab,
)
from mobilebert_tf.errors import InputError

app = typer.Typer(
    name="mobilebert",
    help="MobileBERT, from text to a measured .tflite file.",
    no_args_is_help=True, rich_markup_mode="rich", add_completion=False,
    pretty_exceptions_enable=False)
_COMMANDS = (quickstart, presets, models, tokenize, vocab, corpus, pretrain, distill, augment,
             finetune, evaluate, convert, export, package, demo, predict, embed, score, search,
             lengths, cascade, tune, benchmark, benchmark_phone, benchmark_training, compare,
             check_arm, check_gpu)
for command in _COMMANDS:
    name = command.__name__.rpartition(".")[2].replace("_", "-")
    app.command(name, epilog=examples.folded(command.EXAMPLES))(command.run)


def main() -> None:
    """Run the command line; exit with 0, with 1 for a failed check, or with 2 for bad input."""
    startup.printable_streams()
    try:
        with startup.own_temporary_directory():
            startup.quiet_tensorflow()
            app()
    except InputError as error:
        output.fail("Error:", str(error))
        sys.exit(2)
    except OSError as error:
        # Results may be printed into a file too.
        if error.errno != errno.ENOSPC:
            raise
        output.fail("Error:", "no space is left on a disk that the command writes to")
        sys.exit(2)
