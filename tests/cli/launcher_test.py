"""./ch, ./test and ./bench as a person uses them, on a stand-in project of one source file.

The package tools are stand-ins too: nothing is installed, and what would be is written down.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(os.environ.get("CH_SOURCE", pathlib.Path(__file__).parents[2]))

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(stand_in LANGUAGES CXX)
file(GLOB extra CONFIGURE_DEPENDS src/extra/*.cpp)
list(LENGTH extra count)
add_executable(ch src/main.cpp ${extra})
target_compile_definitions(ch PRIVATE EXTRA=${count})
enable_testing()
add_test(NAME it_runs COMMAND ch)
add_custom_target(bench_programs)
file(WRITE "${CMAKE_BINARY_DIR}/tests/ch_tests" [[#!/bin/sh
if [ "$1" = --gtest_list_tests ]; then printf 'Relu.\\n  ClampsAtZero\\n  Fails # one\\nTanh.\\n  IsOdd\\n'; exit; fi
cat "${2#--gtest_flagfile=}"
grep -qv Fails "${2#--gtest_flagfile=}"
]])
file(CHMOD "${CMAKE_BINARY_DIR}/tests/ch_tests" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
"""
MAIN = """#include <cstdio>
#include <unistd.h>
int main(int argc, char** argv) {
  char folder[4096];
  std::printf("%s|%d", getcwd(folder, sizeof folder), EXTRA);
  for (int i = 1; i < argc; ++i) std::printf("|%s", argv[i]);
  std::printf("\\n");
}
"""
DPKG = """#!/bin/sh
[ -e {fake}/missing ] || {{ shift 2; for p; do echo "$p installed"; done; }}
"""
NO_TORCH = """#!/bin/sh
shift 2; for p; do case $p in *torch*) ;; *) echo "$p installed" ;; esac; done
"""
APT = """#!/bin/sh
echo "$DEBIAN_FRONTEND $*" >> {fake}/apt.calls
[ ! -e {fake}/broken ]
"""


