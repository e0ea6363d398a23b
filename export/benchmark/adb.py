"""Device: an Android phone, through adb."""

import contextlib
import shutil
import subprocess

from mobilebert_tf.errors import InputError
from mobilebert_tf.export.benchmark.phone_properties import PhoneProperties

_TEMPORARY = "/data/local/tmp/mobilebert.XXXXXXXX"
_PROPERTIES = {"manufacturer": "ro.product.manufacturer", "model": "ro.product.model",
               "android": "ro.build.version.release", "soc": "ro.soc.model",
               "abi": "ro.product.cpu.abi"}


class Device:
    """A connected phone.

    Args:
      adb: the program.
      serial: the phone's, as `adb devices` names it; None for the only one.
    Raises:
      InputError: of the methods too, for no program, no phone, several phones, or a phone that is
        not ready or gets lost.
    """

    def __init__(self, adb: str = "adb", serial: str | None = None):
        if shutil.which(adb) is None:
            raise InputError(f"there is no program {adb}: install Android's platform-tools")
        self.serial = _choose(adb, serial)
        self._command = [adb, "-s", self.serial]

    def describe(self) -> PhoneProperties:
        said = self.shell("; ".join(f"getprop {name}" for name in _PROPERTIES.values()),
                          strip=False)
        values = [line.strip() for line in said.split("\n")]
        return PhoneProperties(serial=self.serial,
                               **dict(zip(_PROPERTIES, values[:len(_PROPERTIES)], strict=True)))

    @contextlib.contextmanager
    def temporary_directory(self):
        """Make a directory on the phone; remove it at the end, whatever happens."""
        directory = self.shell(f"mktemp -d {_TEMPORARY}")
        try:
            yield directory
        finally:
            # A phone that is lost has raised its own error.
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

    def run_program(self, command: str, name: str) -> str:
        """Run a program that was pushed; return its output.

        Args:
          name: of the program, for errors.
        """
        done = self._adb("shell", command)
        said = done.stdout + done.stderr
        if done.returncode in (126, 127):
            # The shell's answer for another processor or another C library.
            raise self._error(f"{name} is not executable on the phone, which needs the Android "
                              f"build for {self.describe().abi}", done)
        if done.returncode:
            raise self._error(f"{name} ended with {done.returncode} on the phone", done)
        return said

    def _adb(self, *arguments):
        return subprocess.run([*self._command, *arguments], capture_output=True, text=True,
                              errors="replace")

    def _error(self, what, done):
        if self._adb("get-state").stdout.strip() != "device":
            return InputError(f"the phone {self.serial} was lost while it was measured: connect "
                              "it again, keep it awake, and start over")
        return InputError(f"{what}: {last_line(done.stdout + done.stderr)}")


def last_line(said: str) -> str:
    """Return the last line of a program's output that is not empty, or "nothing"."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1] if lines else "nothing"


def _choose(adb, serial):
    """The serial of the phone to use; it is connected and ready."""
    done = subprocess.run([adb, "devices"], capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise InputError(f"`{adb} devices` failed: {last_line(done.stdout + done.stderr)}")
    listed = done.stdout.partition("List of devices attached")[2]
    states = dict(line.split("\t", 1) for line in listed.splitlines() if "\t" in line)
    if serial is None:
        if not states:
            raise InputError("no phone is connected: connect one with USB debugging switched on")
        if len(states) > 1:
            raise InputError("several phones are connected; choose one by its serial: "
                             f"{', '.join(states)}")
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
