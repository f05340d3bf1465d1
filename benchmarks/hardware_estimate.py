#!/usr/bin/python3
"""benchmarks/hardware_estimate.py: how near estimates of LUTs are to what Yosys counts.

  benchmarks/hardware_estimate.py [--build build/release] [--record FILE] [--jobs N]

Puts every design of tests/support/hardware_designs.py through `ch synth` and `ch emit`, prints both
figures and the error, and the factors of src/hardware/cost/estimate.cpp that would fit best, with
the error of each design told from all others. --record writes what Yosys counted, as
tests/data/hardware_luts.txt has it.
"""
import argparse
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests" / "support"))
import hardware_designs  # noqa: E402

PRIOR = 0.03  # how strongly a factor that few designs tell about is held to 1
HEAD = """# Yosys 0.23, synth_xilinx -family xcup -flatten -nodsp -noiopad -noclkbuf -nobram -nolutram: LUT and INV, FD*, CARRY4
# of the circuits of tests/support/hardware_designs.py. benchmarks/hardware_estimate.py --record writes this file.
"""


def ask(program, action, design, folder):
    path = pathlib.Path(folder) / f"{design.name}.chir"
    path.write_text(design.text)
    done = subprocess.run([program, action, path, *design.options, "--out", f"{path}-{action}", "--json", "-"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def measured(program, design, folder):
    made = ask(program, "synth", design, folder)["circuits"][0]
    return design.name, made["luts"], made["registers_made"], made["carries"], ask(program, "emit", design, folder)


def fitted(parts, luts):
    """Factors with small relative errors: least squares, large errors counting less each time round."""
    count = parts.shape[1]
    a = numpy.vstack([parts / luts[:, None], PRIOR * numpy.eye(count)])
    b = numpy.r_[numpy.ones(len(luts)), PRIOR * numpy.ones(count)]
    weights = numpy.ones(len(b))
    for _ in range(60):
        kept = list(range(count))
        while True:
            root = numpy.sqrt(weights)
            found = numpy.linalg.lstsq(a[:, kept] * root[:, None], b * root, rcond=None)[0]
            if (found >= 0).all():
                break
            kept = [k for k, value in zip(kept, found) if value >= 0]
        factors = numpy.zeros(count)
        factors[kept] = found
        away = numpy.abs((a @ factors - b)[:len(luts)])
        weights = numpy.r_[1 / numpy.maximum(away, 0.02), numpy.full(count, 50.0)]
    return factors


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default=ROOT / "build/release")
    options.add_argument("--record")
    options.add_argument("--jobs", type=int, default=2)
    given = options.parse_args()
    program = pathlib.Path(given.build) / "ch"
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        rows = list(pool.map(lambda design: measured(program, design, folder), hardware_designs.designs()))
    errors = [abs(said["estimate"]["luts"] / luts - 1) for _, luts, _, _, said in rows]
    for (name, luts, _, _, said), error in zip(rows, errors):
        print(f"{name:36} Yosys {luts:6} estimate {said['estimate']['luts']:6} error {100 * error:5.1f} %")
    print(f"{len(rows)} designs: median {100 * statistics.median(errors):.1f} %, worst {100 * max(errors):.1f} %")
    parts = numpy.array([row[4]["estimate"]["parts"][:-1] for row in rows])
    luts = numpy.array([row[1] for row in rows], dtype=float)
    print("best factors", numpy.round(fitted(parts, luts), 2))
    others = [~numpy.eye(len(rows), dtype=bool)[i] for i in range(len(rows))]
    left_out = [abs(parts[i] @ fitted(parts[keep], luts[keep]) / luts[i] - 1) for i, keep in enumerate(others)]
    print(f"each told from the others: median {100 * numpy.median(left_out):.1f} %, worst {100 * max(left_out):.1f} %")
    if given.record:
        lines = [f"{name} {count} {registers} {carries}\n" for name, count, registers, carries, _ in rows]
        pathlib.Path(given.record).write_text(HEAD + "".join(lines))


if __name__ == "__main__":
    main()