class Launcher(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="ch launcher "))
        self.addCleanup(shutil.rmtree, self.scratch)
        self.root, self.fake = self.scratch / "a clone", self.scratch / "bin"
        for folder in ("tools", "cmake", ".ci", "src/extra", "benchmarks", "tests"):
            (self.root / folder).mkdir(parents=True)
        self.fake.mkdir()
        for name in ("ch", "test", "bench", ".ci/run", "tools/lib.sh", "tools/packages.txt",
                     "tools/layers.txt", "tests/exclusions.txt", "CMakePresets.json"):
            shutil.copy(ROOT / name, self.root / name)
        (self.root / "CMakeLists.txt").write_text(CMAKE)
        (self.root / "src/main.cpp").write_text(MAIN)
        for name, text in (("dpkg-query", DPKG), ("apt-get", APT), ("sudo", '#!/bin/sh\nexec "$@"\n')):
            (self.fake / name).write_text(text.format(fake=f"'{self.fake}'"))
            (self.fake / name).chmod(0o755)

    def start(self, *command, cwd=None, path=None):
        environment = dict(os.environ, PATH=f"{self.fake}:{path or os.environ['PATH']}")
        return subprocess.Popen([str(c) for c in command], cwd=cwd or self.root, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=environment)

    def run_it(self, *command, **more):
        process = self.start(*command, **more)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def test_it_builds_once_passes_arguments_unharmed_and_then_says_nothing(self):
        words = ["two words", "", "*", "it's \"quoted\"", "$HOME", "--flag=1"]
        status, out, err = self.run_it(self.root / "ch", *words, cwd="/usr")
        self.assertEqual((status, out), (0, "|".join(["/usr", "0", *words]) + "\n"))
        self.assertEqual(err, "building ch, which takes some minutes the first time "
                              f"(log: {self.root}/build/release.log)\n")
        self.assertEqual(self.run_it(self.root / "ch")[2], "")
        self.assertFalse((self.fake / "apt.calls").exists())

        link = self.scratch / "link"
        link.symlink_to(self.root / "ch")
        self.assertEqual(self.run_it(link, cwd="/usr"), (0, "/usr|0\n", ""))
        self.assertEqual(self.run_it("bash", "ch"), (0, f"{self.root}|0\n", ""))

        with self.subTest("an added and a deleted source are noticed"):
            (self.root / "src/extra/more.cpp").write_text("int more();\n")
            self.assertEqual(self.run_it("./ch")[1], f"{self.root}|1\n")
            (self.root / "src/extra/more.cpp").unlink()
            self.assertEqual(self.run_it("./ch")[1], f"{self.root}|0\n")

        with self.subTest("a source that does not compile"):
            (self.root / "src/main.cpp").write_text(MAIN + "int broken = nonsense;\n")
            status, out, err = self.run_it("./ch")
            self.assertEqual((status, out), (70, ""))
            self.assertIn("nonsense", err)
            self.assertIn("error: the build failed\n", err)
            (self.root / "src/main.cpp").write_text(MAIN)
            self.assertEqual(self.run_it("./ch")[0], 0)

        with self.subTest("a clone that moved builds again"):
            self.root = self.root.rename(self.scratch / "elsewhere")
            os.utime(self.root / "src/main.cpp")
            self.assertEqual(self.run_it("./ch")[1], f"{self.root}|0\n")

        with self.subTest("a warm call does little of its own"):
            # Counted, not timed: how long a call takes depends on who else is busy.
            done = subprocess.run(["bash", "-c", 'PS4="+step "; set -x; . ./ch'], cwd=self.root,
                                  capture_output=True, text=True)
            self.assertLess(done.stderr.count("+step"), 60, done.stderr)

    def test_first_calls_at_the_same_time_build_once(self):
        calls = [self.start("./ch", n) for n in range(4)]
        answers = [call.communicate(timeout=120) for call in calls]
        self.assertEqual([out for out, _ in answers], [f"{self.root}|0|{n}\n" for n in range(4)])
        self.assertEqual(sum("building ch" in err for _, err in answers), 1)

    def test_missing_packages_are_named_and_installed(self):
        (self.fake / "missing").touch()
        status, _, err = self.run_it("./ch")
        self.assertEqual(status, 0, err)
        self.assertRegex(err, r"installing \d+ Debian packages .*\n  g\+\+ cmake ")
        self.assertNotIn("ccache", err)  # optional
        update, install = (self.fake / "apt.calls").read_text().splitlines()
        self.assertRegex(update, "^noninteractive .* update$")
        self.assertRegex(install, r"^noninteractive .* install -y --no-install-recommends g\+\+ ")

    def test_packages_that_cannot_be_installed_are_listed(self):
        (self.fake / "missing").touch()
        (self.fake / "broken").touch()
        status, out, err = self.run_it("./ch")
        self.assertEqual((status, out), (69, ""))
        self.assertIn("error: these Debian packages are missing and could not be installed\n", err)
        self.assertRegex(err, "hint: .*apt-get update && apt-get install --no-install-recommends g[+][+] ")

    def test_apts_trouble_is_told_in_one_message(self):
        (self.fake / "missing").touch()
        for words, note in (
                ("E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 42 (apt-get)",
                 "another program installs packages (the lock is held by process 42 (apt-get))"),
                ("W: Temporary failure resolving 'deb.debian.org'", "apt-get cannot reach its servers"),
                ("E: Unable to locate package libzip-dev", "this release has not all of them"),
                ("sudo: a password is required", "sudo refused")):
            with self.subTest(words):
                (self.fake / "apt-get").write_text(f"#!/bin/sh\necho \"{words}\"\nexit 100\n")
                status, out, err = self.run_it("./ch")
                self.assertEqual((status, out), (69, ""))
                self.assertEqual(err.count("error:"), 1, err)
                self.assertIn(f"note: {note}; its words are in {self.root}/build/apt.log\n", err)
                self.assertRegex(err, "hint: .*apt-get update && apt-get install ")

    def test_an_installation_that_was_killed_is_ended_first(self):
        (self.fake / "missing").touch()
        for name, text in (("dpkg", f"#!/bin/sh\necho $* >> '{self.fake}/dpkg.calls'\n"),
                           ("apt-get", f"#!/bin/sh\n[ -e '{self.fake}/dpkg.calls' ] && exit\n"
                                       "echo \"E: dpkg was interrupted, you must manually run\"; exit 100\n")):
            (self.fake / name).write_text(text)
            (self.fake / name).chmod(0o755)
        status, _, err = self.run_it("./ch")
        self.assertEqual(status, 0, err)
        self.assertIn("an earlier installation was interrupted", err)
        self.assertEqual((self.fake / "dpkg.calls").read_text(), "--configure -a\n")
        (self.fake / "dpkg.calls").unlink()
        (self.fake / "dpkg").write_text("#!/bin/sh\nexit 1\n")
        shutil.rmtree(self.root / "build")
        status, _, err = self.run_it("./ch")
        self.assertEqual(status, 69)
        self.assertRegex(err, "hint: .*dpkg --configure -a && apt-get update && apt-get install ")

    def test_a_machine_without_a_compiler_is_told_what_to_install(self):
        bare = self.scratch / "bare"
        bare.mkdir()
        for name in ("bash", "sh", "env", "find", "mkdir", "flock", "awk", "cat", "rm", "tail", "nproc", "mv"):
            (bare / name).symlink_to(shutil.which(name))
        status, out, err = self.run_it("./ch", path=bare)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("error: the build needs cmake ninja c++, not found in $PATH\n", err)
        self.assertIn("hint: on Debian: apt-get install --reinstall g++ cmake ninja-build\n", err)
        self.assertEqual(err.count("error:"), 1, err)

    def shells_below(self, parent):
        """Processes that still run a script of bash, with their children."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                name, rest = (folder / "stat").read_text().rsplit(")", 1)
            except OSError:
                continue
            if int(rest.split()[1]) == parent:
                found += self.shells_below(int(folder.name)) + [int(folder.name)] * name.endswith(("(ch", "(bash"))
        return found

    def test_a_build_that_lost_its_script_is_waited_for(self):
        steps = self.scratch / "steps"
        with open(self.root / "CMakeLists.txt", "a", encoding="utf-8") as file:
            file.write(f"""add_custom_command(OUTPUT slow VERBATIM COMMAND sh -c
  "echo begin >> '{steps}'; sleep 3; echo end >> '{steps}'; touch slow")
