import inspect
import json
import pathlib
import sys
import typing

import pytest
from typer.testing import CliRunner

import mobilebert_tf as mb
from mobilebert_tf import kinds
from mobilebert_tf.cli import benchmark_phone
from mobilebert_tf.cli.main import app
from mobilebert_tf.export.benchmark import phone
from mobilebert_tf.export.benchmark.phone_properties import PhoneProperties
from mobilebert_tf.export.benchmark.timing import Timing, parse
from mobilebert_tf.export.file import metadata

CLASSIC = """STARTING!
Log parameter values verbosely: [0]
Min num runs: [50]
The input model file size (MB): 26.3
Initialized session in 20.283ms.
Running benchmark for at least 1 iterations and at least 0.5 seconds but terminate if exceeding 150 seconds.
count=6 first=83235 curr=99999 min=81000 max=99999 avg=83235 std=77 p5=1 median=2 p95=3
Running benchmark for at least 50 iterations and at least 1 seconds but terminate if exceeding 150 seconds.
count=50 first=79449 curr=81350 min=77385 max=88213 avg=79732 std=1929 p5=77500 median=79600 p95=84000
Inference timings in us: Init: 38467, First inference: 83235, Warmup (avg): 83235, Inference (avg): 79732
Note: as the benchmark tool itself affects memory footprint, the following is only APPROXIMATE.
Memory footprint delta from the start of the tool (MB): init=31.2 overall=55.9
Overall peak memory footprint (MB) via periodic monitoring: 61.5
"""  # noqa: E501
OLDER = "".join(
    line.partition(" p5=")[0] + "\n" for line in CLASSIC.splitlines()
    if "periodic" not in line)
ALL_SAME = CLASSIC.replace(
    "count=50 first=79449 curr=81350 min=77385 max=88213 avg=79732 std=1929",
    "count=50 curr=80000(all same)")
LITERT = """Model initialization: 21.55 ms
Warmup (first): 12.75 ms
Warmup (avg): 9.25 ms (5 runs)
Inference (avg): 8.50 ms (50 runs)
Inference (min): 8.10 ms
Inference (max): 9.90 ms
Inference (std): 0.33
Throughput: 120.10 MB/s
Init footprint: 30.10 MB
Overall footprint: 55.00 MB
Peak memory: 62.25 MB
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A phone, an adb to it, a tool and a model."""
    return Place(tmp_path, monkeypatch)


class Place:
    def __init__(self, directory, monkeypatch):
        self.phone = directory / "phone"
        (self.phone / "files").mkdir(parents=True)
        script = pathlib.Path(__file__).with_name("fake_adb.py").read_text()
        self.adb = directory / "adb"
        self.adb.write_text(f"#!{sys.executable}\n{script}")
        self.adb.chmod(0o755)
        self.tool, self.model = directory / "benchmark_model", directory / "some.tflite"
        self.tool.write_bytes(b"\x7fELF")
        self.model.write_bytes(b"model")
        self.properties = {
            "ro.product.manufacturer": "Google", "ro.product.model": "Pixel 4",
            "ro.build.version.release": "13", "ro.product.cpu.abi": "arm64-v8a"}
        monkeypatch.setenv("FAKE_PHONE", str(self.phone))
        self.set()

    def set(self, states=None, said=CLASSIC, status=0, lost_at=""):
        for name, text in (
                ("states.json", json.dumps({"R5CT": "device"} if states is None else states)),
                ("properties.json", json.dumps(self.properties)), ("said.txt", said),
                ("status", str(status)), ("lost_at", lost_at), ("log", "")):
            (self.phone / name).write_text(text)

    def measure(self, **settings):
        return phone.measure([self.model], self.tool, adb=str(self.adb), **settings)

    def log(self):
        return (self.phone / "log").read_text().splitlines()

    def pushed(self):
        return list((self.phone / "files").rglob("*"))


def test_a_record_names_the_phone_and_holds_the_runs_times(place):
    record, = place.measure(threads=3, runs=70)
    assert record.phone == PhoneProperties(serial="R5CT", manufacturer="Google", model="Pixel 4",
                                           android="13", soc="", abi="arm64-v8a")
    assert record.timing == Timing(
        runs=50, avg_ms=79.732, min_ms=77.385, max_ms=88.213, std_ms=1.929, p5_ms=77.5,
        median_ms=79.6, p95_ms=84.0, init_ms=38.467, first_ms=83.235, peak_memory_mb=61.5)
    assert (record.recipe, record.length, record.threads, record.bytes) == (None, None, 3, 5)
    run, = [line for line in place.log() if "--graph=" in line]
    assert "--num_threads=3" in run
    assert "--num_runs=70" in run
    assert not place.pushed(), "what was pushed is removed"


