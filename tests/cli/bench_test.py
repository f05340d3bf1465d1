"""What ./bench makes of numbers, with workers that only pretend to measure."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

ROOT = pathlib.Path(os.environ.get("CH_SOURCE", pathlib.Path(__file__).parents[2]))
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "benchmarks"))
from harness import levels, page  # noqa: E402
from harness.rounds import Results  # noqa: E402
from harness.rows import Rows  # noqa: E402

QUIET = {name: value for name, value in os.environ.items() if not name.startswith(levels.VARIABLES)}

# Answers 1 ms times its factor, a little more in every round, and writes down who was asked.
WORKER = """import json
import sys
name, factor, log = sys.argv[1], float(sys.argv[2]), sys.argv[3]
if factor == 0:
    print("missing there is no network", flush=True)
    sys.exit(0)
if factor < 0:
    sys.exit("it broke")
facts = {"parameters": 118 if name == "stranger" else 117}
if name == "old":
    facts.update(version="Old 1.0", held_back="a slow BLAS")
if name in ("narrow", "wide"):
    core = {"narrow": "Prescott", "wide": "SkylakeX"}[name]
    facts.update(version=name.title() + " 3.0", blas=f"OpenBLAS 0.3.21 ({core})", level="AVX2")
if name == "free":
    facts.update(version="Free 2.0", not_held=True, way="quick", tried={"quick": 0.001, "odd": "ImportError"})
print("ready", json.dumps(facts), flush=True)
for round, _ in enumerate(sys.stdin):
    with open(log, "a") as file:
        file.write(name[0])
    print('{"seconds": %g}' % (1e-3 * factor * (1 + round / 10)), flush=True)
"""
WORK = """'''a work that is none

More words.'''
from harness.worker import Command, Worker

ORDER = 1
WHO = {who}


def workers(setup):
    found = {{name: Worker(["/usr/bin/python3", {worker!r}, name, factor, {log!r}])
             for name, factor in WHO.items()}}
    return {{**found, "command": Command(["true"])}}


def rows(rows):
    for peer in list(WHO)[1:]:
        rows.faster(f"step <beside> {{peer}}", ("ours",), (peer,), f"{{peer}} & co", 20)
    rows.costs("costs", ("peer",), ("ours",), "ours", 50)
    rows.share("share", ("ours",), ("peer",), "peer", "s", 0.5)
    rows.under("whole command", ("command",), 60)
    rows.is_("alone", ("ours",), "s", detail=True)
"""

SPIES = """'''what a program is started with'''
from harness.worker import Command

ORDER = 1


def workers(setup):
    return {"spy": Command(["/bin/sh", "-c", "env >seen"], setup.held)}


def rows(rows):
    rows.is_("spy", ("spy",), "s")
