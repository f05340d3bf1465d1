"""forward pass of 16-64-32-32-5, batch 1, one thread"""
from harness.networks import JSC_MLP_64, JSC_MLP_64_FILE

ORDER = 5
TITLE = "forward, 16-64-32-32-5, batch 1"
CALLS = {"ort": "native", "awaited": "awaited", "debian": "Debian's"}


def workers(setup):
    model = setup.example(JSC_MLP_64_FILE)
    return {"ours": setup.ours("forward", model=model, batch=1, threads=1),
            "ort": setup.onnxruntime((1, 16), 1, model),
            "awaited": setup.onnxruntime((1, 16), 1, model, call="awaited"),
            "debian": setup.debian_onnxruntime((1, 16), 1, model),
            "torch": setup.torch("forward", layers=JSC_MLP_64, batch=1, threads=1)}


def rows(rows):
    best = rows.results.fastest(list(CALLS))
    rows.faster(TITLE, ("ours",), (best,), "ONNX Runtime", 2)
    rows.under(TITLE, ("ours",), {"avx512": 293e-9, "avx2": 500e-9}, detail=True)
    for other in CALLS:
        if other != best and rows.results.summary(other):
            rows.faster(f"{TITLE}, {CALLS[other]}", ("ours",), (other,), "ONNX Runtime", detail=True)
    rows.faster(TITLE, ("ours",), ("torch",), "PyTorch", detail=True)
