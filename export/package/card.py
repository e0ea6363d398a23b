"""The texts of a package for people: its model card and its licence notes."""

import json
import shlex

from mobilebert_tf import kinds
from mobilebert_tf.export.package.confidence_section import confidence_section
from mobilebert_tf.export.package.making import making

# A line takes so many labels; of more it names some, and labels.txt has all.
_MOST_LABELS, _SOME_LABELS = 30, 10


def model_card(facts: dict, command: str) -> str:
    """Return README.md of a package, with the front matter that the Hugging Face hub reads.

    Args:
      facts: the content of the package's model.json.
      command: the command that makes the package.
    """
    sections = (_front_matter, _files, confidence_section, _use, _limitations)
    written = [*(section(facts) for section in sections), making(facts, command)]
    return "\n".join(text for text in written if text)


def notice(facts: dict) -> str:
    """Return NOTICE.txt of a package: the licences that its publisher has stated."""
    origin = ("has not been stated by who published this folder" if facts["base_model"] is None
              else f"is {facts['base_model']}, as who published this folder states")
    licence = ("Their licence has not been stated: ask before you ship them."
               if facts["licence"] is None else f"Their licence, as stated: {facts['licence']}.")
    data = "" if facts["trained_on"] is None else f"\nThe data: {facts['trained_on']}.\n"
    return f"""\
{facts["name"]}: what belongs to whom

The code that made these files, mobilebert-tf {facts["versions"]["mobilebert-tf"]}:
Apache License 2.0, https://www.apache.org/licenses/LICENSE-2.0

Weights and vocabulary (the .tflite files, vocab.txt): the model that they come from
{origin}.
{licence}

The texts of the task {facts["task"]} that the model was evaluated on, and those that it was
trained on, are not in this folder; they have terms of their own.
{data}"""


def _front_matter(facts):
    kind = _of_kind(facts)
    fields = {"license": facts["licence"] or "unknown", "library_name": "litert",
              "pipeline_tag": kind.pipeline_tag, "base_model": facts["base_model"]}
    lines = [f"{name}: {value}" for name, value in fields.items() if value is not None]
    return "\n".join(["---", *lines, "metrics:",
                      *(f"- {name}" for name in kind.metrics[_metric(facts)]), "tags:",
                      "- tflite", "- mobilebert-tf", "---", ""])


def _files(facts):
    kind, metric = _of_kind(facts), _metric(facts)
    tested_on = facts["tested_on"]
    columns = ("file", "recipe", "MB", "minimum runtime", f"{metric}, Keras model",
               f"{metric}, file", "equal predictions", "largest difference",
               *((f"{metric} on test, Keras model", f"{metric} on test, file")
                 if tested_on else ()))
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    rows = "\n".join(_row(_cells(file, tested_on)) for file in facts["files"])
    measured = f"Measured on {_examples(facts['evaluated_on'])}"
    if tested_on:
        measured += f",\nand tested on {_examples(tested_on)}"
    inside = "vocabulary" if facts["labels"] is None else "vocabulary and labels"
    return f"""\
# {facts["name"]}

{_filled(kind.title, facts)}
{facts["parameters"]:,} parameters; inputs of {", ".join(map(str, facts["lengths"]))} tokens;
{inside} inside every file.

## Files

{_row(columns)}
{_row(["---"] * len(columns))}
{rows}

The minimum runtime is the oldest TensorFlow Lite known to run the file; LiteRT 2 is newer.
The largest difference is of {kind.quantity}, file against Keras model. `model.json` has all of
this for programs; `sha256sum -c SHA256SUMS` checks the download.

{_weaknesses(facts)}\
{measured}, on {facts["machine"]} with
{versions}.
Latency was not measured.
"""


def _weaknesses(facts):
    """A paragraph on the files whose comparison with the Keras model says little."""
    weak = [(file["file"], file["gate"]["weaknesses"]) for file in facts["files"]
            if file["gate"]["weaknesses"]]
    if not weak:
        return ""
    # Most sentences hold for all files.
    together = {}
    for file, sentences in weak:
        for sentence in sentences:
            together.setdefault(sentence, []).append(f"`{file}`")
    lines = "\n".join(f"- {', '.join(files)}: {sentence}" for sentence, files in together.items())
    return f"**The comparison with the Keras model is weak**, though passed:\n\n{lines}\n\n"


def _examples(file):
    """The name of a data file with its number of examples."""
    named = f"the {file['examples']:,} examples of `{file['file']}`"
    if file["sha256"] is not None:
        named += f"\n(sha256 {file['sha256'][:16]}...)"
    return named


def _cells(file, tested_on):
    gate = file["gate"]
    largest = max(output["max"] for output in gate["outputs"].values())
    equal = gate["equal_predictions"]
    return (file["file"], file["recipe"], f"{file['bytes'] / 1e6:.2f}", file["minimum_runtime"],
            f"{gate['model_score']:.4f}", f"{gate['file_score']:.4f}",
            "-" if equal is None else f"{100 * equal:.1f} %", f"{largest:.1g}",
            *(("not known" if score is None else f"{score:.4f}"
               for score in (tested_on["model_score"], file["test_score"])) if tested_on else ()))


