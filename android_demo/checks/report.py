"""Report: counts the results of the checks and prints them."""

import time
import xml.etree.ElementTree as ElementTree

import tools


class Report:
    """Counts the checks that passed, failed and did not run, and prints a line for each."""

    def __init__(self):
        self.passed = self.failed = self.not_checked = 0

    def attempt(self, what, work, *arguments, after=True):
        """Run one check, unless a check that it needs did not pass.

        Args:
          what: the name of the check.
          work: called with `arguments`; an exception means that the check failed, or, if it is
            `tools.Missing`, that it cannot run here.
          after: the result of the check that this one needs.
        Returns:
          the result of `work`, or True if that is None; None if the check did not pass.
        """
        if not after:
            self.skip(what, "it needs a check that did not pass")
            return None
        start = time.monotonic()
        try:
            result = work(*arguments)
        except tools.Missing as error:
            self.skip(what, str(error))
        except Exception as error:  # any error is one failed check
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
        """Count JUnit's test cases; print a line per class, and one for each failed case.

        Args:
          results: JUnit's file.
          sources: directories of the tests; a class that no file *Test.kt is named after, or
            a file without a test that ran, counts as failed.
        """
        by_class = {}
        for case in ElementTree.parse(results).iter("testcase"):
            by_class.setdefault(case.get("classname").rpartition(".")[2], []).append(case)
        for name in sorted(path.stem for source in sources for path in source.rglob("*Test.kt")):
            self._add_class(name, by_class.pop(name, []))
        for name in by_class:
            self.fail(name, "no file *Test.kt has the name of this class of tests")

    def _add_class(self, name, cases):
        if not cases:
            self.fail(name, "none of its tests ran")
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