add_custom_target(slowly DEPENDS slow)
add_dependencies(ch slowly)
""")
        first = self.start("./ch")
        while not steps.exists():
            self.assertIsNone(first.poll(), "it ended before its build began")
            time.sleep(0.02)
        # The script and its subshells; cmake and ninja live on.
        for pid in {first.pid, *self.shells_below(first.pid)}:
            os.kill(pid, signal.SIGKILL)
        status, out, err = self.run_it("./ch")
        first.communicate()
        self.assertEqual((status, out), (0, f"{self.root}|0\n"), err)
        self.assertIn("waiting for another build", err)
        self.assertRegex(steps.read_text(), r"\A(begin\nend\n)+\Z")  # never two at once

    def test_the_test_command_runs_from_anywhere_and_hands_arguments_to_ctest(self):
        status, out, err = self.run_it(self.root / "test", cwd="/usr")
        self.assertEqual(status, 0, err)
        self.assertIn("100% tests passed, 0 tests failed out of 1", out)
        status, out, err = self.run_it(self.root / "test", "-R", "no_such_test", cwd="/usr")
        self.assertNotEqual(status, 0)
        self.assertIn("No tests were found", out + err)

    def test_words_choose_tests_by_name_and_at_least_one_must_match(self):
        status, out, err = self.run_it("./test", "CLAMPS")
        self.assertEqual((status, out), (0, "--gtest_filter=Relu.ClampsAtZero\n"), err)
        status, out, err = self.run_it("./test", "isodd", "it_runs")
        self.assertEqual(status, 0, err)
        self.assertIn("--gtest_filter=Tanh.IsOdd\n", out)
        self.assertIn("100% tests passed, 0 tests failed out of 1", out)
        status, out, err = self.run_it("./test", "relu")
        self.assertEqual((status, out), (8, "--gtest_filter=Relu.ClampsAtZero:Relu.Fails\n"), err)
        status, out, err = self.run_it("./test", "no such test")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("error: no test has 'no such test' in its name\n", err)

    def test_a_preset_says_what_it_leaves_out(self):
        (self.root / "tests/exclusions.txt").write_text("# presets | test | reason\nasan debug | cli.some_test | slow\n"
                                                        "asan | cli.other_test | slower\n")
        os.environ["CH_PRESET"] = "debug"
        self.addCleanup(os.environ.pop, "CH_PRESET")
        status, _, err = self.run_it("./test")
        self.assertEqual(status, 0, err)
        self.assertIn("\nleft out under debug: cli.some_test (slow)\n", err)
        self.assertNotIn("cli.other_test", err)

    def test_a_changed_preset_is_configured_again(self):
        self.assertEqual(self.run_it("./ch")[1], f"{self.root}|0\n")
        with open(self.root / "CMakeLists.txt", "a", encoding="utf-8") as file:
            file.write("set(CH_MORE 0 CACHE STRING more)\ntarget_compile_definitions(ch PRIVATE MORE=${CH_MORE})\n")
        (self.root / "src/main.cpp").write_text(MAIN.replace("EXTRA", "MORE"))
        self.assertEqual(self.run_it("./ch")[1], f"{self.root}|0\n")
        presets = (self.root / "CMakePresets.json").read_text()
        (self.root / "CMakePresets.json").write_text(
            presets.replace('"cacheVariables": {', '"cacheVariables": { "CH_MORE": "7",'))
        self.assertEqual(self.run_it("./ch")[1], f"{self.root}|7\n")

    def test_stress_runs_when_asked_for_and_for_as_long(self):
        with open(self.root / "CMakeLists.txt", "a", encoding="utf-8") as file:
            file.write("add_test(NAME stress.one CONFIGURATIONS stress COMMAND sh -c [[echo seconds $CH_STRESS_SECONDS]])\n"
                       "set_tests_properties(stress.one PROPERTIES LABELS stress)\n")
        status, out, err = self.run_it("./test")
        self.assertEqual(status, 0, err)
        self.assertNotIn("stress.one", out)
        for words, seconds in (([], 300), (["60"], 60)):
            status, out, err = self.run_it("./test", "--stress", *words)
            self.assertEqual(status, 0, err)
            self.assertIn(f"seconds {seconds}\n", out)
            self.assertNotIn("it_runs", out)

    def forget_presets(self):
        """What ctest or the user said about this run of the tests."""
        for name in ("CH_PRESET", "CH_SIMD"):
            if name in os.environ:
                self.addCleanup(os.environ.__setitem__, name, os.environ.pop(name))

    def test_a_script_that_fails_is_named_with_the_command_that_runs_it_again(self):
        self.forget_presets()
        with open(self.root / "CMakeLists.txt", "a", encoding="utf-8") as file:
            file.write("add_test(NAME cli.broken_test COMMAND false)\n")
        status, _, err = self.run_it("./test")
        self.assertEqual(status, 8)
        self.assertIn("to repeat it: ./test cli.broken_test\n", err)
        os.environ["CH_PRESET"] = "debug"
        self.addCleanup(os.environ.pop, "CH_PRESET")
        self.assertIn("to repeat it: CH_PRESET=debug ./test cli.broken_test\n", self.run_it("./test", "broken")[2])

    def test_a_part_of_the_c_tests_says_it_itself_unless_it_is_ended(self):
        self.forget_presets()
        with open(self.root / "CMakeLists.txt", "a", encoding="utf-8") as file:
            file.write("add_test(NAME ch_tests.part_1 COMMAND sh -c [[echo 'to repeat it: ch_tests x'; exit 1]])\n"
                       "add_test(NAME ch_tests.part_2 COMMAND false)\n")
        status, out, err = self.run_it("./test")
        self.assertEqual(status, 8)
        self.assertNotIn("./test ch_tests.part_1", err)
        self.assertIn("to repeat it: ./test ch_tests.part_2\n", err)
        status, out, err = self.run_it("./test", "ch_tests.part_2")
        self.assertEqual(status, 8)
        self.assertIn("0% tests passed, 1 tests failed out of 1", out)

    def test_golden_files_are_written_for_the_words_alone_wherever_bless_stands(self):
        program = self.root / "CMakeLists.txt"
        with open(program, "a", encoding="utf-8") as file:
            file.write("add_test(NAME blessed COMMAND sh -c [[test \"$CH_BLESS\" = 1]])\n")
        for words in (["blessed", "--bless"], ["--bless", "blessed"], ["blessed", "-j1", "--bless"]):
            status, out, err = self.run_it("./test", *words)
            self.assertEqual(status, 0, err)
            self.assertIn("100% tests passed, 0 tests failed out of 1", out)

    def test_the_bench_command_goes_on_without_peers_that_cannot_be_had(self):
        (self.root / "benchmarks/run.py").write_text("import sys\nprint(*sys.argv[1:])\n")
        (self.fake / "broken").touch()
        for name, text in (("dpkg-query", NO_TORCH), ("npm", "#!/bin/sh\nexit 1\n"),
                           ("node", "#!/bin/sh\n")):
            (self.fake / name).write_text(text)
            (self.fake / name).chmod(0o755)
        status, out, err = self.run_it(self.root / "bench", "--quick", "latency", cwd="/usr")
        self.assertEqual((status, out), (0, "--quick latency\n"), err)
        self.assertIn("apt-get install --no-install-recommends python3-torch ", err)
        self.assertIn("going on without the peers among them\n", err)
        self.assertIn("npm could not install it", err)
        self.assertTrue((self.root / "build/release/ch").exists())

        with self.subTest("what needs no measuring needs no building"):
            self.assertEqual(self.run_it("./bench", "--list"), (0, "--list\n", ""))


if __name__ == "__main__":
    unittest.main()