def _use(facts):
    kind, file, length = _of_kind(facts), _smallest(facts), facts["lengths"][-1]
    signature, (text, pair) = facts["signatures"][str(length)], kind.texts
    if facts["samples"] and not facts["pairs"]:
        text = facts["samples"][0]
    texts, arguments = _python([text]), shlex.quote(text)
    if facts["pairs"]:
        texts = f"{texts}, {_python([pair])}"
        arguments = f"{arguments} --second-text {shlex.quote(pair)}"
    arguments = kind.predict_arguments.format(text=arguments)
    arrays = "\n".join(f"- `{name}` is read as `{_kotlin_array(output['shape'])}`"
                       for name, output in facts["outputs"].items())
    outputs = ", ".join(f'"{name}"' for name in facts["outputs"])
    return f"""\
## Use

Python, with `ai-edge-litert`, and `mobilebert-tf` for the tokenizer:

```python
from ai_edge_litert.interpreter import Interpreter
from mobilebert_tf.text import Tokenizer, encode_batch

tokenizer = Tokenizer("vocab.txt", lower_case={facts["lower_case"]})
inputs = encode_batch(tokenizer, {texts}, length={length})
interpreter = Interpreter("{file}")
run = interpreter.get_signature_runner("{signature}")
outputs = run(ids=inputs["input_word_ids"], mask=inputs["input_mask"],
              segment_ids=inputs["input_type_ids"])
print({_filled(kind.answer, facts)})
```

{_filled(kind.reading, facts)}

Or `mobilebert predict {file} {arguments}`.

Android, with `com.google.ai.edge.litert:litert`, version 2. The project's `docs/clients.md` has a
whole app, with a core in Kotlin that tokenizes and makes answers; this runs the model alone:

- `ids`, `mask` and `segmentIds` are `IntArray({length})`
{arrays}

```kotlin
val model = CompiledModel.create(
    assets, "{file}", CompiledModel.Options(Accelerator.CPU))
val given = mapOf("ids" to ids, "mask" to mask, "segment_ids" to segmentIds).mapValues {{
    model.createInputBuffer(it.key, "{signature}").apply {{ writeInt(it.value) }} }}
val outputs = listOf({outputs}).associateWith {{
    model.createOutputBuffer(it, "{signature}") }}
model.run(given, outputs, "{signature}")
val found = outputs.mapValues {{ it.value.readFloat() }}
```

{_mediapipe(kind.mediapipe, facts, file)}
"""


def _mediapipe(client, facts, file):
    if client is None or facts["pairs"]:
        return "MediaPipe Tasks have nothing for it."
    if not facts["lower_case"]:
        return f"MediaPipe's {client} lower-cases whatever it is given, so it takes none of these."
    if len(facts["lengths"]) > 1:
        return f"MediaPipe's {client} takes files of one length only, so none of these."
    return (f'MediaPipe: `{client}.createFromFile(context, "{file}")`, with\n'
            "`com.google.mediapipe:tasks-text`. It tokenizes by itself, but lower-cases ASCII only "
            "and\nkeeps accents.")


def _limitations(facts):
    casing = ("Text is lower-cased and loses its accents" if facts["lower_case"]
              else "Text keeps its case")
    kind = _of_kind(facts)
    found = list(kind.limitations)
    if kind.uncalibrated is not None and not facts["files"][0]["confidence"]:
        found.append(kind.uncalibrated)
    of_kind = "\n".join(f"- {_filled(text, facts)}" for text in found)
    return f"""\
## Limitations

{of_kind}
- {casing} before it is split; a tokenizer that does otherwise gives other predictions.
- {_chosen_by(facts)}
"""


def _chosen_by(facts):
    """A sentence on what the dev and the test set chose, and so how far to trust their scores."""
    training = facts["training"]
    if training is None:
        dev_set = "may have been used in training, which is not recorded"
    elif training["read_dev_set"] is False:
        dev_set = "was not read in training"
    elif training["scorings"] is None:
        dev_set = "may have chosen the epoch, which is not recorded"
    elif training["scorings"] == 1:
        dev_set = "chose no epoch: there is one. Whether it chose settings is not recorded"
    else:
        dev_set = "also chose the best epoch, so its scores flatter"
    if facts["tested_on"] is None:
        return f"There is no test set: all scores are of the dev set. It {dev_set}."
    return (f"The dev set {dev_set}. The test set chose nothing: its scores are what to expect of "
            "texts like these.")


def _python(texts):
    """Texts as Python writes them, in double quotes."""
    return json.dumps(texts, ensure_ascii=False)


def _labels(labels):
    """All labels in a line, or the first of very many."""
    if len(labels) <= _MOST_LABELS:
        return ", ".join(labels)
    return f"{', '.join(labels[:_SOME_LABELS])} and {len(labels) - _SOME_LABELS} more"


def _filled(text, facts):
    labels, settings = facts["labels"] or (), facts["settings"] or {}
    return text.format(
        labels=_labels(labels), task=facts["task"],
        texts="pairs of texts" if facts["pairs"] else "texts", longest=facts["lengths"][-1],
        width=next(iter(facts["outputs"].values()))["shape"][-1],
        **settings, **kinds.get(facts["kind"]).card_fields(labels, settings))


def _kotlin_array(shape):
    """LiteRT for Kotlin gives the numbers of an output in one row."""
    return f"FloatArray({' * '.join(map(str, shape[1:]))})"


def _of_kind(facts):
    return kinds.get(facts["kind"]).card


def _row(cells):
    return f"| {' | '.join(cells)} |"


def _metric(facts):
    return facts["files"][0]["gate"]["metric"]


def _smallest(facts):
    return min(facts["files"], key=lambda file: file["bytes"])["file"]
