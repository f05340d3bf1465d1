"""forward pass of jsc-s with every linear and relu operand in integer(8, 4), batch 1024"""
from harness.networks import JSC_S

ORDER = 13
ROUNDS = 5
TITLE = "quantised forward, jsc-s, batch 1024"


def workers(setup):
    same = {"batch": 1024, "threads": 1}
    return {"ours": setup.ours("forward", model="jsc-s", quantise="linear,relu", **same),
            "float": setup.ours("forward", model="jsc-s", **same),
            "torch": setup.torch("forward", layers=JSC_S, quantiser="straight", **same)}


def rows(rows):
    rows.costs(TITLE, ("ours",), ("float",), "our float32", detail=True)
    rows.faster(TITLE, ("ours",), ("torch",), "PyTorch", detail=True)
