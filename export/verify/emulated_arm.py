"""Emulated Arm: whether a file loads and answers the same on the processor of a phone.

LiteRT's aarch64 build under qemu's user mode, as a cortex-a76: its own kernels, its own rounding.
How long it takes says nothing of a phone, and is not reported. `-cpu max` is no choice: qemu 7.2
computes the int8 matrix instructions of it wrongly.
"""

import dataclasses
import importlib.metadata
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from mobilebert_tf.errors import InputError
from mobilebert_tf.export.verify import answers, debian, tool_cache

_PROCESSOR = "cortex-a76"
# LiteRT reads this file to choose its kernels, and cannot make sense of the host's.
_CPUINFO = "".join(f"""processor\t: {core}
BogoMIPS\t: 50.00
Features\t: fp asimd aes pmull sha1 sha2 crc32 atomics fphp asimdhp asimdrdm lrcpc dcpop asimddp
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: 0xd0b
CPU revision\t: 1

""" for core in range(2))


@dataclasses.dataclass(frozen=True, kw_only=True)
class ArmCheck:
    """What one file did on the emulated processor.

    Args:
      file: its path.
      recipe: how it was exported; None for a file of somebody else.
      processor: what was emulated.
      problem: why it did not run; None where it did.
      agreement: with this machine's outputs; None where it did not run.
      bound: the relative difference that is allowed.
    """

    file: str
    recipe: str | None
    processor: str
    problem: str | None
    agreement: answers.Agreement | None
    bound: float

    @property
    def passed(self) -> bool:
        return (self.agreement is not None
                and self.agreement.max_relative_difference <= self.bound)


def check(files, say: Callable[[str], None] = lambda message: None) -> list[ArmCheck]:
    """Runs files under emulation and on this machine; compares what they answer.

    Args:
      files: paths.
      say: is told what is being done.

    Raises:
      InputError: for a file that does not run on this machine, a system that is not Debian,
        downloads that fail.
    """
    here = {}
    for file in files:
        inputs = answers.sample_inputs(file)
        here[file] = inputs, answers.on_this_cpu(file, inputs)
    version = importlib.metadata.version("ai-edge-litert")
    root = tool_cache.folder(f"arm/ai-edge-litert-{version}", lambda place: _prepare(
        place, version, say))
    return [_check(root, file, *here[file], say) for file in files]


def _check(root, file, inputs, expected, say):
    say(f"Running {file} on an emulated {_PROCESSOR} ...")
    (python,) = (root / "usr/bin").glob("python3.[0-9]*")
    # Nothing of this process's environment: its paths are of the host's Python.
    outputs, log = answers.run(
        [root / "qemu-aarch64-static", "-cpu", _PROCESSOR, "-L", root, python, "-S",
         answers.WORKER], file, inputs,
        environment={"PYTHONPATH": str(root / "wheels"), "PYTHONDONTWRITEBYTECODE": "1"})
    recipe = answers.recipe_of(file)
    return ArmCheck(
        file=str(file), recipe=recipe, processor=f"{_PROCESSOR}, emulated by qemu",
        problem=answers.reason(log) if outputs is None else None,
        agreement=None if outputs is None else answers.compare(expected, outputs),
        bound=answers.bound(recipe))


def _prepare(root, version, say):
    """A root directory with qemu, an arm64 Python and the aarch64 wheels."""
    say("Downloading qemu, Python and LiteRT for arm64, once ...")
    with tempfile.TemporaryDirectory(prefix="mobilebert-qemu-") as directory:
        debian.unpack(["qemu-user-static"], directory)
        emulator = Path(directory) / "usr/bin/qemu-aarch64-static"
        shutil.copy(emulator, root)  # the other processors' are 15 times as large
    debian.unpack(["python3-minimal", "libpython3-stdlib", "libstdc++6"], root, "arm64",
                  with_dependencies=True)
    (root / "proc").mkdir(exist_ok=True)
    (root / "proc/cpuinfo").write_text(_CPUINFO)
    (python,) = (root / "usr/bin").glob("python3.[0-9]*")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "--target", root / "wheels", "--only-binary", ":all:",
         *(f"--platform=manylinux{glibc}_aarch64" for glibc in ("_2_28", "_2_27", "2014")),
         "--python-version", python.name.removeprefix("python"), f"ai-edge-litert=={version}"],
        capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["pip failed"]
        raise InputError(f"pip cannot download ai-edge-litert {version} for aarch64 and "
                         f"{python.name}: {said[-1].removeprefix('ERROR: ')}")
