"""Emulated Arm: check that a file loads and answers the same on a phone's processor.

LiteRT's aarch64 build runs under qemu's user mode as a cortex-a76, with its own kernels and its own
rounding. Its speed says nothing about a phone and is not reported. `-cpu max` is not used, since
qemu 7.2 computes its int8 matrix instructions wrongly.
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
from mobilebert_tf.export.verify import answers, downloads
from mobilebert_tf.export.verify.check import Check

_PROCESSOR = "cortex-a76"
# LiteRT reads this file to choose its kernels; it does not understand the host's.
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
class ArmCheck(Check):
    """The result for one file; `processor` is the emulated one."""

    processor: str = f"{_PROCESSOR}, emulated by qemu"

    def _place(self):
        return self.processor


def check(files, say: Callable[[str], None] = lambda message: None) -> list[ArmCheck]:
    """Run files under emulation and on this machine, and compare their outputs.

    Args:
      files: paths.
      say: receives a sentence before each step.

    Raises:
      InputError: for a file that does not run on this machine, a system that is not Debian, and
        downloads that fail.
    """
    expected = answers.expected(files)
    version = importlib.metadata.version("ai-edge-litert")
    root = downloads.cached(f"arm/ai-edge-litert-{version}", lambda place: _prepare(
        place, version, say))
    return [_check(root, *one, say) for one in expected]


def _check(root, file, inputs, expected, say):
    say(f"Running {file} on an emulated {_PROCESSOR} ...")
    (python,) = (root / "usr/bin").glob("python3.[0-9]*")
    # This process's environment has the paths of the host's Python.
    outputs, log = answers.run(
        [root / "qemu-aarch64-static", "-cpu", _PROCESSOR, "-L", root, python, "-S",
         answers.WORKER], file, inputs,
        environment={"PYTHONPATH": str(root / "wheels"), "PYTHONDONTWRITEBYTECODE": "1"})
    return ArmCheck.of(file, expected, outputs, log)


def _prepare(root, version, say):
    """Fill a root directory with qemu, an arm64 Python and the aarch64 wheels."""
    say("Downloading qemu, Python and LiteRT for arm64, once ...")
    with tempfile.TemporaryDirectory(prefix="mobilebert-qemu-") as directory:
        downloads.unpack(["qemu-user-static"], directory)
        emulator = Path(directory) / "usr/bin/qemu-aarch64-static"
        shutil.copy(emulator, root)  # all emulators take 15 times the space
    downloads.unpack(["python3-minimal", "libpython3-stdlib", "libstdc++6"], root, "arm64",
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
