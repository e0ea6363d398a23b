"""Answers: run the same inputs through a file here and elsewhere."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter

from mobilebert_tf import reasons
from mobilebert_tf.checks import check_paths
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.file import metadata, text_inputs

WORKER = Path(__file__).with_name("answers_worker.py")
_SHORTEST = 3  # [CLS], a token, [SEP]


def recipe_of(file) -> str | None:
    """Return a file's recipe; None for a file that this project did not export."""
    try:
        return metadata.read(file).recipe
    except InputError:
        return None


def sample_inputs(file) -> dict[str, np.ndarray]:
    """Make three rows for each signature: three tokens, half the length, the full length.

    Returns:
      arrays by "signature/row/input", for `run`.
    Raises:
      InputError: if LiteRT cannot open the file, or no signature takes ids, mask and segment ids
        of a fixed length.
    """
    try:
        interpreter = Interpreter(model_path=os.fsencode(file))  # names need not be UTF-8
    except (ValueError, RuntimeError, OSError) as error:
        raise InputError(f"cannot check {file}: {reasons.last_line(error)}") from error
    try:
        vocab_size = metadata.read(file).config.vocab_size
    except InputError:
        vocab_size = 100  # every vocabulary has more
    random = np.random.default_rng(0)
    inputs, problem = {}, "it has no signature"
    for signature in interpreter.get_signature_list():
        details = {name: (one["shape_signature"], one["dtype"]) for name, one in
                   interpreter.get_signature_runner(signature).get_input_details().items()}
        try:
            length = text_inputs.length(details)
        except ValueError as error:
            problem = error
            continue
        for row, tokens in enumerate((_SHORTEST, (length + 1) // 2, length)):
            values = _row(length, tokens, vocab_size, random)
            for name, role in text_inputs.roles(details).items():
                _, dtype = details[name]
                inputs[f"{signature}/{row}/{name}"] = values[role].astype(dtype)
    if not inputs:
        raise InputError(f"cannot check {file}: {problem}")
    return inputs


def on_this_cpu(file, inputs) -> dict[str, np.ndarray]:
    """Run the file on this machine's CPU kernels; return outputs by "signature/row/output".

    Raises:
      InputError: if LiteRT cannot run the file.
    """
    outputs, log = run([sys.executable, WORKER], file, inputs)
    if outputs is None:
        raise InputError(f"cannot check {file}: {reason(log)}")
    return outputs


def expected(files) -> list[tuple]:
    """Return (file, inputs, outputs) of each file, as this machine's CPU answers.

    Raises:
      InputError: for no file, and one that does not run here.
    """
    check_paths(files=files)
    found = []
    for file in files:
        inputs = sample_inputs(file)
        found.append((file, inputs, on_this_cpu(file, inputs)))
    return found


def run(command, file, inputs, environment=None):
    """Run a worker on a file: `COMMAND FILE INPUTS OUTPUTS`.

    Args:
      command: list that starts a script which reads and writes .npz files.
      inputs: of `sample_inputs`.
      environment: of the process; None for that of this process.

    Returns:
      (outputs, log): outputs by "signature/row/output", None if the worker failed; its output, with
      the status it ended with if it failed.
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
    """Return why a worker failed: its last exception's message, or how its process ended."""
    *said, ended = [line.strip() for line in log.splitlines() if line.strip()]
    told = [line for line in said if "Error: " in line]
    return told[-1].partition("Error: ")[2] if told else ended


def _row(length, tokens, vocab_size, random):
    mask = (np.arange(length) < tokens)[np.newaxis].astype(np.int32)
    return {"ids": random.integers(0, vocab_size, (1, length)) * mask, "mask": mask,
            "segment_ids": (np.arange(length) >= tokens // 2) * mask}
