"""Phone: the latency of files on an Android phone, by LiteRT's own benchmark_model through adb.

The tool is the user's to download; both generations of it are understood, the classic one
(`tflite/tools/benchmark`) and LiteRT's (`benchmark_litert_model`). Its source: github.com,
google-ai-edge/LiteRT. What is pushed to the phone is removed from it, whatever happens.
"""

import contextlib
import dataclasses
import hashlib
import re
import shutil
import subprocess
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

from mobilebert_tf.errors import InputError
from mobilebert_tf.export.file import metadata

_TEMPORARY = "/data/local/tmp/mobilebert.XXXXXXXX"
_PROPERTIES = {"manufacturer": "ro.product.manufacturer", "model": "ro.product.model",
               "android": "ro.build.version.release", "soc": "ro.soc.model",
               "abi": "ro.product.cpu.abi"}
_NUMBER = r"(-?[\d.]+(?:e[+-]?\d+)?)"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Phone:
    """The phone that was measured, as its own properties name it; "" for what it does not tell."""

    serial: str
    manufacturer: str
    model: str
    android: str
    soc: str
    abi: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class Timing:
    """What benchmark_model said of its runs, in milliseconds; None for what it does not say."""

    runs: int
    avg_ms: float
    min_ms: float
    max_ms: float
    std_ms: float | None = None
    p5_ms: float | None = None
    median_ms: float | None = None
    p95_ms: float | None = None
    init_ms: float | None = None
    first_ms: float | None = None
    peak_memory_mb: float | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class PhoneRecord:
    """One measured signature of a file, with all that its numbers depend on.

    Args:
      file: its path.
      recipe: how it was exported; None for a file of somebody else.
      length: tokens of the inputs; None where the file does not say.
      threads: of the CPU kernels.
      timing: a `Timing`.
      phone: a `Phone`.
      bytes, model_sha256, tool_sha256: of the file, and of the benchmark_model that ran it.
      date: when, ISO 8601 in UTC.
    """

    file: str
    recipe: str | None
    length: int | None
    threads: int
    timing: Timing
    phone: Phone
    bytes: int
    model_sha256: str
    tool_sha256: str
    date: str


def measure(files, benchmark_model, *, serial=None, threads=4, runs=50, adb="adb",
            say: Callable[[str], None] = lambda message: None) -> list[PhoneRecord]:
    """Runs benchmark_model on each file on a phone; a record for each of a file's lengths.

    Args:
      files: paths of .tflite files.
      benchmark_model: path of the tool's build for the phone's ABI.
      serial: which phone, as `adb devices` names it; needed where several are connected.
      threads: of the CPU kernels.
      runs: timed runs, at least.
      adb: the program.
      say: is told what is being done.

    Raises:
      InputError: for no phone, several, one that is not ready or is lost meanwhile, a tool that
        does not run there, fails, or says something else.
    """
    for path in (*files, benchmark_model):
        if not Path(path).is_file():
            raise InputError(f"there is no file {path}")
    if shutil.which(adb) is None:
        raise InputError(f"there is no program {adb}: install Android's platform-tools")
    device = _Device(adb, _choose(adb, serial))
    phone = device.describe()
    say(f"Measuring on {phone.manufacturer} {phone.model}, Android {phone.android} ...")
    tool_sha256 = _sha256(benchmark_model)
    records = []
    with device.temporary_directory() as directory:
        tool = f"{directory}/benchmark_model"
        device.push(benchmark_model, tool)
        device.shell(f"chmod 755 {tool}")
        for file in files:
            model = f"{directory}/model.tflite"
            device.push(file, model)
            recipe, signatures = _known(file)
            for length, signature in signatures:
                say(f"{file}{f', length {length}' if length else ''}: {runs} runs on {threads} "
                    f"thread{'s' * (threads > 1)} ...")
                said = device.run_tool(
                    f"{tool} --graph={model} --num_threads={threads} --num_runs={runs}"
                    + (f" --signature_to_run_for={signature}" if signature else ""), phone)
                records.append(PhoneRecord(
                    file=str(file), recipe=recipe, length=length, threads=threads,
                    timing=parse(said), phone=phone, bytes=Path(file).stat().st_size,
                    model_sha256=_sha256(file), tool_sha256=tool_sha256,
                    date=datetime.now(timezone.utc).isoformat(timespec="seconds")))
    return records


