"""without.py NAME,... SCRIPT: runs a unittest script without the tests named, Class.test_name each."""
import os
import runpy
import sys
import unittest

left_out = set(sys.argv[1].split(","))
del sys.argv[:2]
sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
names_of = unittest.TestLoader.getTestCaseNames


def names_to_run(loader, case):
    return [name for name in names_of(loader, case) if f"{case.__name__}.{name}" not in left_out]


unittest.TestLoader.getTestCaseNames = names_to_run
runpy.run_path(sys.argv[0], run_name="__main__")
