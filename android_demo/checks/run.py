"""Check the Android demo on the JVM: `make android-checks`.

Compile the core, run its tests, compare it with Python on texts made in this run, and run .tflite
files with LiteRT's library for Linux. Compile the app against Android's classes, use its screens
with Robolectric, and make an APK. Print one line per check; count a check that cannot run as not
checked. Exit with 1 if a check failed, or none passed.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

import artifacts
import tools
from app import SCREEN_TESTS, App
from report import Report

HERE = Path(__file__).parent
CORE = HERE.parent / "core" / "src"
REPOSITORY = HERE.parents[1]
GOLDEN = REPOSITORY / "tests" / "golden"


def check(directory, seed, report, pictures=None):
    """Run all checks; a check runs after those whose results it needs."""
    core, tests = directory / "core", directory / "core_tests"
    compiled = report.attempt("core compiles, against Java 8's classes, warnings as errors",
                              tools.compile_kotlin, [CORE / "main" / "kotlin"], core)
    tested = report.attempt("its tests compile", compile_tests, core, tests, after=compiled)
    properties = {"mobilebert.pictures": pictures.resolve()} if pictures else {}
    cases = directory / "cases"
    if report.attempt(f"Python's results on random and real texts (seed {seed})", write_cases,
                      cases, seed):
        properties["mobilebert.cases"] = cases
    shim = directory / "liblitert_shim.so"
    exported = report.attempt("models exported, and what predict says with them", tools.run,
                              [sys.executable, HERE / "end_to_end.py", cases])
    if report.attempt("shim between the JVM and LiteRT", tools.compile_shim,
                      HERE / "litert_shim.c", shim, after=exported):
        properties |= {"mobilebert.shim": shim, "mobilebert.litert": litert()}
    libraries = tools.kotlin_libraries("stdlib", "test", "test-junit5")
    golden = [GOLDEN / "text", GOLDEN / "squad"]
    if tested:
        run_tests("the core's tests", [core, tests, *libraries, *golden], tests, properties,
                  [CORE / "test"], report)
    check_app(directory, core, tests, properties, report, exported and cases, tested)


def check_app(directory, core, core_tests, properties, report, cases, after):
    """Check the app. `cases` is the directory of its models, or None if they were not made."""
    app = App(directory, core, core_tests)
    merged = report.attempt("manifests merged, by AGP's merger", app.merge_manifest, after=after)
    report.attempt("the merged manifest has no permission", app.asks_for_nothing, after=merged)
    report.attempt("the block android of its build file, against AGP's classes",
                   app.compile_build_file)
    linked = report.attempt("app's resources and manifest, by aapt2", app.link_resources,
                            cases and cases / "shipped", after=merged)
    stands = report.attempt("stand-in for LiteRT's classes", app.compile_litert, after=linked)
    for android in ("android 8", "android 15"):
        compiled = report.attempt(f"its sources against {android.title()}, warnings as errors",
                                  app.compile, android, after=stands)
    tested = report.attempt("its tests compile", app.compile_tests, after=compiled)
    robolectric = report.attempt("Robolectric is at hand", app.robolectric, after=tested)
    if robolectric:
        class_path, settings = robolectric
        run_tests("the app's tests", [*class_path, GOLDEN / "text"], app.tests,
                  properties | settings, SCREEN_TESTS, report, tools.QUICK_START)
    dexed = report.attempt("app's code as Android runs it, by D8", app.make_dex, after=compiled)
    report.attempt("signed APK, with models that memory can be mapped to", app.make_apk,
                   after=dexed and cases)
    report.attempt("the code in that APK, on the JVM again, has Python's ids and places",
                   check_dex, app, core_tests, properties,
                   after=dexed and "mobilebert.cases" in properties)


def compile_tests(core, tests):
    libraries = tools.kotlin_libraries("stdlib", "test", "test-junit5")
    tools.compile_kotlin([CORE / "test" / "kotlin"], tests,
                         [core, *libraries, artifacts.jar("runner")], [core])


def write_cases(directory, seed):
    sys.path.insert(0, str(GOLDEN))
    import make_cases

    make_cases.write(directory, seed)


def litert():
    import ai_edge_litert

    return Path(ai_edge_litert.__path__[0]) / "libLiteRt.so"


def check_dex(app, core_tests, properties):
    class_path = [app.jar_of_dex(), core_tests,
                  *tools.kotlin_libraries("test", "test-junit5"), GOLDEN / "text"]
    tools.run([*junit(class_path, properties),
               "--select-class", "dev.mobilebert.core.PythonParityTest"])


def run_tests(what, class_path, tests, properties, sources, report, *options):
    reports = tests.with_name(f"{tests.name}_reports")
    command = [*junit(class_path, properties, *options), "--scan-class-path", tests,
               "--include-classname=.*Test", "--exclude-classname=.*OnDeviceTest",
               "--reports-dir", reports]
    try:
        printed = tools.run(command)
    except tools.Failed as error:
        printed = str(error)
    # JUnit writes a file per engine, and one engine ran the tests: its file is the largest.
    results = max(reports.glob("TEST-junit-*.xml"), key=lambda path: path.stat().st_size,
                  default=None)
    if results is None:
        report.fail(f"{what} run", printed)
        return
    report.add_tests(results, sources)
    print(*(line for line in printed.splitlines() if line.startswith("measured: ")), sep="\n")


def junit(class_path, properties, *options):
    """Return the command that runs tests, with Java's `properties` and `options`."""
    return [tools.java(), *options, *(f"-D{name}={value}" for name, value in properties.items()),
            "-cp", tools.joined([*class_path, artifacts.jar("runner")]),
            "org.junit.platform.console.ConsoleLauncher", "execute", "--fail-if-no-tests",
            "--details=none", "--disable-banner", "--disable-ansi-colors"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30),
                        help="seed of the random texts; by default another in each run")
    parser.add_argument("--pictures", metavar="DIRECTORY", type=Path,
                        help="keep pictures of the screens, by day and by night, in this directory")
    arguments = parser.parse_args()
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    report = Report()
    with tempfile.TemporaryDirectory() as directory:
        check(Path(directory), arguments.seed, report, arguments.pictures)
    print(f"{report.passed} passed, {report.failed} failed, {report.not_checked} not checked "
          f"({time.monotonic() - start:.0f} s)")
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())
