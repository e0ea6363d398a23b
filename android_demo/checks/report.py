"""What the checks came to."""

import time
import xml.etree.ElementTree as ElementTree

import tools


class Report:
    """Counts what passed, failed and was not checked, and prints a line for each."""

    def __init__(self):
        self.passed = self.failed = self.not_checked = 0

    def attempt(self, what, work, *arguments, after=True):
        """Runs one check, unless the one before it that it needs did not pass.

        Returns:
          what `work` does, or True for None, where the check passed; else None.
        """
        if not after:
            self.skip(what, "it needs a check that did not pass")
            return None
        start = time.monotonic()
        try:
            result = work(*arguments)
        except tools.Missing as error:
            self.skip(what, str(error))
        except Exception as error:  # whatever goes wrong is one failed check
            self.fail(what, str(error) or repr(error))
        else:
            self.passed += 1
            print(f"passed: {what} ({time.monotonic() - start:.0f} s)", flush=True)
            return True if result is None else result
        return None

    def fail(self, what, reason):
        self.failed += 1
        print(f"FAILED: {what}\n{reason}", flush=True)

    def skip(self, what, reason):
        self.not_checked += 1
        print(f"NOT CHECKED: {what}: {reason}", flush=True)

    def add_tests(self, results, sources):
        """Counts JUnit's test cases and prints a line a class, and one for each that failed.

        Args:
          results: JUnit's file.
          sources: directories of the tests: each file *Test.kt is to have run.
        """
        by_class = {}
        for case in ElementTree.parse(results).iter("testcase"):
            by_class.setdefault(case.get("classname").rpartition(".")[2], []).append(case)
        for name in sorted(path.stem for source in sources for path in source.rglob("*Test.kt")):
            self._add_class(name, by_class.pop(name, []))
        for name in by_class:
            self.fail(name, "a class of tests that no file *Test.kt is named after")

    def _add_class(self, name, cases):
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
                self.skip(what, first_line.partition(": ")[2].removeprefix("Assumption failed: "))
            else:
                passed += 1
        if passed:
            seconds = sum(float(case.get("time")) for case in cases)
            print(f"passed: {name}, {passed} tests ({seconds:.0f} s)")
        self.passed += passed
