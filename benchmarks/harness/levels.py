"""Levels of vector instructions: what this processor has, what each program uses of it, and who is therefore
not at its best or not held to the level that was asked for."""
import re

FEATURES = {"avx2": "AVX2", "fma": "FMA", "avx512f": "AVX-512", "avx512_vnni": "VNNI",
            "avx_vnni": "AVX-VNNI", "amx_int8": "AMX", "asimd": "NEON"}
LEVELS = ("", "avx2", "avx512")
NAMES = {"": "neither", "avx2": "AVX2", "avx512": "AVX-512"}
# OpenBLAS names its kernels after processors; of the names of x86 those that are not here have no AVX2.
OPENBLAS = {"Haswell": "avx2", "Zen": "avx2", "Excavator": "avx2",
            "SkylakeX": "avx512", "Cooperlake": "avx512", "SapphireRapids": "avx512"}
OLD = {"Generic", "Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Sandybridge", "Atom", "Athlon",
       "Opteron", "Opteron_SSE3", "Barcelona", "Bobcat", "Bulldozer", "Piledriver", "Steamroller", "Nano"}
# PyTorch's words for its own kernels.
PYTORCH = {"AVX2": "avx2", "AVX512": "avx512"}
# Variables by which a caller, often without knowing, changes how fast somebody is.
VARIABLES = ("OPENBLAS_", "GOTO_", "BLIS_", "MKL_", "OMP_", "GOMP_", "KMP_", "ATEN_", "DNNL_", "ONEDNN_",
             "NPY_", "TORCH", "PYTORCH_", "CH_SIMD")


def processor_flags():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.partition(":")[2].split() for line in file
                     if line.partition(":")[0].strip() in ("flags", "Features")), [])


def machine_level():
    flags = processor_flags()
    return "avx512" if "avx512f" in flags else "avx2" if "avx2" in flags else ""


def openblas_core(blas):
    """Haswell of "OpenBLAS 0.3.21 (Haswell)"; nothing of any other library."""
    found = re.fullmatch(r"OpenBLAS \S+ \((\w+)\)", blas)
    return found.group(1) if found else ""


def openblas_level(blas):
    """None of a library or kernels that are not known here."""
    core = openblas_core(blas)
    return "" if core in OLD else OPENBLAS.get(core)


def openblas_for(blas, level):
    """What OpenBLAS has to be told where it does not use this level by itself: versions older than a processor
    fall back to older kernels, which nobody who measures would leave so."""
    found = openblas_level(blas)
    if found is None or LEVELS.index(found) >= LEVELS.index(level):
        return ""
    return {"avx2": "Haswell", "avx512": "SkylakeX"}[level]


def held_back(facts, level):
    """Why products of a program are not as fast as they could be at this level, or ""."""
    blas = facts.get("blas", "")
    if blas in ("reference BLAS", "no BLAS"):
        return f"{blas}; Debian's libopenblas0-pthread is not installed"
    found = openblas_level(blas)
    if found is not None and LEVELS.index(found) < LEVELS.index(level):
        return f"OpenBLAS takes this processor for a {openblas_core(blas)}, without {NAMES[level]}"
    return facts.get("held_back", "")


def exceeds(facts, level):
    """Whether a program uses more than this level."""
    used = [openblas_level(facts.get("blas", "")), PYTORCH.get(facts.get("level", ""))]
    return any(LEVELS.index(found) > LEVELS.index(level) for found in used if found is not None)


def assess(facts, simd):
    """Adds to the facts of a program why it is held back, and whether it is not held to `simd`."""
    reason = held_back(facts, simd or machine_level())
    if reason:
        facts["held_back"] = reason
    if simd and exceeds(facts, simd):
        facts["not_held"] = True
