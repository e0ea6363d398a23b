"""`mobilebert quickstart`: from a shipped model to a latency figure, in minutes."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import benchmark, output
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.waiting import waiting

EXAMPLES = """[bold]Examples[/bold]

mobilebert quickstart

mobilebert quickstart --model runs/mini/model --query "Where can I eat?\""""

_LENGTH = 32
_SENTENCES = (
    "The forecast says heavy showers until the evening.",
    "You need a password to open the account.",
    "The restaurant on the corner serves fresh fish.",
    "A train to the coast leaves every hour.",
    "The doctor told him to stay in bed for a week.",
)


def run(
    model: Annotated[Path, typer.Option(
        help="Directory of an encoder with its vocabulary.")] = Path("models/mobilebert_mini"),
    directory: Annotated[Path, typer.Option(
        "--output", help="Directory for the .tflite.")] = Path("runs/quickstart"),
    query: Annotated[str, typer.Option(
        help="Text to rank five sentences for.")] = "Is it going to rain today?",
    json: output.JsonOption = None,
):
    """Export and run a shipped model, then measure MobileBERT against BERT-base."""
    if not model.is_dir():
        raise InputError(f"there is no directory {model}: run this in a checkout of the "
                         "repository, or name a model directory with --model")
    from mobilebert_tf import export, files, model_directory
    from mobilebert_tf.inference.predict import rank
    from mobilebert_tf.kinds.embedding import cosine_in_words

    def say(line):
        output.results.print(f"> {line}", style="bold")

    contents = model_directory.load(model)
    encoder = contents.model.encoder
    say(f"{model}: a MobileBERT of {encoder.config.num_blocks} blocks, "
        f"{encoder.count_params():,} parameters.")
    file = directory / "quickstart_dynamic_int8.tflite"
    with waiting(f"Exporting {model}"):
        result = export.to_tflite(encoder, "dynamic_int8", (_LENGTH,),
                                  vocabulary=contents.vocabulary, lower_case=contents.lower_case)
    files.write_atomically(file, result.model)
    say(f"Exported to {file}: {len(result.model) / 1e6:.2f} MB, vocabulary inside.")

    say(f"Which sentence answers {query!r}? Cosines of sentence embeddings, through LiteRT, as a "
        "phone would:")
    ranking = rank(export.Runner(file), query, _SENTENCES)
    for cosine, sentence in ranking:
        output.results.print(f"  {cosine_in_words(cosine, digits=2)}  {sentence}")

    say("Now the size and latency of MobileBERT against BERT-base, full size, random weights.")
    measured = benchmark.of_models()
    benchmark.show(measured)
    output.results.print("\nWhat to try next", style="bold")
    output.results.print(f"""\
  mobilebert finetune --task sst2 --data glue/SST-2 --checkpoint {model} \\
    --learning-rate 1.5e-4 --output runs/sst2
  mobilebert benchmark --presets mobilebert,mobilebert_tiny,tinybert_4l,bert_base
  mobilebert presets""", soft_wrap=True)
    output.write_json(json, {"file": str(file), "bytes": len(result.model), "query": query,
                             "ranking": [{"cosine": cosine, "sentence": sentence}
                                         for cosine, sentence in ranking],
                             "benchmark": measured.facts})
