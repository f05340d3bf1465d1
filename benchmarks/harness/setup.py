"""Where programs, peers and scratch files are: what works name their workers with."""
import os
import pathlib
import shutil
import subprocess

from . import levels
from .worker import Command, Failed, Missing, Worker

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent
PYTHON = "/usr/bin/python3"


def words(settings):
    return [f"{key}={value}" for key, value in settings.items()]


def numpy_knows(held):
    """Without the names of features that this numpy, or this processor, does not know: it warns."""
    key = "NPY_DISABLE_CPU_FEATURES"
    if key not in held:
        return held
    code = ("from numpy.core import _multiarray_umath as m;"
            "print(*[f for f in m.__cpu_dispatch__ if m.__cpu_features__.get(f)])")
    done = subprocess.run([PYTHON, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    known = [word for word in held[key].split() if word in done.stdout.split()]
    return {**{name: value for name, value in held.items() if name != key},
            **({key: " ".join(known)} if known else {})}


def blas_environment():
    """What the peers' BLAS needs to use this processor."""
    done = subprocess.run([PYTHON, "-B", HERE / "peers/blas.py"], capture_output=True, text=True,
                          check=False)
    core = levels.openblas_for(done.stdout.strip(), levels.machine_level())
    return {"OPENBLAS_CORETYPE": core} if core else {}


class Absent:
    """A worker that is known to be missing."""
    facts = {}

    def __init__(self, reason):
        self.reason = reason

    def start(self):
        raise Missing(self.reason)


# How each program is held to a level of instructions. ONNX Runtime has no such switch.
HELD = {
    "avx2": {"CH_SIMD": "avx2", "ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2",
             "DNNL_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell",
             "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"},
}


class Setup:
    def __init__(self, build, scratch, quick=False, simd=""):
        self.build, self.scratch, self.quick = pathlib.Path(build), pathlib.Path(scratch), quick
        self.simd, self.held = simd, {**blas_environment(), **numpy_knows(HELD.get(simd, {}))}
        self.threads = min(2, os.cpu_count() or 1)
        self.files = {}
        # Data of ours goes to a cache that ends with this run.
        self.environment = {**self.held, "CH_CACHE_DIR": str(self.scratch / "cache")}

    def ours(self, work, **settings):
        return Worker([self.build / "benchmarks/bench_ours", work, *words(settings)],
                      self.environment)

    def libtorch(self, work, **settings):
        program = self.build / "benchmarks/bench_libtorch"
        if not program.exists():
            return Absent("Debian's libtorch-dev was not there when this was built")
        return Worker([program, work, *words(settings)], self.held)

    def torch(self, script, **settings):
        return Worker([PYTHON, "-B", HERE / f"peers/torch_{script}.py", *words(settings)],
                      self.held)

    def onnxruntime(self, shape, threads, model, quantised=False, call="native"):
        """npm's."""
        node, modules = shutil.which("node"), os.environ.get("CH_ORT", "")
        if not node:
            return Absent("node is not installed")
        if not modules or not pathlib.Path(modules, "onnxruntime-node").exists():
            return Absent("onnxruntime-node could not be installed")
        return self.runtime([node, HERE / "peers/ort_forward.js", f"call={call}"], shape, threads, model,
                            quantised)

    def debian_onnxruntime(self, shape, threads, model, quantised=False):
        """Debian's, which 12 does not have."""
        return self.runtime([PYTHON, "-B", HERE / "peers/ort_forward.py"], shape, threads, model, quantised)

    def runtime(self, program, shape, threads, model, quantised):
        try:
            file = self.onnx(model, fuse=int(quantised))
            if quantised:
                file = self.changed_onnx(file, ".int8.onnx", "quantise_onnx.py")
            file = self.changed_onnx(file, f".{shape[0]}.onnx", "fix_batch.py", shape[0])
        except Missing as reason:
            return Absent(str(reason))
        return Worker([*program, f"file={file}", f"shape={','.join(map(str, shape))}", f"threads={threads}",
                       f"simd={self.simd}"])

    def onnx(self, model, **settings):
        """Our network as an ONNX file."""
        key = (model, *sorted(settings.items()))
        if key not in self.files:
            file = self.scratch / f"{len(self.files)}.onnx"
            exporter = self.ours("export_onnx", model=model, file=file, **settings)
            exporter.start()
            exporter.close()
            self.files[key] = file
        return self.files[key]

    @staticmethod
    def changed_onnx(file, suffix, script, *more):
        """What a script of peers/ makes of it."""
        to = file.with_suffix(suffix)
        if not to.exists():
            done = subprocess.run([PYTHON, "-B", HERE / "peers" / script, file, to, *map(str, more)],
                                  capture_output=True, text=True, check=False)
            if done.stdout.startswith("missing "):
                raise Missing(done.stdout[8:].strip())
            if done.returncode:
                raise Failed(f"{script}: {done.stderr.strip()[-800:]}")
        return to

    def ch(self, *arguments, **more):
        """A whole command of ours."""
        return Command([self.build / "ch", *arguments], self.environment, **more)

    @staticmethod
    def example(name):
        return ROOT / "configs/examples" / name
