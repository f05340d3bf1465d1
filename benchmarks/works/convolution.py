"""resnet18 and mobilenetv2 at 224x224, batch 1 and 16, float32, two threads"""
ORDER = 6
ROUNDS = 7
MODELS = ("resnet18", "mobilenetv2")
BATCHES = (1, 16)


def cases():
    return [(model, batch) for model in MODELS for batch in BATCHES]


def workers(setup):
    found = {}
    for model, batch in cases():
        same = {"model": model, "threads": setup.threads}
        found[f"ours {model} {batch}"] = setup.ours("forward", batch=batch, **same)
        found[f"torch {model} {batch}"] = setup.torch("forward", batch=batch, **same)
        found[f"ort {model} {batch}"] = setup.onnxruntime((batch, 3, 224, 224), **same)
        found[f"debian {model} {batch}"] = setup.debian_onnxruntime((batch, 3, 224, 224), **same)
    return found


def rows(rows):
    for model, batch in cases():
        title, ours = f"{model}, batch {batch}", (f"ours {model} {batch}",)
        rows.faster(title, ours, (f"torch {model} {batch}",), "PyTorch", 1)
        best = rows.results.fastest([f"ort {model} {batch}", f"debian {model} {batch}"])
        rows.faster(title, ours, (best,), "ONNX Runtime", 1.05)
