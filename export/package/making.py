"""The section of a model card on how the model was made."""

from mobilebert_tf.export import recipes

# Settings that do not change the trained weights.
_OF_THE_PROCESS = ("log_every", "checkpoint_every", "keep", "validation_steps", "devices",
                   "deterministic")


def making(facts: dict, command: str) -> str:
    """Return the section on how a package's model was made.

    Args: see `card.model_card`.
    """
    training = facts["training"]
    if training is None:
        made = "How the model was trained is not recorded."
    else:
        start = (f"random weights of the preset {training['preset']}"
                 if training["checkpoint"] is None else f"the checkpoint {training['checkpoint']}")
        settings = ", ".join(f"{name} {value}" for name, value in training["settings"].items()
                             if name not in _OF_THE_PROCESS)
        teacher = training["teacher"]
        way = "Fine-tuned" if teacher is None else f"Distilled from the teacher {teacher}"
        made = (f"{way} on the training set of the task {training['task']}{_augmented(training)}"
                f"{_more_texts(training)}\nfrom {start}, "
                f"with\n{settings}.{_stages(training)}")
    if facts["trained_on"] is not None:
        made += f"\n\nData: {facts['trained_on']}."
    calibrated = [file["recipe"] for file in facts["files"]
                  if recipes.get(file["recipe"]).calibrated]
    if calibrated:
        made += (f"\n\nRanges of activations of {' and '.join(calibrated)}: learned from texts of "
                 "the training set.")
    return f"""\
## How it was made

{made}

```
{command}
```

Licences: `NOTICE.txt`.
"""


def _augmented(training):
    draws = training["augment"]
    return f", with up to {draws} new examples made of each of its own," if draws else ""


def _more_texts(training):
    more = training["unlabelled"]
    return "" if more is None else (
        f" and on {more['examples']:,} texts without labels\nof {', '.join(more['files'])},")


def _stages(training):
    return "".join(
        f"\n\nStage {stage['name']}: {stage['steps']:,} updates of {stage['batch_size']} rows, "
        f"learning rate {stage['learning_rate']:g}, losses "
        + ", ".join(f"{name} {weight:g}" for name, weight in stage["losses"].items()) + "."
        for stage in training["stages"])
