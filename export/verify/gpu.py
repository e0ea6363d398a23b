"""GPU: what LiteRT's own GPU accelerator makes of a file, on a machine without a GPU.

The accelerator (ML Drift over WebGPU) says which operations it cannot take, and its numbers are
compared with the CPU's, since wrong ones come without any message. Its driver is SwiftShader,
Vulkan in software, from Debian's Chromium: float32 throughout, so that what a phone's GPU loses
by computing in float16 is not seen here, and no time is reported.
"""

import dataclasses
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from mobilebert_tf.export.verify import answers, debian, tool_cache

_WORKER = Path(__file__).with_name("gpu_worker.py")
# LiteRT's Python wrapper puts its log beside the answer; these are the lines that tell.
_REJECTED = re.compile(
    r"Following operations are not supported by GPU delegate:\n(.*?)\n\d+ operations will run",
    re.DOTALL)
_ADAPTER = re.compile(r"Selected adapter: (.+?), arch=")


@dataclasses.dataclass(frozen=True, kw_only=True)
class GpuCheck:
    """What the accelerator made of one file.

    Args:
      file: its path.
      recipe: how it was exported; None for a file of somebody else.
      adapter: the driver; None where it was not reached.
      fully_accelerated: whether the accelerator takes every operation.
      rejected: what it does not take, and why, in its own words.
      problem: why it did not run at all, not even with the CPU's help; None where it did.
      agreement: with the CPU's outputs; None where it did not run.
      bound: the relative difference that is allowed.
    """

    file: str
    recipe: str | None
    adapter: str | None
    fully_accelerated: bool
    rejected: tuple[str, ...]
    problem: str | None
    agreement: answers.Agreement | None
    bound: float

    @property
    def passed(self) -> bool:
        return (self.fully_accelerated and self.agreement is not None
                and self.agreement.max_relative_difference <= self.bound)


def check(files, say: Callable[[str], None] = lambda message: None) -> list[GpuCheck]:
    """Runs files through the accelerator, and compares what they answer with the CPU's answers.

    A file that the accelerator does not take wholly is run again with the CPU's help. Where the
    environment names a Vulkan driver in VK_ICD_FILENAMES, that one is used.

    Args:
      files: paths.
      say: is told what is being done.

    Raises:
      InputError: for a file that does not run on the CPU, a system that is not Debian, downloads
        that fail.
    """
    here = {}
    for file in files:
        inputs = answers.sample_inputs(file)
        here[file] = inputs, answers.on_this_cpu(file, inputs)
    environment = dict(os.environ)
    if "VK_ICD_FILENAMES" not in environment:
        driver = tool_cache.folder("gpu", lambda place: _prepare(place, say))
        environment |= {"LD_LIBRARY_PATH": str(driver),
                        "VK_ICD_FILENAMES": str(driver / "swiftshader.json")}
    return [_check(environment, file, *here[file], say) for file in files]


def _check(environment, file, inputs, expected, say):
    say(f"Running {file} through LiteRT's GPU accelerator ...")
    outputs, log = answers.run([sys.executable, _WORKER, "GPU"], file, inputs, environment)
    fully_accelerated = outputs is not None
    if not fully_accelerated:
        outputs, with_cpu = answers.run(
            [sys.executable, _WORKER, "GPU|CPU"], file, inputs, environment)
    recipe = answers.recipe_of(file)
    rejected, adapter = _REJECTED.search(log), _ADAPTER.search(log)
    return GpuCheck(
        file=str(file), recipe=recipe, adapter=adapter and adapter[1],
        fully_accelerated=fully_accelerated,
        rejected=tuple(line.strip() for line in rejected[1].splitlines()) if rejected else (),
        problem=answers.reason(with_cpu) if outputs is None else None,
        agreement=None if outputs is None else answers.compare(expected, outputs),
        bound=answers.bound(recipe))


def _prepare(place, say):
    """A folder with SwiftShader and the Vulkan loader that Chromium brings."""
    say("Downloading a Vulkan driver in software, once ...")
    with tempfile.TemporaryDirectory(prefix="mobilebert-vulkan-") as directory:
        debian.unpack(["chromium-common"], directory)
        for name in ("libvk_swiftshader.so", "libvulkan.so.1"):
            (place / name).write_bytes((Path(directory) / "usr/lib/chromium" / name).read_bytes())
    # A path without a folder is looked for in LD_LIBRARY_PATH.
    (place / "swiftshader.json").write_text(json.dumps({
        "file_format_version": "1.0.0",
        "ICD": {"library_path": "libvk_swiftshader.so", "api_version": "1.1.0"}}))
