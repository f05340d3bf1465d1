"""forward pass of 16-64-32-32-5, batch 1, one thread"""
from harness.networks import JSC_MLP_64, JSC_MLP_64_FILE

ORDER = 5
TITLE = "forward, 16-64-32-32-5, batch 1"
CALLS = {"ort": "native", "awaited": "awaited"}


def workers(setup):
    model = setup.example(JSC_MLP_64_FILE)
    return {"ours": setup.ours("forward", model=model, batch=1, threads=1),
            "ort": setup.onnxruntime((1, 16), 1, model),
            "awaited": setup.onnxruntime((1, 16), 1, model, call="awaited"),
            "torch": setup.torch("forward", layers=JSC_MLP_64, batch=1, threads=1)}


def best_call(results):
    """Whether the native call or the awaited one was faster, and the other one."""
    calls = ["ort", "awaited"]
    if all(results.summary(call) for call in calls):
        calls.sort(key=lambda call: results.summary(call).median)
    return calls


def rows(rows):
    best, other = best_call(rows.results)
    rows.faster(TITLE, ("ours",), (best,), "ONNX Runtime", 2)
    rows.faster(f"{TITLE}, {CALLS[other]}", ("ours",), (other,), "ONNX Runtime", detail=True)
    rows.faster(TITLE, ("ours",), ("torch",), "PyTorch", detail=True)
