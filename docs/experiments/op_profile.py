"""Say which operations of .tflite files take how long, inside XNNPACK too.

  python docs/experiments/op_profile.py --threads 1 ours.tflite others.tflite

LiteRT's Python interface times no operations, so this calls the C interface of the library in the
wheel (ai-edge-litert 2.3.0). Files take turns, each turn in its own process. The time of an
operation is a percentile of its times in all runs: a low one, since a run that other work
interrupts says nothing. Operations of one type are summed. Profiling costs time itself, so the sum
is not the latency.
"""

import argparse
import ctypes
import json
import subprocess
import sys
from pathlib import Path

import ai_edge_litert
import numpy as np

_CPU, _WRITE = 1, 1  # kLiteRtHwAcceleratorCpu, kLiteRtTensorBufferLockModeWrite
_TENSOR_TYPE_BYTES = 256  # more than a LiteRtRankedTensorType has
_WARM_UP_RUNS = 5
_INPUTS = (7, 1, 0)  # every id, mask and segment id


def library():
    path = Path(ai_edge_litert.__file__).with_name("libLiteRt.so")
    return ctypes.CDLL(str(path))


class Profiled:
    """A file that is open on the CPU, with LiteRT's profiler."""

    def __init__(self, file, threads):
        self._lib, self._libc = library(), ctypes.CDLL(None)
        self._libc.strdup.restype = ctypes.c_void_p
        self._environment = self._made("LiteRtCreateEnvironment", 0, None)
        self._model = self._made("LiteRtCreateModelFromFile", self._environment,
                                 str(file).encode())
        options = self._made("LiteRtCreateOptions")
        self._call("LiteRtSetOptionsHardwareAccelerators", options, _CPU)
        for name, text in ((b"runtime_options_string", b"enable_profiling = true\n"),
                           (b"xnnpack", b"num_threads = %d\n" % threads)):
            text = ctypes.c_void_p(self._libc.strdup(text))  # the library frees it
            free = ctypes.cast(self._libc.free, ctypes.c_void_p)
            self._call("LiteRtAddOpaqueOptions", options,
                       self._made("LiteRtCreateOpaqueOptions", name, text, free))
        self._compiled = self._made("LiteRtCreateCompiledModel", self._environment, self._model,
                                    options)
        self._profiler = self._made("LiteRtCompiledModelGetProfiler", self._compiled)
        self._signature = self._made("LiteRtGetModelSignature", self._model, ctypes.c_size_t(0))
        self._inputs, self._outputs = self._buffers("Input"), self._buffers("Output")
        for buffer, value in zip(self._inputs, _INPUTS, strict=True):
            self._fill(ctypes.c_void_p(buffer), value)

    def _call(self, name, *arguments):
        status = getattr(self._lib, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: status {status}")

    def _made(self, name, *arguments, kind=ctypes.c_void_p):
        """What a function writes to its last argument."""
        made = kind()
        self._call(name, *arguments, ctypes.byref(made))
        return made

    def _buffers(self, side):
        count = self._made(f"LiteRtGetNumSignature{side}s", self._signature, kind=ctypes.c_size_t)
        buffers = (ctypes.c_void_p * count.value)()
        for index in range(count.value):
            tensor = self._made(f"LiteRtGetSignature{side}TensorByIndex", self._signature,
                                ctypes.c_size_t(index))
            tensor_type = ctypes.create_string_buffer(_TENSOR_TYPE_BYTES)
            self._call("LiteRtGetRankedTensorType", tensor, tensor_type)
            wanted = self._made(f"LiteRtGetCompiledModel{side}BufferRequirements", self._compiled,
                                ctypes.c_size_t(0), ctypes.c_size_t(index))
            buffers[index] = self._made("LiteRtCreateManagedTensorBufferFromRequirements",
                                        self._environment, tensor_type, wanted).value
        return buffers

    def _fill(self, buffer, value):
        size = self._made("LiteRtGetTensorBufferPackedSize", buffer, kind=ctypes.c_size_t).value
        place = ctypes.c_void_p()
        self._call("LiteRtLockTensorBuffer", buffer, ctypes.byref(place), _WRITE)
        values = np.full(size // 4, value, np.int32)
        ctypes.memmove(place, values.ctypes.data, values.nbytes)
        self._call("LiteRtUnlockTensorBuffer", buffer)

    def run(self):
        self._call("LiteRtRunCompiledModel", self._compiled, ctypes.c_size_t(0),
                   ctypes.c_size_t(len(self._inputs)), self._inputs,
                   ctypes.c_size_t(len(self._outputs)), self._outputs)

    def times(self):
        """Run once; return (type, microseconds) of every operation, in order."""
        self._call("LiteRtResetProfiler", self._profiler)
        self._call("LiteRtStartProfiler", self._profiler)
        self.run()
        self._call("LiteRtStopProfiler", self._profiler)
        summary = self._made("LiteRtGetProfileSummary", self._profiler, self._compiled)
        text = ctypes.string_at(summary.value).decode()
        self._libc.free(summary)
        return in_run_order(text)


def in_run_order(summary):
    """Read (type, microseconds) of every operation from LiteRT's table of one run.

    A line holds: type, start, first ms, average ms, %, cumulated %, KB, times called, name.
    """
    found = []
    for line in summary.split("Top by Computation Time")[0].splitlines():
        parts = line.split()
        if parts and parts[-1].startswith(("[Builtin]:", "[Delegate]:")):
            found.append((" ".join(parts[:-8]).removeprefix("Delegate/"), 1e3 * float(parts[-6])))
    return found


def summed(runs, percentile):
    """Return {type: (count, microseconds)}, largest first, of the `times` of several runs."""
    each = np.percentile([[microseconds for _, microseconds in run] for run in runs], percentile,
                         axis=0)
    found = {}
    for (name, _), microseconds in zip(runs[0], each, strict=True):
        count, total = found.get(name, (0, 0.0))
        found[name] = (count + 1, total + microseconds)
    return dict(sorted(found.items(), key=lambda item: -item[1][1]))


def work(file, threads, runs):
    """Write the `times` of some runs of a file as JSON: what the process of a turn does."""
    profiled = Profiled(file, threads)
    for _ in range(_WARM_UP_RUNS):
        profiled.run()
    print(json.dumps([profiled.times() for _ in range(runs)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=20, help="of a file in a turn")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--percentile", type=float, default=20)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.files[0], arguments.threads, arguments.runs)
        return
    runs = [[] for _ in arguments.files]
    for _ in range(arguments.turns):
        for file, seen in zip(arguments.files, runs, strict=True):
            done = subprocess.run(
                [sys.executable, __file__, file, "--work", "--threads", str(arguments.threads),
                 "--runs", str(arguments.runs)], capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
            seen += json.loads(done.stdout.splitlines()[-1])
    for file, seen in zip(arguments.files, runs, strict=True):
        found = summed(seen, arguments.percentile)
        total = sum(microseconds for _, microseconds in found.values())
        print(f"\n{file.name}: {arguments.threads} thread(s), {len(seen)} runs, percentile "
              f"{arguments.percentile:g}, {len(seen[0])} operations, {total:,.0f} us")
        for name, (count, microseconds) in found.items():
            print(f"{microseconds:9,.0f} us {microseconds / total:6.1%} {count:5}  {name}")


if __name__ == "__main__":
    main()
