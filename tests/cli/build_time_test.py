"""tools/build_time over a small tree of its own: which headers it times, and what it reads of a build."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["CH_SOURCE"])


class BuildTime(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        self.write("tools/build_time", (SOURCE / "tools/build_time").read_text())
        self.write("build/release/.ninja_log", "# ninja log v5\n0\t1500\t7\tCMakeFiles/ch_ops.dir/src/ops/relu.cpp.o\tab\n"
                                               "0\t500\t7\tCMakeFiles/ch_ops.dir/src/ops/tanh.cpp.o\tab\n")
        self.write("build/release/build.ninja", f"  DEFINES = -DFIRST=\\\"a\\\" -DHALF\n  INCLUDES = -I{self.root}/src\n"
                                                f"  DEFINES = -DHALF -DSECOND=1\n  INCLUDES = -isystem {self.root}/far\n")

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def run_it(self, *words, code=0):
        done = subprocess.run(["/usr/bin/python3", "-B", self.root / "tools/build_time", *words], cwd=self.root,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        self.error = done.stderr
        return done.stdout

    def test_headers_are_compiled_with_the_definitions_of_the_build(self):
        self.write("far/far.hpp", "#define FAR 1\n")
        self.write("src/a.hpp", "#if !defined(FIRST) || SECOND != 1\n#error\n#endif\n")
        self.write("src/b.hpp", '#include "a.hpp"\n#include "far.hpp"\n#if !FAR\n#error\n#endif\n')
        lines = self.run_it("--headers", "build/release").splitlines()
        self.assertEqual({line.split("|")[1].strip(): line.split("|")[3].strip() for line in lines[2:]}, {"a.hpp": "1", "b.hpp": "0"})

    def test_a_header_that_does_not_compile_is_named(self):
        self.write("src/a.hpp", "#error no\n")
        self.run_it("--headers", "build/release", code=1)
        self.assertIn("error: 'a.hpp' does not compile on its own\n", self.error)

    def test_a_log_becomes_seconds_by_target(self):
        text = self.run_it("--log", "build/release")
        self.assertIn("| ch_ops | 2 | 2 |\n", text)
        self.assertIn("| src/ops/relu.cpp.o | 1.5 |\n", text)
        self.run_it("--log", "build", code=1)
        self.assertIn("error: 'build' holds no finished build\n  hint: a folder such as build/release\n", self.error)


if __name__ == "__main__":
    unittest.main()
