"""training steps of vgg7 and of a small ResNet, resnet18 for pictures of 32 x 32, batch 16, two threads"""
ORDER = 14
ROUNDS = 5
MODELS = {"vgg7": {}, "resnet18": {"size": 32, "classes": 10}}


def workers(setup):
    found = {}
    for model, more in MODELS.items():
        found[f"ours {model}"] = setup.ours("train_step", model=model, batch=16,
                                            threads=setup.threads, **more)
        found[f"torch {model}"] = setup.torch("train_step", model=model, batch=16)
    return found


def rows(rows):
    for model in MODELS:
        rows.faster(f"training step, {model}, 32 x 32", (f"ours {model}",), (f"torch {model}",),
                    "PyTorch")
