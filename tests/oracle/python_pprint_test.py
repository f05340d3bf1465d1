"""python_pformat and python_repr against Python's own, on random nested values."""

import json
import os
import pprint
import random
import subprocess
import unittest

WORDS = ["data_in_0", "stat", "weight", "range_min_max", "é", "日本", "it's", 'say "x"', "a\\b",
         "two words", "tab\t", "new\nline\n", "", " ", "x" * 30, "torch.float32", "\x1f", "\r\n"]


def text(r):
    return r.choice(["", " "]).join(r.choice(WORDS) for _ in range(r.choice([1, 1, 1, 3, 12])))


def value(r, depth):
    kind = r.random()
    if depth == 0 or kind < 0.35:
        return r.choice([
            lambda: None, lambda: True, lambda: False, lambda: r.randint(-10**r.randint(0, 18), 10**6),
            lambda: r.uniform(-1, 1) * 10.0 ** r.randint(-30, 30), lambda: float(r.randint(-5, 5)),
            lambda: 1e16, lambda: 1e-5, lambda: -0.0, lambda: text(r)])()
    size = r.choice([0, 1, 1, 2, 3, 8])
    if kind < 0.6:
        return [value(r, depth - 1) for _ in range(size)]
    return {text(r): value(r, depth - 1) for _ in range(size)}


def metadata():
    tensor = {"shape": [8, 16], "torch_dtype": "float32", "type": "float", "precision": [32]}
    return {"mase_type": "module_related_func", "mase_op": "linear",
            "args": {"data_in_0": tensor, "weight": tensor, "bias": tensor},
            "results": {"data_out_0": tensor}}


class PprintAgainstPython(unittest.TestCase):
    maxDiff = None

    def test_random_values_print_as_python_prints_them(self):
        r = random.Random(1)
        cases = [(metadata(), 80), ({}, 80), ([], 80), ("", 80), ("word " * 40, 80), ("x" * 200, 80),
                 ({"a": {}}, 1), ({"stat": {}}, 80)]
        cases += [(value(r, r.randint(0, 5)), r.choice([80, 80, 80, 40, 20, 1])) for _ in range(5000)]
        lines = "".join(json.dumps({"value": v, "width": w}) + "\n" for v, w in cases)
        program = os.path.join(os.environ["CH_BUILD"], "tests", "oracle_python_pprint")
        out = subprocess.run([program], input=lines, check=True, capture_output=True, text=True).stdout
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(answers), len(cases))
        for (v, width), (pretty, plain) in zip(cases, answers):
            self.assertEqual(pretty, pprint.pformat(v, width=width))
            self.assertEqual(plain, repr(v))


if __name__ == "__main__":
    unittest.main()
