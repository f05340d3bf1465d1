"""profile_statistics: 1,000,000 jets through jsc-s, four statistics, two threads"""
from harness.networks import JSC_S

ORDER = 8
ROUNDS = 3


def workers(setup):
    rows = 100_000 if setup.quick else 1_000_000
    return {"ours": setup.ours("profile_statistics", model="jsc-s", rows=rows,
                               threads=setup.threads),
            "torch": setup.torch("statistics", layers=JSC_S, rows=rows)}


def rows(rows):
    rows.faster("four statistics of jsc-s", ("ours",), ("torch",), "PyTorch and numpy", 20)
