"""training step of 16-64-32-32-5 with batch norms, batch 256, and its products alone"""
from harness.networks import JSC_MLP_64, JSC_MLP_64_FILE

ORDER = 2
TITLE = "training step, 16-64-32-32-5"
TARGET = {"avx512": 20, "avx2": 12}


def workers(setup):
    model = setup.example(JSC_MLP_64_FILE)
    return {"ours": setup.ours("train_step", model=model, batch=256, threads=1),
            "shared": setup.ours("train_step", model=model, batch=256, threads=2),
            "torch": setup.torch("train_step", layers=JSC_MLP_64, batch=256),
            "libtorch": setup.libtorch("train_step", layers=JSC_MLP_64, batch=256),
            "products": setup.ours("products", widths="16,64,32,32,5", batch=256),
            "peak": setup.ours("peak", threads=1)}


def rows(rows):
    ours = rows.results.fastest(["ours", "shared"])
    rows.faster(TITLE, (ours,), ("torch",), "PyTorch", TARGET)
    rows.faster(TITLE, (ours,), ("libtorch",), "libtorch", TARGET)
    rows.faster(f"{TITLE}, two threads", ("shared",), ("ours",), "one thread", detail=True)
    rows.share("its products, one thread", ("products", "flops"), ("peak", "f32"),
               "float32 peak", "flop/s", 0.5)
