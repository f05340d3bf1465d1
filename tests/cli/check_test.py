"""tools/check finds what it says it finds, in a tree made for the purpose."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("CH_SOURCE", pathlib.Path(__file__).parents[2]))
FORMAT_VERSION = re.search(r"version (\d+)", subprocess.run(["clang-format", "--version"], capture_output=True,
                                                            text=True, check=True).stdout)[1]


class Check(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="ch check "))
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "tools").mkdir()
        for path in [ROOT / ".clang-format", *(ROOT / "tools").glob("check*")]:
            if path.is_file():
                shutil.copy(path, self.root / path.relative_to(ROOT))
        self.write("tools/layers.txt", "# comment\nlow:\nhigh: low\n")
        self.write("src/low/a.hpp", "// Says something.\n#pragma once\n")
        self.write("src/high/b.cpp", '// Uses it.\n#include "low/a.hpp"\n')
        for layer in ("low", "high"):
            self.write(f"src/{layer}/README.md", f"# src/{layer}\n")

    def write(self, name, text, mode=0o644):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    def check(self, *args, **environment):
        env = dict({k: v for k, v in os.environ.items() if k != "CH_BIN"}, **environment)
        done = subprocess.run([self.root / "tools/check", *args], text=True, env=env,
                              capture_output=True, check=False, cwd="/")
        return done.returncode, done.stdout

    def assert_finds(self, step, problem):
        status, out = self.check(step)
        self.assertEqual(status, 3, out)
        self.assertIn(f"  {problem}\n", out)

    def test_a_good_tree_passes_every_step(self):
        self.write("README.md", "See [a](src/low/a.hpp) and [b](https://example.org/x).\n")
        status, out = self.check("--fast")
        self.assertEqual(status, 0, out)
        steps = self.check("--list")[1].splitlines()
        quick = {step.split()[0] for step in steps if "only when it is named" not in step}
        passed = set(re.findall(r"^(\w+) +ok: ", out, re.M))
        self.assertEqual(quick - passed, {"docs"} | ({"format"} if FORMAT_VERSION != "14" else set()), out)
        self.assertIn("docs      skipped: no ch is built\n", out)
        self.assertIn("commits   skipped: there is no branch origin/main\n", self.check("commits")[1])

    def test_a_folder_with_too_many_files_fails_unless_they_are_definitions(self):
        self.write("CMakeLists.txt", "ch_collect(many src/low/defs ch_low chop::low Def)\n")
        for number in range(28):
            self.write(f"src/low/defs/d{number}.cpp", "// One.\n")
            self.write(f"src/high/h{number}.cpp", "// One.\n")
        self.write("src/low/defs/README.md", "# src/low/defs\n")
        self.assert_finds("folders", "src/high: 30 files, the most is 27; cut it by subject")
        self.assertNotIn("src/low", self.check("folders")[1])

    def test_a_folder_without_a_short_readme_fails(self):
        (self.root / "src/low/README.md").unlink()
        self.assert_finds("folders", "src/low: no README.md that says what belongs here")
        self.write("src/low/README.md", "A line.\n" * 21)
        self.assert_finds("folders", "src/low/README.md: 21 lines, the most is 20")

    def test_a_readme_names_files_and_folders_that_exist(self):
        self.write("src/low/part/README.md", "`a.hpp`, `low/a.hpp`, `src/high/b.cpp`, `part/`, `../x`, `foo.cpp`, `NAME/x.hpp`,\n"
                                             "`any word`, `Type::Member`, `a*.hpp`.\n")
        self.assertEqual(self.check("readmes")[0], 0, self.check("readmes")[1])
        self.write("src/low/part/README.md", "Here.\n`a.hpp` and `b.cpp`, `high/a.hpp`, `gone/`, `gone*.cpp`.\n")
        for name in ("b.cpp", "high/a.hpp", "gone/", "gone*.cpp"):
            self.assert_finds("readmes", f"src/low/part/README.md:2: no such file or folder: {name}")
        self.assertEqual(self.check("readmes")[1].count("no such"), 4)

    def test_the_list_of_layers_in_the_docs_is_that_of_the_build(self):
        self.write("src/README.md", "# src\n\n    low high\n")
        self.write("docs/architecture.md", "| `low` | nothing |\n| `high` | low |\n")
        self.assertEqual(self.check("readmes")[0], 0, self.check("readmes")[1])
        self.write("docs/architecture.md", "| `low` | nothing |\n")
        self.assert_finds("readmes", "docs/architecture.md: no row for the layer high")
        self.write("src/README.md", "# src\n\n    low\n")
        self.assert_finds("readmes", "src/README.md: its layers are not those of tools/layers.txt: low high")

    def test_without_git_the_files_are_those_that_lie_there(self):
        self.write("README.md", "Two words \n")
        self.write("build/README.md", "Two words \n")
        self.write("bin/python3", '#!/bin/sh\nexec /usr/bin/python3 "$@"\n', 0o755)
        status, out = self.check("habits", PATH=str(self.root / "bin"))
        self.assertEqual(status, 3, out)
        self.assertIn("  README.md:1: trailing space\n", out)
        self.assertNotIn("build/README.md", out)

    def test_another_clang_format_is_not_asked(self):
        self.write("bin/clang-format", "#!/bin/sh\necho Debian clang-format version 19.1.7\nexit 1\n", 0o755)
        status, out = self.check("format", PATH=f"{self.root / 'bin'}:{os.environ['PATH']}")
        self.assertEqual((status, out), (0, "format    skipped: clang-format is 19 here, the code is as 14 leaves it\n"))

    def test_a_type_has_one_definition_in_a_namespace(self):
        for name in ("a", "b"):
            self.write(f"src/low/{name}.cpp", "// One.\nnamespace chop::low {\nstruct Column {\n  int x;\n};\n"
                                              "struct Known;\n}  // namespace chop::low\n")
        self.assert_finds("names", "src/low/a.cpp:3: Column is defined again in chop::low, at src/low/b.cpp:3")

    def test_the_linker_refuses_two_types_of_one_name(self):
        shutil.copy(ROOT / "CMakePresets.json", self.root)
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(two LANGUAGES CXX)\n"
                                     "add_executable(ch a.cpp b.cpp)\n")
        column = "struct Column {\n  virtual ~Column() = default;\n  %s width = 0;\n};\n"
        self.write("a.cpp", column % "int" + "void other();\nint main() {\n  Column c;\n  other();\n  return c.width;\n}\n")
        self.write("b.cpp", column % "int" + "void other() {\n  Column c;\n}\n")
        self.assertEqual(self.check("odr")[0], 0)
        self.write("b.cpp", column % "double" + "void other() {\n  Column c;\n}\n")
        status, out = self.check("odr")
        self.assertEqual(status, 3, out)
        self.assertIn("Column", out)

    def test_a_type_in_unnamed_namespaces_has_one_definition_in_a_layer(self):
        for name in ("low/a", "low/b", "high/c"):
            layer = name.partition("/")[0]
            self.write(f"src/{name}.cpp", f"// One.\nnamespace chop::{layer} {{\nnamespace {{\nclass Reader {{\n}};\n"
                                          f"}}  // namespace\n}}  // namespace chop::{layer}\n")
        self.assert_finds("names", "src/low/a.cpp:4: Reader is defined again in chop::low::(unnamed in low), "
                                   "at src/low/b.cpp:4")

    def test_a_file_stands_in_the_namespace_of_its_layer(self):
        self.write("src/low/a.cpp", "// One.\nnamespace chop::high {\n}  // namespace chop::high\n")
        self.assert_finds("names", "src/low/a.cpp:2: a file of src/low stands in chop::low")

    def test_a_layer_may_not_look_up(self):
        self.write("src/low/c.cpp", '// Looks up.\n#include "high/b.hpp"\n')
        self.assert_finds("layers", "src/low/c.cpp:2: low may not include high")

    def test_quoted_headers_of_a_library_are_left_alone(self):
        self.write("src/low/c.cpp", '// SIMD.\n#include "hwy/foreach_target.h"\n')
        self.assertEqual(self.check("layers")[0], 0)

    def test_standard_headers_that_every_file_has_are_not_included_again(self):
        self.write("tools/layers.txt", "support:\nlow: support\nhigh: low\n")
        self.write("src/support/layers.hpp", "// All.\n#pragma once\n\n#include <map>\n#include <string>\n")
        self.write("src/support/README.md", "# src/support\n")
        self.write("src/low/a.hpp", '// Says something.\n#pragma once\n\n#include "support/layers.hpp"\n')
        self.write("src/high/b.cpp", '// Uses it.\n#include <set>\n#include <string>\n\n#include "low/a.hpp"\n')
        self.write("src/high/c.cpp", "// By itself.\n#include <string>\n")
        self.assert_finds("layers", "src/high/b.cpp:3: support/layers.hpp provides <string>")
        self.assertEqual(self.check("layers")[1].count("provides"), 1)

    def test_a_folder_no_layer_line_names_is_a_mistake(self):
        self.write("src/new/c.cpp", "// New.\n")
        self.assert_finds("layers", "src/new/c.cpp:1: tools/layers.txt does not know the layer 'new'")

    @unittest.skipUnless(FORMAT_VERSION == "14", "another clang-format")
    def test_code_must_be_formatted(self):
        self.write("src/low/c.cpp", "// Ugly.\nint   x;\n")
        self.assert_finds("format", "src/low/c.cpp:2: run clang-format -i")

    def test_a_file_has_six_hundred_lines_at_most(self):
        self.write("src/low/c.cpp", "//\n" * 601)
        self.assert_finds("sizes", "src/low/c.cpp: 601 lines, the most is 600")
        self.write("src/low/c.cpp", "//\n" * 301)
        status, out = self.check("sizes")
        self.assertEqual(status, 0)
        self.assertIn("over 300 lines: src/low/c.cpp (301)", out)

    def test_a_function_has_fifty_lines_at_most_and_a_table_any_number(self):
        line = "  use(\"}\");  // }\n"
        self.write("src/low/c.cpp", "// One.\nnamespace chop::low {\nstruct Box {\n  int size(int of) const {\n"
                   + line * 48 + "  }\n};\n}  // namespace chop::low\n")
        self.assertEqual(self.check("functions")[0], 0)
        self.write("src/low/c.cpp", "// One.\nnamespace chop::low {\n\nint size(\n    int of) {\n  if (of) {\n"
                   + line * 47 + "  }\n}\n\n}  // namespace chop::low\n")
        self.assert_finds("functions", "src/low/c.cpp:4: a function of 52 lines, the most is 50")
        self.write("src/low/c.cpp", "// One.\nnamespace chop::low {\nTable table() {\n  return {\n"
                   + "      {1, \"one\"},\n" * 60 + "  };\n}\n}  // namespace chop::low\n")
        self.assertEqual(self.check("functions")[0], 0)

    def test_leftovers_are_found(self):
        note, home = "TO" + "DO", "/ho" + "me/someone"
        self.write("src/low/c.cpp", f"// {note}: later\n\tint x; \n// {home}\n// end")
        for problem in ("c.cpp:1: a leftover note", "c.cpp:2: a tab", "c.cpp:2: trailing space",
                        "c.cpp:3: a path of one machine", "c.cpp: no newline at the end"):
            self.assert_finds("habits", f"src/low/{problem}")

    def test_docs_are_british_except_in_code(self):
        self.write("docs/a.md", "The `optimizer` key.\n\n```\ncolor\n```\nNice colors.\n")
        status, out = self.check("spelling")
        self.assertEqual(status, 3)
        self.assertIn("  docs/a.md:6: 'colors', here written as in 'colour'\n", out)
        self.assertEqual(out.count("written as in"), 1)

    def test_retired_words_are_found_except_in_code_of_docs_and_in_the_list_of_names(self):
        self.write("docs/a.md", "A data base.\n\n    data base\n\n`judge`\nJudged by whoever comes.\n")
        self.write("docs/naming.md", "not a data base\n")
        self.write("src/a.cpp", "// A data base.\n")
        status, out = self.check("words")
        self.assertEqual(status, 3)
        self.assertIn("  docs/a.md:1: 'data base', here called: database\n", out)
        self.assertIn("  docs/a.md:6: 'Judged', here called: evaluate, check\n", out)
        self.assertIn("  docs/a.md:6: 'whoever', here called: the name of who it is\n", out)
        self.assertIn("  src/a.cpp:1: 'data base', here called: database\n", out)
        self.assertEqual(out.count("here called"), 4)

    def test_retired_words_are_found_within_names(self):
        self.write("tests/a_test.cpp", "TEST(Store, WithoutSignsOfLifeItIsStale) {}\nint signs_of_life;\n"
                                       "int pulse_count;\nint lifeSigns;\nint impulses;\n")
        self.write("tests/b_test.py", "def test_whoever_breaks_fails(self):\n    self.check(1, places=9)\n")
        status, out = self.check("words")
        self.assertEqual(status, 3)
        for problem in ("a_test.cpp:1: 'Signs Of Life', here called: heartbeat",
                        "a_test.cpp:2: 'signs of life', here called: heartbeat",
                        "a_test.cpp:3: 'pulse', here called: heartbeat",
                        "b_test.py:1: 'whoever', here called: the name of who it is"):
            self.assertIn(f"  tests/{problem}\n", out)
        self.assertEqual(out.count("here called"), 4)

    def test_dead_links_are_found(self):
        self.write("docs/a.md", "[up](../README.md#part)\n")
        self.assert_finds("links", "docs/a.md:1: no such file: ../README.md#part")

    def test_scripts_must_parse_and_be_executable(self):
        self.write("go", "#!/usr/bin/env bash\nif\n")
        status, out = self.check("scripts")
        self.assertEqual(status, 3)
        self.assertIn("syntax error", out)
        self.assertIn("  go: chmod +x\n", out)

    def commit(self, message):
        identity = ["-c", "user.name=Someone", "-c", "user.email=someone@example.org", "-c", "commit.gpgsign=false"]
        for words in (["add", "-A"], [*identity, "commit", "-q", "--no-verify", "-m", message]):
            subprocess.run(["git", "-C", self.root, *words], check=True)
        return subprocess.run(["git", "-C", self.root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                              check=True).stdout.strip()

    def test_commits_since_the_main_branch_say_what_and_why(self):
        subprocess.run(["git", "init", "-q", self.root], check=True)
        self.commit("no area, and it is in main already " + "long " * 20)
        subprocess.run(["git", "-C", self.root, "update-ref", "refs/remotes/origin/main", "HEAD"], check=True)
        self.assertEqual(self.check("commits")[0], 0)
        self.write("a.txt", "a line\n" * 30)
        self.commit("area: thirty lines need no body")
        self.write("a.txt", "another line\n" * 30)
        self.commit("area: sixty lines with one\n\nBecause.")
        self.assertEqual(self.check("commits")[0], 0, self.check("commits")[1])
        self.write("a.txt", "")
        self.write("b.txt", "b\n")
        large = self.commit("area: much goes")
        self.write("b.txt", "c\n")
        long = self.commit("area: " + "x" * 67)
        self.write("b.txt", "d\n")
        other = self.commit("Fix things")
        for problem in (f"{large}: 31 lines changed and no body says why", f"{other}: the subject is not `area: summary`",
                        f"{long}: a subject of 73 characters, the most is 72"):
            self.assert_finds("commits", problem)
        self.assertIn("FAILED, 3", self.check("commits")[1])

    def test_stale_reference_docs_are_found(self):
        stale = '#!/bin/sh\n[ "$2" = --help ] && exit 0\necho "ops.md differs"\nexit 3\n'
        self.write("stand-in", stale, 0o755)
        status, out = self.check("docs", CH_BIN=str(self.root / "stand-in"))
        self.assertEqual(status, 3)
        self.assertIn("  ops.md differs\n  run: ./ch docs --dir docs/reference\n", out)
        self.write("stand-in", "#!/bin/sh\nexit 2\n", 0o755)
        status, out = self.check("docs", CH_BIN=str(self.root / "stand-in"))
        self.assertEqual((status, out), (0, "docs      skipped: this ch has no action docs\n"))


if __name__ == "__main__":
    unittest.main()
