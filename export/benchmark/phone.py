"""Measure files on an Android phone with LiteRT's own benchmark_model, through adb.

The user downloads the tool; its source is github.com/google-ai-edge/LiteRT. Everything that is
pushed to the phone is removed from it, whatever happens.
"""

from collections.abc import Callable
from pathlib import Path

from mobilebert_tf import machine
from mobilebert_tf.checks import check_count, check_path, check_paths, check_threads
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.benchmark import timing
from mobilebert_tf.export.benchmark.adb import Device
from mobilebert_tf.export.benchmark.phone_record import PhoneRecord
from mobilebert_tf.export.file import metadata
from mobilebert_tf.files import sha256
from mobilebert_tf.terminal.counted import counted


def measure(files, benchmark_model, *, serial: str | None = None, threads: int = 4, runs: int = 50,
            adb: str = "adb", say: Callable[[str], None] = lambda message: None
            ) -> list[PhoneRecord]:
    """Run benchmark_model on each file on a phone; return a record for each of a file's lengths.

    Args:
      files: paths of .tflite files.
      benchmark_model: path of the tool's Android build for the phone's processor.
      serial: the phone's, as `adb devices` names it; None for the only one.
      threads: of the CPU kernels.
      runs: timed runs, at least.
      adb: the program.
      say: receives a sentence before each step.

    Raises:
      InputError: for no file, threads or runs that are out of range, no phone, several phones, one
        that is not ready or gets lost, and a tool that does not run there, fails, or prints no
        times.
    """
    check_paths(files=files)
    check_path(benchmark_model=benchmark_model)
    check_threads(threads)
    check_count(runs=runs)
    for path in (*files, benchmark_model):
        if not Path(path).is_file():
            raise InputError(f"there is no file {path}")
    device = Device(adb, serial)
    phone = device.describe()
    say(f"Measuring on {phone.manufacturer} {phone.model}, Android {phone.android} ...")
    common = {"phone": phone, "threads": threads, "tool_sha256": sha256(benchmark_model)}
    records = []
    with device.temporary_directory() as directory:
        tool, model = f"{directory}/benchmark_model", f"{directory}/model.tflite"
        device.push(benchmark_model, tool)
        device.shell(f"chmod 755 {tool}")
        for file in files:
            device.push(file, model)
            recipe, signatures = _known(file)
            for length, signature in signatures:
                say(f"{file}{f', length {length}' if length else ''}: {counted(runs, 'run')} on "
                    f"{counted(threads, 'thread')} ...")
                said = device.run_program(
                    f"{tool} --graph={model} --num_threads={threads} --num_runs={runs}"
                    + (f" --signature_to_run_for={signature}" if signature else ""),
                    "benchmark_model")
                records.append(PhoneRecord(
                    file=str(file), recipe=recipe, length=length, timing=timing.parse(said),
                    bytes=Path(file).stat().st_size, model_sha256=sha256(file),
                    date=machine.now(), **common))
    return records


def _known(file):
    """(recipe, [(length, signature)]) of a file; the signature is None if there is no choice."""
    try:
        known = metadata.read(file)
    except InputError:
        return None, [(None, None)]
    if len(known.lengths) == 1:
        return known.recipe, [(known.length, None)]
    return known.recipe, [(length, known.signature(length)) for length in known.lengths]


