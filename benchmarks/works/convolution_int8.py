"""resnet18 at 224x224 with 8-bit operands, batch 1 and 16, two threads

Ours: integer(8, 4) activations and integer(8, 7) weights of every convolution and linear layer,
batch norms folded. ONNX Runtime: the same network as QDQ, made to its liking."""
ORDER = 7
ROUNDS = 7
BATCHES = (1, 16)


def workers(setup):
    found = {}
    for batch in BATCHES:
        same = {"model": "resnet18", "threads": setup.threads}
        ours = {"batch": batch, "fuse": 1, **same}
        found[f"ours {batch}"] = setup.ours("forward", quantise="conv2d,linear", data=4, weight=7,
                                            **ours)
        found[f"float {batch}"] = setup.ours("forward", **ours)
        found[f"ort {batch}"] = setup.onnxruntime((batch, 3, 224, 224), quantised=True, **same)
        found[f"debian {batch}"] = setup.debian_onnxruntime((batch, 3, 224, 224), quantised=True, **same)
    return found


def rows(rows):
    for batch in BATCHES:
        title = f"resnet18 in 8 bits, batch {batch}"
        rows.faster(title, (f"ours {batch}",), (f"float {batch}",), "our float32", {"avx512": 2.5, "avx2": 1.3})
        best = rows.results.fastest([f"ort {batch}", f"debian {batch}"])
        rows.faster(title, (f"ours {batch}",), (best,), "ONNX Runtime", {"avx512": 1.5, "avx2": 1})
