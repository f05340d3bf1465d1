"""ONNX's own conformance models (Debian's libonnx-testdata), with expected outputs.

Prints what passed, failed and is unsupported, by kind and by operator. Any wrong answer fails. Models
differ between versions of the package (1.17 writes most in newer opsets), so each version we test with
has a list of what passes, tests/data/onnx_passing_<version>.txt, which may only grow:
  python3 tests/oracle/onnx_suite_test.py --write    renews the list of the version installed
"""

import collections
import os
import subprocess
import sys
import unittest

DATA = "/usr/share/libonnx-testdata/data"
# So many of each kind at least, by version.
LEAST = {"1.12": {"node": 650, "pytorch-converted": 82, "pytorch-operator": 35},
         "1.17": {"node": 900, "pytorch-converted": 82, "pytorch-operator": 35}}

# Expected outputs that contradict ONNX's text, with the reason.
WRONG_DATA = {"1.17": {f"node/test_qlinearmatmul_{rank}_int8_{reals}":
                       "an output of -236 is expected to wrap to 20; QLinearMatMul saturates, so it is -128"
                       for rank in ("2D", "3D") for reals in ("float16", "float32")}}


def version():
    """Of the data installed: 1.17 of 1.17.0-3+b1."""
    if not os.path.isdir(DATA):
        return "none"
    words = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "libonnx-testdata"], capture_output=True, text=True)
    return ".".join(words.stdout.split(".")[:2])


VERSION = version()
LIST = os.path.join(os.environ.get("CH_SOURCE", "."), "tests", "data", f"onnx_passing_{VERSION}.txt")


def run_suite():
    program = os.path.join(os.environ["CH_BUILD"], "tests", "oracle_onnx_suite")
    output = subprocess.run([program, DATA], check=True, capture_output=True, text=True).stdout
    return [line.split("\t") for line in output.splitlines()]


def table(rows):
    kinds = collections.defaultdict(collections.Counter)
    operators = collections.defaultdict(collections.Counter)
    for verdict, name, names, _ in rows:
        kinds[name.split("/")[0]][verdict] += 1
        for operator in names.split(","):
            operators[operator][verdict] += 1
    lines = [f"{'':20} passed failed unsupported"]
    for title, counts in list(kinds.items()) + sorted(operators.items()):
        lines.append(f"{title:20} {counts['passed']:6} {counts['failed']:6} "
                     f"{counts['unsupported']:11}")
    return "\n".join(lines)


def passing(rows):
    return [name for verdict, name, _, _ in rows if verdict == "passed"]


@unittest.skipUnless(os.path.isdir(DATA), "libonnx-testdata is not installed")
class OnnxSuite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = run_suite()
        print(table(cls.rows))

    def test_no_model_gives_a_wrong_result(self):
        wrong = {name: why for verdict, name, _, why in self.rows if verdict == "failed"}
        self.assertEqual({name: why for name, why in wrong.items() if name not in WRONG_DATA.get(VERSION, {})}, {})

    def test_cases_whose_data_contradicts_the_specification_still_fail(self):
        failed = {name for verdict, name, _, _ in self.rows if verdict == "failed"}
        self.assertEqual(set(WRONG_DATA.get(VERSION, {})) - failed, set(), "the data is right now")

    @unittest.skipUnless(VERSION in LEAST, f"no list of what passes with version {VERSION}")
    def test_what_passed_once_still_passes(self):
        with open(LIST, encoding="utf-8") as file:
            recorded = file.read().split()
        now = set(passing(self.rows))
        self.assertEqual([name for name in recorded if name not in now], [])
        new = sorted(now - set(recorded))
        self.assertEqual(new, [], "these pass now: renew the list with --write")

    @unittest.skipUnless(VERSION in LEAST, f"no counts for version {VERSION}")
    def test_enough_of_each_kind_passes(self):
        counts = collections.Counter(name.split("/")[0] for name in passing(self.rows))
        for kind, least in LEAST[VERSION].items():
            self.assertGreaterEqual(counts[kind], least, kind)

    def test_what_is_unsupported_says_why(self):
        for verdict, name, _, why in self.rows:
            if verdict == "unsupported":
                self.assertGreater(len(why), len("error: "), name)


if __name__ == "__main__":
    if "--write" in sys.argv:
        rows_now = run_suite()
        with open(LIST, "w", encoding="utf-8") as out:
            out.writelines(name + "\n" for name in passing(rows_now))
        print(table(rows_now))
    else:
        unittest.main()
