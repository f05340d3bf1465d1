"""The program as it is linked: what makes a mistake in reading foreign files harder to use."""
import os
import subprocess
import unittest

CH = os.environ["CH_BIN"]


def readelf(*words):
    return subprocess.run(["readelf", "--wide", *words, CH], capture_output=True, text=True, check=True).stdout


class Hardening(unittest.TestCase):
    def test_it_can_lie_anywhere_in_memory(self):
        self.assertIn("DYN (Position-Independent Executable file)", readelf("--file-header"))

    def test_its_tables_of_functions_are_filled_at_the_start_and_then_read_only(self):
        self.assertIn("GNU_RELRO", readelf("--program-headers"))
        self.assertRegex(readelf("--dynamic"), r"FLAGS.*\bBIND_NOW\b|FLAGS_1.*\bNOW\b")

    def test_its_stack_holds_no_code(self):
        stack = next(line for line in readelf("--program-headers").splitlines() if "GNU_STACK" in line)
        self.assertRegex(stack, r" RW +0x")

    def test_buffers_on_the_stack_and_copies_of_memory_are_guarded(self):
        symbols = readelf("--dyn-syms")
        self.assertIn("__stack_chk_fail", symbols)
        self.assertRegex(symbols, r"__(memcpy|memset|snprintf|vsnprintf|read|fread|pread)_chk")


if __name__ == "__main__":
    unittest.main()