"""


class Bench(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory(prefix="ch bench ")
        self.addCleanup(held.cleanup)
        self.root = pathlib.Path(held.name)
        (self.root / "works").mkdir()
        (self.root / "worker.py").write_text(WORKER)
        self.log = self.root / "log"

    def work(self, **who):
        (self.root / "works/pretend.py").write_text(
            WORK.format(who=who, worker=str(self.root / "worker.py"), log=str(self.log)))

    def bench(self, *args, variables=None):
        done = subprocess.run(
            [ROOT / "benchmarks/run.py", "--folder", self.root / "works", "--json",
             self.root / "out.json", "--svg", self.root / "out.svg", *args],
            text=True, capture_output=True, check=False, cwd=self.root,
            env={**QUIET, **(variables or {})})
        return done.returncode, done.stdout, done.stderr

    def cells(self, out, title):
        line = next(line for line in out.splitlines() if line.startswith(f"| {title}"))
        return [cell.strip() for cell in line.strip("|").split("|")]

    def test_workers_take_turns_and_medians_become_ratios(self):
        self.work(ours=1, peer=40)
        status, out, err = self.bench("--rounds", "3")
        self.assertEqual(status, 0, err)
        self.assertEqual(self.log.read_text(), "oppoop")
        self.assertEqual(self.cells(out, "step <beside> peer"),
                         ["step <beside> peer", "1.10 ms (1.00 to 1.20)", "peer & co",
                          "44.0 ms (40.0 to 48.0)", "40.0x", "at least 20x", "met"])
        self.assertEqual(self.cells(out, "costs")[4:], ["40.0x", "at most 50x", "met"])
        self.assertEqual(self.cells(out, "share")[4:], ["2.5 %", "at least 50 %", "missed"])
        self.assertEqual(self.cells(out, "whole command")[5:], ["under 60.0 s", "met"])
        self.assertTrue(out.endswith("3 met, 1 missed, 0 not measured\n"), out)

    def test_a_missing_peer_is_said_and_the_rest_goes_on(self):
        self.work(ours=1, peer=40, absent=0)
        status, out, err = self.bench("--rounds", "1")
        self.assertEqual(status, 0, err)
        self.assertEqual(self.cells(out, "step <beside> absent")[3:],
                         ["there is no network", "", "at least 20x", "not measured"])
        self.assertEqual(self.cells(out, "step <beside> peer")[-1], "met")

    def test_a_contender_that_fails_makes_the_run_fail_at_its_end(self):
        self.work(ours=1, peer=40, broken=-1, stranger=2)
        status, out, err = self.bench("--rounds", "1")
        self.assertEqual(status, 1)
        self.assertIn("error: pretend: broken ended: it broke", err)
        self.assertIn("error: pretend: stranger has 118 parameters, ours has 117", err)
        self.assertEqual(self.cells(out, "step <beside> peer")[-1], "met")

    def test_json_holds_everything_and_shows_the_run_again(self):
        self.work(ours=1, peer=40)
        _, out, _ = self.bench("--rounds", "2")
        done = json.loads((self.root / "out.json").read_text())
        self.assertEqual(done["works"]["pretend"]["values"]["peer"], {"seconds": [0.04, 0.044]})
        self.assertEqual([row["verdict"] for row in done["rows"]],
                         ["met", "met", "missed", "met", ""])
        picture = (self.root / "out.svg").read_text()
        status, again, _ = self.bench("--from", str(self.root / "out.json"))
        self.assertEqual((status, again), (0, out))
        self.assertEqual((self.root / "out.svg").read_text(), picture)

    def test_the_picture_has_a_bar_for_every_ratio_beside_a_peer(self):
        self.work(ours=1, peer=40, slow=0.25, absent=0)
        self.bench("--rounds", "1")
        drawn = xml.dom.minidom.parse(str(self.root / "out.svg"))
        words = [node.firstChild.data for node in drawn.getElementsByTagName("text")]
        self.assertIn("step <beside> peer", words)
        self.assertIn("40.0x", words)
        self.assertIn("0.25x", words)
        self.assertNotIn("step <beside> absent", words)
        self.assertNotIn("costs", words)

    def test_a_ratio_beside_a_peer_that_is_held_back_is_no_headline(self):
        self.work(ours=1, peer=40, old=90)
        _, out, _ = self.bench("--rounds", "1")
        self.assertIn("Old 1.0, held back: a slow BLAS", out)
        self.assertEqual(self.cells(out, "step <beside> old")[4:],
                         ["90.0x", "at least 20x", "held back: a slow BLAS"])
        self.assertTrue(out.endswith("1 beside a peer that is held back\n"), out)
        self.assertNotIn("90.0x", (self.root / "out.svg").read_text())

    def test_who_cannot_be_held_to_a_level_is_named(self):
        self.work(ours=1, peer=40, free=2)
        _, out, _ = self.bench("--rounds", "1", "--simd", "avx2")
        self.assertIn("held to avx2: ours\nnot held to it, having no switch for it: Free 2.0", out)
        self.assertIn("pretend, free: quick (tried: quick 1.00 ms; odd failed)", out)
        status, _, err = self.bench("--simd", "mmx")
        self.assertEqual(status, 2)
        self.assertIn("--simd", err)

    def test_a_blas_that_does_not_know_the_processor_holds_a_peer_back(self):
        if levels.machine_level() == "":
            self.skipTest("no vector instructions to miss")
        self.work(ours=1, peer=40, narrow=90)
        _, out, _ = self.bench("--rounds", "1")
        self.assertIn("held back: OpenBLAS takes this processor for a Prescott, without AVX", out)
        self.assertIn("1 beside a peer that is held back\n", out)
        self.assertNotIn("90.0x", (self.root / "out.svg").read_text())

    def test_who_uses_more_than_the_level_is_not_called_held_to_it(self):
        self.work(ours=1, peer=40, wide=2)
        _, out, _ = self.bench("--rounds", "1", "--simd", "avx2")
        self.assertIn("held to avx2: ours\nnot held to it, having no switch for it: Wide 3.0", out)

    def test_variables_that_change_a_peer_are_unset_and_named(self):
        (self.root / "works/pretend.py").write_text(SPIES)
        _, out, _ = self.bench("--rounds", "1", variables={"OPENBLAS_CORETYPE": "Haswell", "OMP_NUM_THREADS": "7"})
        self.assertIn("unset: OPENBLAS_CORETYPE=Haswell, OMP_NUM_THREADS=7", out)
        seen = (self.root / "seen").read_text()
        self.assertNotIn("OPENBLAS_CORETYPE=Haswell", seen)
        self.assertNotIn("OMP_NUM_THREADS", seen)

    def test_a_target_may_depend_on_the_level(self):
        rows = Rows(Results("none", values={"ours": {"seconds": [1.0]}}), "avx2")
        self.assertEqual(rows.under("step", ("ours",), {"avx512": 0.5, "avx2": 2}).verdict, "met")
        rows.level = "avx512"
        self.assertEqual(rows.under("step", ("ours",), {"avx512": 0.5, "avx2": 2}).verdict, "missed")
        rows.level = ""
        self.assertEqual(rows.under("step", ("ours",), {"avx512": 0.5, "avx2": 2}).verdict, "")

    def test_openblas_is_told_what_it_does_not_find_out(self):
        for blas, level, expected in (("OpenBLAS 0.3.21 (Prescott)", "avx512", "SkylakeX"),
                                      ("OpenBLAS 0.3.21 (Zen)", "avx512", "SkylakeX"),
                                      ("OpenBLAS 0.3.21 (Prescott)", "avx2", "Haswell"),
                                      ("OpenBLAS 0.3.29 (Cooperlake)", "avx512", ""),
                                      ("OpenBLAS 0.3.21 (Zen)", "avx2", ""),
                                      ("OpenBLAS 0.3.40 (Unheard)", "avx512", ""), ("MKL", "avx512", "")):
            with self.subTest(blas=blas, level=level):
                self.assertEqual(levels.openblas_for(blas, level), expected)

    def test_two_runs_stand_side_by_side(self):
        self.work(ours=1, peer=40)
        self.bench("--rounds", "1")
        (self.root / "out.json").rename(self.root / "wide.json")
        self.work(ours=2, peer=40)
        self.bench("--rounds", "1", "--simd", "avx2")
        status, out, _ = self.bench("--from", self.root / "wide.json", "--beside",
                                    self.root / "out.json")
        self.assertEqual(status, 0)
        self.assertEqual(self.cells(out, "step <beside> peer")[1:],
                         ["peer & co", "1.00 ms", "40.0 ms", "40.0x", "2.00 ms", "40.0 ms", "20.0x"])
        picture = (self.root / "out.svg").read_text()
        self.assertIn("40.0x", picture)
        self.assertIn("20.0x", picture)
        self.assertEqual(self.bench("--beside", self.root / "out.json")[0], 2)

    def two_runs(self):
        for name, ours, held in (("wide", 1, 80), ("narrow", 4, 90)):
            self.work(ours=ours, peer=40, old=held, free=8)
            text = (self.root / "works/pretend.py").read_text().replace("step <beside> {peer}", "training step, jsc-tiny")
            (self.root / "works/pretend.py").write_text(text.replace("{peer} & co", "{dict(peer='PyTorch', old='Old', free='Free')[peer]}"))
            self.bench("--rounds", "1", *(["--simd", "avx2"] if name == "narrow" else []))
            (self.root / "out.json").rename(self.root / f"{name}.json")
        return "--from", self.root / "wide.json", "--beside", self.root / "narrow.json"

    @unittest.skipUnless(levels.machine_level(), "no vector instructions to be held to")
    def test_two_runs_go_into_the_pages_and_again(self):
        runs = self.two_runs()
        pages = {"docs/speed.md": "# Speed\n\n" + page.BEGIN + "old\n" + page.END + "\n## Rest\n",
                 "README.md": "# It\n\nFast. A training step of a jet-sized model takes a 2nd\nof PyTorch's time "
                              "([measured](docs/speed.md)). More.\n\nEnd.\n"}
        (self.root / "docs/images").mkdir(parents=True)
        for name, text in pages.items():
            (self.root / name).write_text(text)
        for _ in range(2):
            status, out, err = self.bench(*runs, "--page", "--root", self.root)
            self.assertEqual(status, 0, err)
            self.assertEqual(out.count("wrote "), 3)
            text = (self.root / "docs/speed.md").read_text()
            self.assertTrue(text.startswith("# Speed\n\n" + page.BEGIN) and text.endswith(page.END + "\n## Rest\n"))
            self.assertNotIn("old\n", text)
            self.assertEqual(self.cells(text, "training step, jsc-tiny")[1:],
                             ["PyTorch", "1.00 ms", "40.0 ms", "40.0x", "4.00 ms", "40.0 ms", "10.0x"])
            self.assertIn("(80.0x)", text)
            self.assertIn("In brackets: a slow BLAS.", text)
            self.assertIn("With a star: Free could not be held to the level of that column", text)
            self.assertIn("2.00x*", text)
            self.assertIn("* Free has no switch for that", (self.root / "docs/images/bench.svg").read_text())
            said = (self.root / "README.md").read_text()
            self.assertTrue(said.startswith("# It\n\nFast. ") and said.endswith(" More.\n\nEnd.\n"), said)
            self.assertEqual(" ".join(said.split()), "# It Fast. A training step of a jet-sized model takes a 40th of "
                             f"PyTorch's time with {levels.NAMES[levels.machine_level()]} and a 10th of PyTorch's time "
                             "with AVX2 ([measured](docs/speed.md)). More. End.")
            xml.dom.minidom.parse(str(self.root / "docs/images/bench.svg"))
        self.assertEqual(self.bench("--page")[0], 2)

    def test_a_page_without_a_place_for_the_figures_is_left_alone(self):
        runs = self.two_runs()
        (self.root / "docs").mkdir()
        (self.root / "docs/speed.md").write_text("# Speed\n")
        status, _, err = self.bench(*runs, "--page", "--root", self.root)
        self.assertNotEqual(status, 0)
        self.assertIn("the place for the figures is not there", err)
        self.assertEqual((self.root / "docs/speed.md").read_text(), "# Speed\n")

    def test_parts_of_somebodys_time_are_read_aloud(self):
        self.assertEqual([page.part(ratio) for ratio in (2.2, 3.4, 7.9, 11, 12, 18.4, 21, 22, 80, 111, 102)],
                         ["a 2nd", "a 3rd", "an 8th", "an 11th", "a 12th", "an 18th", "a 21st", "a 22nd", "an 80th",
                          "a 111th", "a 102nd"])

    def test_unknown_works_and_the_list(self):
        self.work(ours=1, peer=40)
        status, _, err = self.bench("nothing")
        self.assertEqual(status, 2)
        self.assertIn("unknown work 'nothing'; there are pretend", err)
        status, out, _ = self.bench("--list")
        self.assertEqual((status, out), (0, "pretend               a work that is none\n"))

    def test_every_real_work_can_be_listed(self):
        done = subprocess.run([ROOT / "benchmarks/run.py", "--list"], text=True,
                              capture_output=True, check=True)
        names = {line.split()[0] for line in done.stdout.splitlines()}
        self.assertEqual(names, {path.stem for path in (ROOT / "benchmarks/works").glob("*.py")})


if __name__ == "__main__":
    unittest.main()
