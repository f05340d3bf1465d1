"""training step of jsc-tiny, batch 256: forward, backward, Adam"""
from harness.networks import JSC_TINY

ORDER = 1
TITLE = "training step, jsc-tiny"
TARGET = {"avx512": 50, "avx2": 40}


def workers(setup):
    return {"ours": setup.ours("train_step", model="jsc-tiny", batch=256, threads=1),
            "torch": setup.torch("train_step", layers=JSC_TINY, batch=256),
            "libtorch": setup.libtorch("train_step", layers=JSC_TINY, batch=256)}


def rows(rows):
    rows.faster(TITLE, ("ours",), ("torch",), "PyTorch", TARGET)
    rows.faster(TITLE, ("ours",), ("libtorch",), "libtorch", TARGET)
