"""training steps of jsc-toy and jsc-s, batch 256: more of the zoo, without targets"""
from harness.networks import JSC_S, JSC_TOY

ORDER = 12
ROUNDS = 5
LAYERS = {"jsc-toy": JSC_TOY, "jsc-s": JSC_S}


def workers(setup):
    found = {}
    for model, layers in LAYERS.items():
        found[f"ours {model}"] = setup.ours("train_step", model=model, batch=256, threads=1)
        found[f"torch {model}"] = setup.torch("train_step", layers=layers, batch=256)
    return found


def rows(rows):
    for model in LAYERS:
        rows.faster(f"training step, {model}", (f"ours {model}",), (f"torch {model}",),
                    "PyTorch", detail=True)
