"""GPU: check a file with LiteRT's own GPU accelerator, on a machine without a GPU.

The accelerator (ML Drift over WebGPU) reports the operations that it does not take. It reports no
wrong numbers, so they are compared with the CPU's. Its driver is SwiftShader, Vulkan in software,
from Debian's Chromium. It computes in float32: what a phone's GPU loses in float16 is not seen
here, and no time is reported.
"""

import dataclasses
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from mobilebert_tf.export.verify import answers, downloads
from mobilebert_tf.export.verify.check import Check

_WORKER = Path(__file__).with_name("gpu_worker.py")
# Lines in the log of LiteRT's Python wrapper.
_REJECTED = re.compile(
    r"Following operations are not supported by GPU delegate:\n(.*?)\n\d+ operations will run",
    re.DOTALL)
_ADAPTER = re.compile(r"Selected adapter: (.+?), arch=")


@dataclasses.dataclass(frozen=True, kw_only=True)
class GpuCheck(Check):
    """The result for one file. `problem` is why it did not run even with the CPU's help.

    Args:
      adapter: the driver; None if it was not reached.
      fully_accelerated: whether the accelerator takes every operation.
      rejected: the operations that it does not take, with the reason, in its own words.
    """

    adapter: str | None
    fully_accelerated: bool
    rejected: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.fully_accelerated and super().passed

    def _place(self):
        return self.adapter or "no GPU"

    def _details(self):
        return ["fully accelerated" if self.fully_accelerated else "not fully accelerated",
                *(f"rejected {operation}" for operation in self.rejected)]


def check(files, say: Callable[[str], None] = lambda message: None) -> list[GpuCheck]:
    """Run files through the accelerator and on the CPU, and compare their outputs.

    A file that the accelerator does not take completely is run again with the CPU's help. If
    VK_ICD_FILENAMES names a Vulkan driver, it is used instead of SwiftShader.

    Args:
      files: paths.
      say: receives a sentence before each step.

    Raises:
      InputError: for a file that does not run on the CPU, a system that is not Debian, and
        downloads that fail.
    """
    expected = answers.expected(files)
    environment = dict(os.environ)
    if "VK_ICD_FILENAMES" not in environment:
        driver = downloads.cached("gpu", lambda place: _prepare(place, say))
        environment |= {"LD_LIBRARY_PATH": str(driver),
                        "VK_ICD_FILENAMES": str(driver / "swiftshader.json")}
    return [_check(environment, *one, say) for one in expected]


def _check(environment, file, inputs, expected, say):
    say(f"Running {file} through LiteRT's GPU accelerator ...")
    outputs, log = answers.run([sys.executable, _WORKER, "GPU"], file, inputs, environment)
    fully_accelerated, with_cpu = outputs is not None, ""
    if not fully_accelerated:
        outputs, with_cpu = answers.run(
            [sys.executable, _WORKER, "GPU|CPU"], file, inputs, environment)
    rejected, adapter = _REJECTED.search(log), _ADAPTER.search(log)
    return GpuCheck.of(
        file, expected, outputs, with_cpu, adapter=adapter and adapter[1],
        fully_accelerated=fully_accelerated,
        rejected=tuple(line.strip() for line in rejected[1].splitlines()) if rejected else ())


def _prepare(place, say):
    """Fill a folder with SwiftShader and the Vulkan loader that Chromium brings."""
    say("Downloading a Vulkan driver in software, once ...")
    with tempfile.TemporaryDirectory(prefix="mobilebert-vulkan-") as directory:
        downloads.unpack(["chromium-common"], directory)
        for name in ("libvk_swiftshader.so", "libvulkan.so.1"):
            (place / name).write_bytes((Path(directory) / "usr/lib/chromium" / name).read_bytes())
    # LD_LIBRARY_PATH is searched for a path without a folder.
    (place / "swiftshader.json").write_text(json.dumps({
        "file_format_version": "1.0.0",
        "ICD": {"library_path": "libvk_swiftshader.so", "api_version": "1.1.0"}}))
