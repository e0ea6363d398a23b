"""An adb without a phone: a directory that FAKE_PHONE names is the phone.

It holds `states.json` (serial -> state), `properties.json`, `said.txt` (what the tool prints),
`status` (what it ends with), `lost_at` (the command at which the phone is gone, or nothing), and
gets `log`, a line a command, and `files/`, what was pushed.
"""

import json
import os
import pathlib
import re
import shutil
import sys

PHONE = pathlib.Path(os.environ["FAKE_PHONE"])
FILES = PHONE / "files"


def read(name):
    return (PHONE / name).read_text()


def on_phone(path):
    assert path.startswith("/data/local/tmp/"), path
    return FILES / path.removeprefix("/data/local/tmp/")


def end(status, out="", err=""):
    sys.stdout.write(out)
    sys.stderr.write(err)
    sys.exit(status)


def main(arguments):
    with open(PHONE / "log", "a") as log:
        log.write(" ".join(arguments) + "\n")
    states = json.loads(read("states.json"))
    if arguments == ["devices"]:
        end(0, "* daemon not running; starting now at tcp:5037\n* daemon started successfully\n"
               "List of devices attached\n"
               + "".join(f"{serial}\t{state}\n" for serial, state in states.items()) + "\n")
    option, serial, command, *rest = arguments
    assert option == "-s"
    if command == read("lost_at") or (command == "shell" and read("lost_at") in rest[0]
                                      and read("lost_at")):
        states.pop(serial, None)
        (PHONE / "states.json").write_text(json.dumps(states))
    if states.get(serial) != "device":
        end(1, err=f"adb: device '{serial}' not found\n")
    if command == "get-state":
        end(0, "device\n")
    if command == "push":
        source, target = rest
        shutil.copyfile(source, on_phone(target))  # without its permissions, as adb does for most
        on_phone(target).chmod(0o644)
        end(0, f"{source}: 1 file pushed, 0 skipped.\n")
    assert command == "shell", command
    shell(rest[0])


def shell(command):
    words = command.split()
    if words[0] == "getprop":
        properties = json.loads(read("properties.json"))
        end(0, "".join(f"{properties.get(name, '')}\r\n"
                       for name in re.findall(r"getprop ([\w.]+)", command)))
    if words[:2] == ["mktemp", "-d"]:
        place = on_phone(words[2].replace("XXXXXXXX", "4f0c91ab"))
        place.mkdir(parents=True)
        end(0, words[2].replace("XXXXXXXX", "4f0c91ab") + "\n")
    if words[0] == "chmod":
        on_phone(words[2]).chmod(int(words[1], 8))
        end(0)
    if words[:2] == ["rm", "-rf"]:
        shutil.rmtree(on_phone(words[2]))
        end(0)
    tool = on_phone(words[0])
    if not tool.exists():
        end(127, err=f"/system/bin/sh: {words[0]}: inaccessible or not found\n")
    if not os.stat(tool).st_mode & 0o111:
        end(126, err=f"/system/bin/sh: {words[0]}: can't execute: Permission denied\n")
    graph = re.search(r"--graph=(\S+)", command)[1]
    if not on_phone(graph).read_bytes():
        end(1, err=f"Failed to mmap the model at {graph}\n")
    # The classic tool prints everything on standard error.
    end(int(read("status")), err=read("said.txt"))


if __name__ == "__main__":
    main(sys.argv[1:])
