"""The section of a model card on how far the probabilities are to be believed."""


def confidence_section(facts: dict) -> str:
    """Return the section on the temperature of a package's files; "" if they have none.

    Args: see `card.model_card`.
    """
    first = facts["files"][0]["confidence"]
    if first is None:
        return ""
    of_files = "\n".join(f"| `{file['file']}` | {file['confidence']['error_of_file']:.4f} |"
                         for file in facts["files"])
    return f"""\
## Confidence

Inside the files, the logits are divided by the temperature {first["temperature"]:.3g}, which \
changes no answer.
It was fitted on {first["fitted_on"]:,} examples of `{facts["evaluated_on"]["file"]}`, \
the 1st, 3rd, 5th and so on.
The other {first["measured_on"]:,} examples ({first["decisions"]:,} decisions) give the expected \
calibration error ({first["bins"]} bins of equal width).
It is 0 if eight of ten answers with probability 0.8 are right, and so on:

| | calibration error |
|---|---|
| Keras model, before | {first["error_before"]:.4f} |
| Keras model, after | {first["error_after"]:.4f} |
{of_files}
"""
