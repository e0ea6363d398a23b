"""Put faults into the Android demo, one at a time, and see whether the tests catch them.

`make android-mutations`. Print a line per fault with the test that failed. Exit with 1 if a fault
survived, or could not be put in.
"""

import argparse
import concurrent.futures
import os
import random
import re
import shutil
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

import artifacts
import mutants
import run
import tools
from app import App

DEMO = Path(__file__).parents[1]
# Java's errors when a class that was compiled alone does not fit: a test that fails by one of them
# has not seen the fault.
_UNLINKED = re.compile(r"java\.lang\.(NoSuchMethod|NoSuchField|NoClassDefFound|AbstractMethod"
                       r"|IllegalAccess|IncompatibleClassChange|ClassFormat|Verify)Error")


class Workshop:
    """Builds core and app once; puts each fault into a copy of the sources."""

    def __init__(self, directory):
        self.directory = directory
        self.core, self.core_tests = directory / "core", directory / "core_tests"
        self.cases, self.shim = directory / "cases", directory / "liblitert_shim.so"
        self.app = App(directory, self.core, self.core_tests)
        self.properties = {"mobilebert.cases": self.cases, "mobilebert.shim": self.shim,
                           "mobilebert.litert": run.litert()}

    def build(self, with_app):
        """Build core, tests, models and, if wanted, the app without faults."""
        tools.compile_kotlin([run.CORE / "main" / "kotlin"], self.core)
        run.compile_tests(self.core, self.core_tests)
        run.write_cases(self.cases, random.randrange(1 << 30))
        tools.run([sys.executable, run.HERE / "end_to_end.py", self.cases])
        tools.compile_shim(run.HERE / "litert_shim.c", self.shim)
        if not with_app:
            return
        self._link(self.app)
        self.app.compile_litert()
        self.app.compile("android 15")
        self.app.compile_tests()

    def outcome(self, mutant):
        """Return what `killers` does; print why a fault could not be put in, which is no test."""
        try:
            return self.killers(mutant)
        except tools.Failed as error:
            print(str(error)[-1500:])
            return []

    def killers(self, mutant):
        """Return the names of the tests that fail with the fault; none if it survives."""
        with tempfile.TemporaryDirectory(dir=self.directory) as place:
            place = Path(place)
            for module in ("core", "app"):
                shutil.copytree(DEMO / module / "src" / "main", place / module / "src" / "main")
            shutil.copy(DEMO / "app" / "build.gradle.kts", place / "app")
            _put_in(mutant, place / mutant.path)
            if mutant in mutants.CORE:
                return self._core_killers(mutant, place)
            return self._app_killers(mutant, place)

    def _core_killers(self, mutant, place):
        # The compiler sees the file with the fault alone, and Java finds its classes first.
        changed = place / "classes"
        tools.compile_kotlin([place / mutant.path], changed, [self.core], friends=[self.core])
        libraries = tools.kotlin_libraries("stdlib", "test", "test-junit5")
        golden = [run.GOLDEN / "text", run.GOLDEN / "squad"]
        return self._failed([changed, self.core, self.core_tests, *libraries, *golden],
                            self.properties, f"dev.mobilebert.core.{mutant.test}", place)

    def _app_killers(self, mutant, place):
        app = self.app
        if not mutant.path.endswith(".kt"):
            app = App(place / "built", self.core, self.core_tests, place / "app")
            app.directory.mkdir()
            self._link(app)
        if mutant.test == "manifest":
            return _error(app.asks_for_nothing)
        if mutant.test == "build file":
            return _error(app.compile_build_file)
        if mutant.test == "apk":
            with zipfile.ZipFile(app.package) as archive:
                return [] if _are_stored(archive) else ["models are stored"]
        class_path, settings = app.robolectric()
        changed = place / "classes"
        if mutant.path.endswith(".kt"):
            tools.compile_kotlin(
                [place / mutant.path], changed,
                [self.app.classes, *self.app.class_path(), artifacts.jar("android 15")],
                friends=[self.app.classes], compose=True)
        class_path = [self.app.tests, changed, self.app.classes, self.app.resources,
                      self.app.litert, *class_path, run.GOLDEN / "text"]
        return self._failed(class_path, self.properties | settings,
                            f"dev.mobilebert.demo.{mutant.test}", place)

    def _link(self, app):
        app.merge_manifest()
        app.link_resources(self.cases / "shipped")

    def _failed(self, class_path, properties, test, place):
        reports = place / "reports"
        try:
            tools.run([*run.junit(class_path, properties, tools.QUICK_START),
                       "--select-method", test, "--reports-dir", reports])
        except tools.Failed as error:
            results = [case for file in reports.glob("TEST-*.xml")
                       for case in ElementTree.parse(file).iter("testcase")]
            if not results:
                raise tools.Failed(f"no test ran: {error}") from error
            failed = {case.get("name").removesuffix("()"): problem.text for case in results
                      for kind in ("failure", "error")
                      if (problem := case.find(kind)) is not None}
            for reason in failed.values():
                if _UNLINKED.search(reason):
                    raise tools.Failed(f"the changed class does not fit: {reason}") from error
            return list(failed)
        return []


def _put_in(mutant, path):
    text = path.read_text()
    if text.count(mutant.old) != 1:
        raise tools.Failed(f"{path.name} has {text.count(mutant.old)} times: {mutant.old}")
    path.write_text(text.replace(mutant.old, mutant.new))


def _error(check):
    try:
        check()
    except tools.Failed as error:
        return [str(error)]
    return []


def _are_stored(archive):
    return not any(entry.compress_type for entry in archive.infolist()
                   if entry.filename.endswith(".tflite"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", default="", help="faults whose description has this text")
    parser.add_argument("--part", choices=("core", "app"), help="only the faults of this part")
    arguments = parser.parse_args()
    start = time.monotonic()
    survived = 0
    parts = {"core": mutants.CORE, "app": mutants.APP}
    chosen = [mutant for part, faults in parts.items() if arguments.part in (None, part)
              for mutant in faults if arguments.only in mutant.what]
    with tempfile.TemporaryDirectory() as directory:
        workshop = Workshop(Path(directory))
        workshop.build(not set(chosen) <= set(mutants.CORE))
        # A process a processor: compilers and tests use one for most of their time.
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for mutant, killers in zip(chosen, pool.map(workshop.outcome, chosen), strict=True):
                survived += not killers
                caught = ", ".join(killers) or "SURVIVED"
                print(f"{mutant.what} | {mutant.test} | {caught}", flush=True)
    print(f"{len(chosen) - survived} passed, {survived} failed "
          f"({time.monotonic() - start:.0f} s)")
    return 1 if survived or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
