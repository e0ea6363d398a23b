import datetime

from mobilebert_tf import machine


def test_a_machine_is_its_processor_cores_and_system(monkeypatch):
    said = {"text": "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nflags\t: fpu\n"}
    monkeypatch.setattr(machine.Path, "read_text", lambda path: said["text"])
    monkeypatch.setattr(machine.os, "cpu_count", lambda: 7)
    for name, answer in (("system", "Linux"), ("machine", "aarch64"), ("processor", "")):
        monkeypatch.setattr(machine.platform, name, lambda answer=answer: answer)
    assert machine.describe() == "Some CPU @ 2 GHz, 7 cores, Linux aarch64"
    said["text"] = "processor\t: 0\nCPU part\t: 0xd0b\n"
    assert machine.describe() == "aarch64, 7 cores, Linux aarch64"


def test_usable_cores_are_those_of_the_process(monkeypatch):
    monkeypatch.setattr(machine.os, "sched_getaffinity", lambda _: {3, 5, 6}, raising=False)
    assert machine.usable_cores() == 3
    monkeypatch.delattr(machine.os, "sched_getaffinity")
    monkeypatch.setattr(machine.os, "cpu_count", lambda: None)
    assert machine.usable_cores() == 1


def test_available_memory_is_the_systems_own_estimate(monkeypatch):
    said = {"text": "MemTotal:  9 kB\nMemFree:  1 kB\nMemAvailable:   2000 kB\nBuffers:  3 kB\n"}
    monkeypatch.setattr(machine.Path, "read_text", lambda path: said["text"])
    assert machine.available_memory() == 2000 * 1024
    said["text"] = "MemTotal:  9 kB\n"
    assert machine.available_memory() is None


def test_now_is_in_utc():
    found = datetime.datetime.fromisoformat(machine.now())
    assert found.utcoffset() == datetime.timedelta(0)
    assert abs(datetime.datetime.now(datetime.timezone.utc) - found).total_seconds() < 5
