"""torch_search.py trials=100 storage=memory|journal|sqlite: seconds per trial of a search with Optuna's TPE
sampler over widths of a quantised jsc-s in PyTorch, evaluated on 10,000 rows."""
import os
import sys
import tempfile
import time

from serve import about, arguments, best_threads, need, need_torch, serve

torch = need_torch()
optuna = need("optuna", "python3-optuna")
optuna.logging.set_verbosity(optuna.logging.ERROR)

args = arguments(trials=100, storage="memory")
WIDTHS = [2, 4, 6, 8]
LAYERS = ["bn", "relu", 64, "bn", "relu", 32, "relu", 32, "relu", 32, "relu", 5, "bn", "relu"]
QUANTISED_RELUS = (1, 13)
torch.manual_seed(0)
x, y = torch.randn(10000, 16), torch.randint(0, 5, (10000,))


def build():
    modules, width = [], 16
    for layer in LAYERS:
        if layer == "bn":
            modules.append(torch.nn.BatchNorm1d(width))
        elif layer == "relu":
            modules.append(torch.nn.ReLU())
        else:
            modules.append(torch.nn.Linear(width, layer))
            width = layer
    return torch.nn.ModuleList(modules).eval()


def quantise(values, width):
    scale, half = 2.0 ** (width // 2), 2 ** (width - 1)
    return torch.clamp(torch.round(values * scale), -half, half - 1) / scale


model = build()


def evaluate(width_of):
    """Accuracy and bits per weight."""
    bits = weights = 0
    with torch.inference_mode():
        value = x
        for i, module in enumerate(model):
            if isinstance(module, torch.nn.Linear):
                width = width_of(f"module_list_{i}/weight_width")
                value = torch.nn.functional.linear(
                    quantise(value, width_of(f"module_list_{i}/data_in_width")),
                    quantise(module.weight, width), quantise(module.bias, 8))
                bits += width * module.weight.numel()
                weights += module.weight.numel()
            else:
                if i in QUANTISED_RELUS:
                    value = quantise(value, width_of(f"module_list_{i}/data_in_width"))
                value = module(value)
        return (value.argmax(1) == y).float().mean().item(), bits / weights


def objective(trial):
    return evaluate(lambda name: trial.suggest_categorical(name, WIDTHS))


def journal(folder):
    """Optuna's fastest storage in a file; versions before 3.1 do not have it."""
    storages = optuna.storages
    name = os.path.join(folder, "journal.log")
    backends = getattr(storages, "journal", None)
    if hasattr(backends, "JournalFileBackend"):
        return storages.JournalStorage(backends.JournalFileBackend(name))
    if hasattr(storages, "JournalFileStorage"):
        return storages.JournalStorage(storages.JournalFileStorage(name))
    print("missing this version of Optuna has no journal storage", flush=True)
    sys.exit(0)


STORAGES = {"memory": lambda folder: None, "journal": journal,
            "sqlite": lambda folder: f"sqlite:///{os.path.join(folder, 'a.db')}"}


def search():
    with tempfile.TemporaryDirectory() as folder:
        storage = STORAGES[args["storage"]](folder)
        study = optuna.create_study(directions=["maximize", "minimize"], storage=storage,
                                    sampler=optuna.samplers.TPESampler(seed=0))
        start = time.perf_counter()
        study.optimize(objective, n_trials=args["trials"])
        return {"seconds": (time.perf_counter() - start) / args["trials"]}


chosen = best_threads(torch, lambda: evaluate(lambda name: 8))
facts = about(torch)
facts["version"] = f"Optuna {optuna.__version__} with {facts['version']}"
serve(search, **chosen, **facts)
