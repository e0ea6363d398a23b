"""Answers: the same inputs through a file here and elsewhere, and how far the outputs are apart."""

import dataclasses
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter

from mobilebert_tf.errors import InputError
from mobilebert_tf.export.file import metadata

WORKER = Path(__file__).with_name("answers_worker.py")
_SHORTEST = 3  # [CLS], a token, [SEP]
_FLOAT_RECIPES = ("float32", "float16")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Agreement:
    """How near the outputs of two places are to each other.

    Args:
      outputs: how many the file has, over all its signatures.
      max_difference: largest absolute difference of any value.
      max_relative_difference: the same of each output, divided by its largest absolute value;
        infinite where a value is no number.
      same_best: share of rows with the same highest value: of classes, or of positions. Values
        that are almost equal may change places however near the outputs are.
    """

    outputs: int
    max_difference: float
    max_relative_difference: float
    same_best: float

    def sentence(self, bound: float) -> str:
        """For people, beside what is allowed."""
        return (f"largest relative difference {self.max_relative_difference:.1e} (allowed "
                f"{bound:.0e}), the best value the same in {100 * self.same_best:.1f} % of rows")


def bound(recipe: str | None) -> float:
    """The relative difference that a file of this recipe may show between two processors.

    Float kernels differ by the order of their sums. Where activations are quantized, that alone
    turns some values to the neighbouring step, 1/127 of a row's largest, and every block does so
    again: dynamic int8 was seen to differ by up to 0.021 between x86-64 and cortex-a76. A file of
    unknown recipe is taken for one of those.
    """
    return 1e-5 if recipe in _FLOAT_RECIPES else 0.05


def recipe_of(file) -> str | None:
    """The recipe that the file says it was made by; None for a file of somebody else."""
    try:
        return metadata.read(file).recipe
    except InputError:
        return None


def sample_inputs(file) -> dict[str, np.ndarray]:
    """Three rows for each signature: three tokens, half the length, the full length.

    Returns:
      arrays by "signature/row/input", what `answers_worker` reads.
    Raises:
      InputError: where LiteRT cannot open the file, or its inputs are not ids, mask and segment
        ids of a fixed length.
    """
    try:
        interpreter = Interpreter(model_path=str(file))
    except (ValueError, RuntimeError, OSError) as error:
        raise InputError(f"cannot check {file}: {str(error).strip().splitlines()[-1]}") from error
    try:
        vocab_size = metadata.read(file).config.vocab_size
    except InputError:
        vocab_size = 100  # every vocabulary has as many
    random = np.random.default_rng(0)
    inputs = {}
    for signature in interpreter.get_signature_list():
        details = interpreter.get_signature_runner(signature).get_input_details()
        if len(details) != 3 or any(
                not np.issubdtype(one["dtype"], np.integer) or len(one["shape"]) != 2
                or -1 in one["shape_signature"] for one in details.values()):
            continue
        length = next(iter(details.values()))["shape"][1]
        for row, tokens in enumerate((_SHORTEST, (length + 1) // 2, length)):
            values = _row(length, tokens, vocab_size, random)
            for name, one in details.items():
                kind = "mask" if "mask" in name else (
                    "segment" if "segment" in name or "type" in name else "ids")
                inputs[f"{signature}/{row}/{name}"] = values[kind].astype(one["dtype"])
    if not inputs:
        raise InputError(f"cannot check {file}: it should have a signature of three integer "
                         "inputs of a fixed shape (1, length): ids, mask, segment ids")
    return inputs


def on_this_cpu(file, inputs) -> dict[str, np.ndarray]:
    """The file's outputs, by "signature/row/output", through this machine's CPU kernels.

    Raises:
      InputError: where LiteRT cannot run the file.
    """
    outputs, log = run([sys.executable, WORKER], file, inputs)
    if outputs is None:
        raise InputError(f"cannot check {file}: {reason(log)}")
    return outputs


def run(command, file, inputs, environment=None):
    """Runs a worker on a file: `command FILE INPUTS OUTPUTS`.

    Args:
      command: starts a script that reads and writes .npz files, as a list.
      inputs: of `sample_inputs`.
      environment: of the process; None for this one's.

    Returns:
      (outputs, log): outputs by "signature/row/output", or None where it failed; log is all that
      it said, and how it ended where it failed.
    """
    with tempfile.TemporaryDirectory(prefix="mobilebert-check-") as directory:
        asked, answered = Path(directory) / "inputs.npz", Path(directory) / "outputs.npz"
        np.savez(asked, **inputs)
        done = subprocess.run(
            [*map(str, command), str(Path(file).resolve()), str(asked), str(answered)],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace")
        if done.returncode:
            return None, f"{done.stdout}\nits process ended with {done.returncode}\n"
        with np.load(answered) as outputs:
            return dict(outputs), done.stdout


def reason(log: str) -> str:
    """Why a worker failed: the last message of an exception, or how the process ended."""
    *said, ended = [line.strip() for line in log.splitlines() if line.strip()]
    told = [line for line in said if "Error: " in line]
    return told[-1].partition("Error: ")[2] if told else ended


def compare(expected, actual) -> Agreement:
    """How near `actual` is to `expected`; both of the same keys."""
    if expected.keys() != actual.keys():
        raise ValueError(f"other outputs. Received: {sorted(expected)} and {sorted(actual)}")
    names = {(signature, output) for signature, _, output in map(_split, expected)}
    differences, relative, same = [], [], []
    for name in names:
        keys = [key for key in expected if _split(key)[::2] == name]
        here, there = (np.concatenate([values[key] for key in keys]).astype(np.float64)
                       for values in (expected, actual))
        difference = np.abs(here - there).max()
        differences.append(difference)
        relative.append(difference / max(np.abs(here).max(), 1e-30))
        same.append(np.mean(here.argmax(-1) == there.argmax(-1)))
    finite = np.isfinite(differences).all()
    return Agreement(
        outputs=len(names),
        max_difference=float(max(differences)) if finite else float("inf"),
        max_relative_difference=float(max(relative)) if finite else float("inf"),
        same_best=float(np.mean(same)))


def _row(length, tokens, vocab_size, random):
    mask = (np.arange(length) < tokens)[np.newaxis].astype(np.int32)
    return {"ids": random.integers(0, vocab_size, (1, length)) * mask, "mask": mask,
            "segment": (np.arange(length) >= tokens // 2) * mask}


def _split(key):
    return tuple(key.rsplit("/", 2))