def parse(said: str) -> Timing:
    """The times in what benchmark_model printed; InputError where there are none.

    The classic tool has a line of statistics for the warm-up and one for the runs, in
    microseconds; the latter counts. Where all runs took the same it gives that time alone.
    """
    classic = [dict(re.findall(rf"(\w+)={_NUMBER}", line)) | {"same": "(all same)" in line}
               for line in said.splitlines() if re.search(r"count=\d+ .*curr=", line)]
    peak = _find(r"(?:Overall peak memory footprint \(MB\) via periodic monitoring|Peak memory): ",
                 said)
    if classic:
        line = classic[-1]
        same = line["curr"] if line["same"] else None
        times = {f"{name}_ms": float(value) / 1e3 for name, value in (
            ("avg", line.get("avg", same)), ("min", line.get("min", same)),
            ("max", line.get("max", same)), ("std", line.get("std", same and "0")),
            ("p5", line.get("p5")), ("median", line.get("median", same)),
            ("p95", line.get("p95"))) if value is not None}
        init, first = _find(r"in us: Init: ", said), _find(r"First inference: ", said)
        times |= {name: value / 1e3 for name, value in (("init_ms", init), ("first_ms", first))
                  if value is not None}
        runs = int(line["count"])
    else:
        times = {name: value for name, value in (
            ("avg_ms", _find(r"Inference \(avg\): ", said)),
            ("min_ms", _find(r"Inference \(min\): ", said)),
            ("max_ms", _find(r"Inference \(max\): ", said)),
            ("std_ms", _find(r"Inference \(std\): ", said)),
            ("init_ms", _find(r"Model initialization: ", said)),
            ("first_ms", _find(r"Warmup \(first\): ", said))) if value is not None}
        counted = re.search(r"Inference \(avg\): .* ms \((\d+) runs\)", said)
        runs = int(counted[1]) if counted else 0
    if not runs or not {"avg_ms", "min_ms", "max_ms"} <= times.keys():
        raise InputError("benchmark_model's output has no times that can be understood; its last "
                         f"line: {_last_line(said)}")
    # A negative footprint is the tool's word for "not measured".
    return Timing(runs=runs, peak_memory_mb=None if peak is None or peak < 0 else peak, **times)


class _Device:
    """One phone, by its serial."""

    def __init__(self, adb, serial):
        self._command = [adb, "-s", serial]
        self.serial = serial

    def describe(self):
        said = self.shell("; ".join(f"getprop {name}" for name in _PROPERTIES.values()),
                          strip=False)
        values = [line.strip() for line in said.split("\n")]
        return Phone(serial=self.serial,
                     **dict(zip(_PROPERTIES, values[:len(_PROPERTIES)], strict=True)))

    @contextlib.contextmanager
    def temporary_directory(self):
        directory = self.shell(f"mktemp -d {_TEMPORARY}")
        try:
            yield directory
        finally:
            # Where the phone is gone there is nothing to be done, and another error to be told.
            self._adb("shell", f"rm -rf {directory}")

    def push(self, file, to):
        done = self._adb("push", str(file), to)
        if done.returncode:
            raise self._error(f"{file} could not be pushed to the phone", done)

    def shell(self, command, strip=True):
        done = self._adb("shell", command)
        if done.returncode:
            raise self._error(f"`{command}` failed on the phone", done)
        return done.stdout.strip() if strip else done.stdout

    def run_tool(self, command, phone):
        done = self._adb("shell", command)
        said = done.stdout + done.stderr
        if done.returncode in (126, 127):
            # What the shell says of a program for another processor, or another C library.
            raise self._error(f"benchmark_model is not executable on the phone, which needs the "
                              f"Android build for {phone.abi}", done)
        if done.returncode:
            raise self._error(f"benchmark_model ended with {done.returncode} on the phone", done)
        return said

    def _adb(self, *arguments):
        return subprocess.run([*self._command, *arguments], capture_output=True, text=True,
                              errors="replace")

    def _error(self, what, done):
        if self._adb("get-state").stdout.strip() != "device":
            return InputError(f"the phone {self.serial} was lost while it was measured: connect "
                              "it again, keep it awake, and start over")
        return InputError(f"{what}: {_last_line(done.stdout + done.stderr)}")


def _choose(adb, serial):
    """The serial of the phone to use, which is connected and lets itself be used."""
    done = subprocess.run([adb, "devices"], capture_output=True, text=True)
    if done.returncode:
        raise InputError(f"`{adb} devices` failed: {_last_line(done.stdout + done.stderr)}")
    listed = done.stdout.partition("List of devices attached")[2]
    states = dict(line.split("\t", 1) for line in listed.splitlines() if "\t" in line)
    if serial is None:
        if not states:
            raise InputError("no phone is connected: connect one with USB debugging switched on")
        if len(states) > 1:
            raise InputError(f"several phones are connected: choose one of {', '.join(states)} "
                             "with --serial")
        (serial,) = states
    elif serial not in states:
        raise InputError(f"no phone {serial} is connected; connected: "
                         f"{', '.join(states) or 'none'}")
    state = states[serial].strip()
    if state == "unauthorized":
        raise InputError(f"the phone {serial} does not trust this machine yet: confirm the dialog "
                         "on the phone")
    if state == "offline":
        raise InputError(f"the phone {serial} is offline: unlock it, or connect it again")
    if state != "device":
        raise InputError(f"the phone {serial} cannot be used: adb says '{state}'")
    return serial


def _known(file):
    """(recipe, [(length, signature to name)]) of a file; one unnamed where it has no choice."""
    try:
        known = metadata.read(file)
    except InputError:
        return None, [(None, None)]
    if len(known.lengths) == 1:
        return known.recipe, [(known.length, None)]
    return known.recipe, [(length, known.signature(length)) for length in known.lengths]


def _find(before, said):
    found = re.search(before + _NUMBER, said)
    return float(found[1]) if found else None


def _last_line(said):
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1] if lines else "nothing"


def _sha256(file):
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()