@pytest.mark.parametrize(("said", "timing"), [
    (OLDER, Timing(runs=50, avg_ms=79.732, min_ms=77.385, max_ms=88.213, std_ms=1.929,
                         init_ms=38.467, first_ms=83.235)),
    (ALL_SAME, Timing(
        runs=50, avg_ms=80.0, min_ms=80.0, max_ms=80.0, std_ms=0.0, p5_ms=77.5, median_ms=79.6,
        p95_ms=84.0, init_ms=38.467, first_ms=83.235, peak_memory_mb=61.5)),
    (LITERT, Timing(runs=50, avg_ms=8.5, min_ms=8.1, max_ms=9.9, std_ms=0.33, init_ms=21.55,
                          first_ms=12.75, peak_memory_mb=62.25)),
    (CLASSIC.replace("avg=79732", "avg=1.25e+06").replace("monitoring: 61.5", "monitoring: -1"),
     Timing(runs=50, avg_ms=1250.0, min_ms=77.385, max_ms=88.213, std_ms=1.929, p5_ms=77.5,
                  median_ms=79.6, p95_ms=84.0, init_ms=38.467, first_ms=83.235)),
], ids=["older", "all same", "litert", "large numbers, no memory"])
def test_every_generation_of_the_tool_is_understood(said, timing):
    assert parse(said) == timing


def test_each_length_is_measured_by_its_signature(place, monkeypatch):
    known = metadata.Metadata(kind=kinds.get("encoding")(), recipe="float32", lengths=(16, 32),
                              config=mb.presets.get("micro"), runtime="2.3.0")
    monkeypatch.setattr(phone.metadata, "read", lambda file: known)
    records = place.measure()
    assert [(record.length, record.recipe) for record in records] == [
        (16, "float32"), (32, "float32")]
    runs = [line for line in place.log() if "--graph=" in line]
    assert [line.partition("--signature_to_run_for=")[2] for line in runs] == [
        "length_16", "length_32"]


@pytest.mark.parametrize(("settings", "sentence"), [
    ({"states": {}}, "no phone is connected"),
    ({"states": {"A": "device", "B": "device"}}, "choose one by its serial: A, B"),
    ({"states": {"R5CT": "unauthorized"}}, "confirm the dialog on the phone"),
    ({"states": {"R5CT": "offline"}}, "R5CT is offline"),
    ({"states": {"R5CT": "no permissions (user in plugdev group)"}}, "adb says 'no permissions"),
    ({"lost_at": "push"}, "R5CT was lost while it was measured"),
    ({"lost_at": "--graph="}, "R5CT was lost while it was measured"),
    ({"status": 134, "said": "Initialized.\nAborted\n"}, "ended with 134 on the phone: Aborted"),
    ({"status": 126, "said": "sh: benchmark_model: not executable: 64-bit ELF file\n"},
     "not executable on the phone, which needs the Android build for arm64-v8a"),
    ({"said": "Something new.\nDone.\n"}, "no times that can be understood; its last line: Done."),
    ({"said": ""}, "its last line: nothing"),
], ids=lambda value: "" if isinstance(value, str) else json.dumps(value))
def test_what_goes_wrong_is_one_sentence_and_leaves_nothing_behind(place, settings, sentence):
    place.set(**settings)
    with pytest.raises(mb.InputError, match=sentence):
        place.measure()
    if "lost_at" not in settings:
        assert not place.pushed()


def test_one_of_several_is_chosen_by_its_serial(place):
    place.set(states={"A": "unauthorized", "B": "device"})
    assert place.measure(serial="B")[0].phone.serial == "B"
    with pytest.raises(mb.InputError, match="no phone C is connected; connected: A, B"):
        place.measure(serial="C")


def test_missing_programs_and_files_are_named(place):
    with pytest.raises(mb.InputError, match="there is no program no-adb"):
        phone.measure([place.model], place.tool, adb="no-adb")
    place.tool.unlink()
    with pytest.raises(mb.InputError, match="there is no file .*benchmark_model"):
        place.measure()


def test_an_interrupt_leaves_nothing_behind(place):
    def interrupt(message):
        if "runs on" in message:
            assert len(place.pushed()) == 3  # the directory, the tool, the model
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        place.measure(say=interrupt)
    assert not place.pushed()


def test_the_command_prints_a_table_and_writes_the_records(place, tmp_path):
    done = CliRunner().invoke(app, [
        "benchmark-phone", str(place.model), "--tool", str(place.tool), "--adb", str(place.adb),
        "--json", str(tmp_path / "out.json")])
    assert done.exit_code == 0, done.output
    assert "Google Pixel 4, Android 13, arm64-v8a" in done.output
    assert "79.60" in done.output
    record, = json.loads((tmp_path / "out.json").read_text())["records"]
    assert record["timing"]["median_ms"] == 79.6
    assert record["phone"]["model"] == "Pixel 4"


def test_the_help_shows_the_librarys_defaults():
    defaults = inspect.signature(phone.measure).parameters
    for name in ("threads", "runs", "adb"):
        shown = typing.get_args(benchmark_phone.run.__annotations__[name])[1].show_default
        assert shown == str(defaults[name].default)


def test_what_adb_says_need_not_be_utf_8(tmp_path):
    tool, model = tmp_path / "adb", tmp_path / "m.tflite"
    tool.write_text("#!/bin/sh\nprintf 'error: \\351\\n' >&2\nexit 1\n")
    tool.chmod(0o755)
    model.touch()
    with pytest.raises(mb.InputError, match="devices` failed: error: \ufffd"):
        phone.measure([model], tool, adb=str(tool))
