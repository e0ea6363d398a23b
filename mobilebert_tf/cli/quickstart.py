"""`mobilebert quickstart`: the whole road once, from text to a latency figure, in minutes."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import benchmark, output, startup

EXAMPLES = """[bold]Examples[/bold]

mobilebert quickstart

mobilebert quickstart --steps 6000 --output runs/longer"""

_SENTENCES = (
    "this function returns a [MASK] object.",
    "if the expression is [MASK], an exception is raised.",
)


def run(
    directory: Annotated[Path, typer.Option(
        "--output", help="Directory for the model and its .tflite.")] = Path("runs/quickstart"),
    steps: Annotated[int, typer.Option(min=10, help="Training steps.")] = 1200,
    json: output.JsonOption = None,
):
    """Train, export and run a small model, then measure MobileBERT against BERT-base."""
    startup.tensorflow()
    from mobilebert_tf import export, files, model_directory, quickstart
    from mobilebert_tf.export import prediction
    from mobilebert_tf.model_directory import ModelDirectory

    def say(line):
        output.results.print(f"[bold]>[/bold] {line}")

    model, vocabulary = quickstart.train(steps - steps % 10, epochs=10, say=say,
                                         verbose=1 if sys.stdout.isatty() else 2)
    model_directory.save(directory, ModelDirectory(model, vocabulary, None, True))

    file = directory / "quickstart_dynamic_int8.tflite"
    result = export.to_tflite(model, "dynamic_int8", (quickstart.LENGTH,), vocabulary=vocabulary)
    files.write_atomically(file, result.model)
    say(f"Exported to {file}: {len(result.model) / 1e6:.2f} MB, vocabulary inside.")

    say("Filling [MASK] through LiteRT, as a phone would (a small model after minutes of "
        "training: expect words that fit, not knowledge):".replace("[MASK]", "\\[MASK]"))
    predictions = prediction.predict(export.Runner(file), list(_SENTENCES), top_k=3)
    for one in predictions:
        best = ", ".join(f"{piece['piece']} {piece['probability']:.2f}"
                         for piece in one["masks"][0])
        output.results.print(f"  {one['text'].replace('[MASK]', f'[{best}]')}", markup=False)

    say("Now the size and latency of MobileBERT against BERT-base, full size, random weights.")
    records = benchmark.measure(["mobilebert", "bert_base"])
    output.results.print(f"""
[bold]What to try next[/bold]
  mobilebert predict {file} "a list is a \\[MASK]."
  mobilebert finetune --task sst2 --data glue/SST-2 --preset mobilebert_nano --output runs/sst2
  mobilebert benchmark --presets mobilebert,mobilebert_tiny,tinybert_4l,bert_base
  mobilebert presets""", soft_wrap=True)
    output.write_json(json, {"file": str(file), "bytes": len(result.model),
                             "predictions": predictions, "benchmark": records})
