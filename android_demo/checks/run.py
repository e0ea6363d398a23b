"""Checks the Android demo's core on the JVM: `make android-test`.

Compiles it, runs its tests, holds it against Python on texts made in the run, and drives .tflite
files through LiteRT's library for Linux. Prints a line a check; what cannot run here is counted
as not checked. Exits with 1 if anything failed, or nothing ran.
"""

import argparse
import random
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import tools

HERE = Path(__file__).parent
CORE = HERE.parent / "core" / "src"
REPOSITORY = HERE.parents[1]
GOLDEN = REPOSITORY / "tests" / "golden"


class Report:
    """Counts what passed, failed and was not checked, and prints a line for each."""

    def __init__(self):
        self.passed = self.failed = self.not_checked = 0

    def attempt(self, what, work, *arguments):
        """Runs one check; tells whether it passed."""
        start = time.monotonic()
        try:
            work(*arguments)
        except tools.Missing as error:
            self.skip(what, str(error))
        except Exception as error:  # whatever goes wrong is one failed check
            self.fail(what, str(error) or repr(error))
        else:
            self.passed += 1
            print(f"passed: {what} ({time.monotonic() - start:.0f} s)", flush=True)
            return True
        return False

    def fail(self, what, reason):
        self.failed += 1
        print(f"FAILED: {what}\n{reason}", flush=True)

    def skip(self, what, reason):
        self.not_checked += 1
        print(f"NOT CHECKED: {what}: {reason}", flush=True)

    def add_tests(self, results):
        """Counts JUnit's test cases and prints a line a class, and one for each that failed."""
        by_class = {}
        for case in ElementTree.parse(results).iter("testcase"):
            by_class.setdefault(case.get("classname").rpartition(".")[2], []).append(case)
        for name in sorted(path.stem for path in (CORE / "test").rglob("*Test.kt")):
            cases = by_class.pop(name, [])
            if not cases:
                self.fail(name, "no test of it ran")
            passed = 0
            for case in cases:
                what = f"{name}: {case.get('name').removesuffix('()')}"
                problem, skipped = case.find("failure"), case.find("skipped")
                if problem is None:
                    problem = case.find("error")
                if problem is not None:
                    self.fail(what, (problem.get("message") or problem.text or "")[:2000])
                elif skipped is not None:
                    first_line = (skipped.text or "").strip().partition("\n")[0]
                    self.skip(what, first_line.rpartition("Assumption failed: ")[2])
                else:
                    passed += 1
            if passed:
                seconds = sum(float(case.get("time")) for case in cases)
                print(f"passed: {name}, {passed} tests ({seconds:.0f} s)")
            self.passed += passed
        for name in by_class:
            self.fail(name, "a class of tests that no file *Test.kt is named after")


def check(directory, seed, report):
    """All checks, in the order in which one needs another's result."""
    main, tests = directory / "main", directory / "test"
    if not report.attempt("core compiles, against Java 8's classes, warnings as errors",
                          tools.compile_kotlin, CORE / "main" / "kotlin", main):
        return
    if not report.attempt("its tests compile", compile_tests, main, tests):
        return
    properties = {}
    cases = directory / "cases"
    if report.attempt(f"Python's results on random and real texts (seed {seed})", write_cases,
                      cases, seed):
        properties["cases"] = cases
    shim = directory / "liblitert_shim.so"
    if report.attempt("models exported, and what predict says with them", tools.run,
                      [sys.executable, HERE / "end_to_end.py", cases]) and report.attempt(
                          "shim between the JVM and LiteRT", tools.compile_shim,
                          HERE / "litert_shim.c", shim):
        properties |= {"shim": shim, "litert": litert()}
    run_tests(main, tests, properties, directory / "reports", report)


def compile_tests(main, tests):
    tools.compile_kotlin(CORE / "test" / "kotlin", tests, [main, *libraries(), tools.junit()], main)


def libraries():
    return [tools.kotlin() / "lib" / f"{name}.jar"
            for name in ("kotlin-stdlib", "kotlin-test", "kotlin-test-junit5")]


def write_cases(directory, seed):
    import cases

    cases.write_random(directory / "random", seed)
    cases.write_squad(directory / "squad", seed, REPOSITORY.parent / "shared" / "data")


def litert():
    import ai_edge_litert

    return Path(ai_edge_litert.__path__[0]) / "libLiteRt.so"


def run_tests(main, tests, properties, reports, report):
    class_path = [main, tests, *libraries(), GOLDEN / "text", GOLDEN / "squad"]
    command = [
        tools.java(), *(f"-Dmobilebert.{name}={value}" for name, value in properties.items()),
        "-jar", tools.junit(), "execute", "--class-path", ":".join(map(str, class_path)),
        "--scan-class-path", tests, "--fail-if-no-tests", "--details=none", "--disable-banner",
        "--disable-ansi-colors", "--reports-dir", reports]
    try:
        printed = tools.run(command)
    except tools.Failed as error:
        printed = str(error)
    results = reports / "TEST-junit-jupiter.xml"
    if not results.exists():
        report.fail("the tests run", printed)
        return
    report.add_tests(results)
    print(*(line for line in printed.splitlines() if line.startswith("measured: ")), sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30),
                        help="of the random texts; by default another in every run")
    arguments = parser.parse_args()
    start = time.monotonic()
    report = Report()
    with tempfile.TemporaryDirectory() as directory:
        check(Path(directory), arguments.seed, report)
    print(f"{report.passed} passed, {report.failed} failed, {report.not_checked} not checked "
          f"({time.monotonic() - start:.0f} s)")
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())
