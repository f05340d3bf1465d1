"""training step of jsc-toy with every linear and relu operand in integer(8, 4), batch 256"""
from harness.networks import JSC_TOY

ORDER = 4
TITLE = "quantised step, jsc-toy"


def workers(setup):
    return {"ours": setup.ours("train_step", model="jsc-toy", batch=256, threads=1,
                               quantise="linear,relu"),
            "float": setup.ours("train_step", model="jsc-toy", batch=256, threads=1),
            "torch": setup.torch("train_step", layers=JSC_TOY, batch=256, quantiser="straight"),
            "fused": setup.torch("train_step", layers=JSC_TOY, batch=256, quantiser="fused")}


def rows(rows):
    rows.costs(TITLE, ("ours",), ("float",), "our float step", {"avx512": 1.1, "avx2": 1.2})
    rows.faster(TITLE, ("ours",), ("torch",), "PyTorch", 15)
    rows.faster(TITLE + ", its fused op", ("ours",), ("fused",), "PyTorch", detail=True)
