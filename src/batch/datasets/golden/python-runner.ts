/**
 * Runs hidden tests of Python tasks and writes their results as JUnit XML, last of all: what the code under test prints
 * or how it exits is not a result.
 */
export const PYTHON_RUNNER = `
import os
import sys
import time
import unittest
from xml.sax.saxutils import quoteattr

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.getcwd()]
sys.dont_write_bytecode = True


class Recorder(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.cases = []

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()

    def record(self, test, failure=None):
        name = getattr(test, "_testMethodName", str(test))
        self.cases.append((name, time.monotonic() - self.started, failure))

    def addSuccess(self, test):
        self.record(test)

    def addFailure(self, test, error):
        self.record(test, self._exc_info_to_string(error, test))

    def addError(self, test, error):
        self.started = getattr(self, "started", time.monotonic())
        self.record(test, self._exc_info_to_string(error, test))


def format_case(name, seconds, failure):
    head = f'<testcase classname="hidden" name={quoteattr(name)} time="{seconds:.3f}"'
    if failure is None:
        return head + "/>"
    return head + f"><failure message={quoteattr(failure)}/></testcase>"


result = Recorder()
unittest.defaultTestLoader.loadTestsFromName("hidden_tests").run(result)
failures = sum(failure is not None for _, _, failure in result.cases)
with open(os.path.join(here, "report.xml"), "w", encoding="utf-8") as report:
    report.write(f'<testsuite name="hidden" tests="{len(result.cases)}" failures="{failures}">')
    report.write("".join(format_case(*case) for case in result.cases))
    report.write("</testsuite>")
sys.exit(1 if failures or not result.cases else 0)
`.trimStart();
