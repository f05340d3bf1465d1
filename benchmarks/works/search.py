"""2,000 trials of configs/examples/jsc_s_search.toml: 4^12 points of jsc-s, 10,000 jets a trial

The whole command, its study in memory and in a SQLite file. Beside it Optuna's TPE sampler calling
the same network in PyTorch, over as many trials as are worth waiting for: it slows down with their
number, so more of them would cost more each."""
import json

ORDER = 15
ROUNDS = 3
TRIALS = 2000
OPTUNA_TRIALS = 100


def read(folder, trials):
    """Seconds per trial of the first and the last quarter, by when trials ended."""
    log = json.loads((folder / "log.json").read_text())
    ended = sorted(trial["datetime_complete"] for trial in log.values())
    quarter = trials // 4
    (folder / "study.db").unlink(missing_ok=True)
    return {"first": (ended[quarter - 1] - ended[0]) / 1e3 / (quarter - 1),
            "last": (ended[-1] - ended[-quarter]) / 1e3 / (quarter - 1)}


def workers(setup):
    trials = 400 if setup.quick else TRIALS
    weights = setup.scratch / "runs/weights/software/training_ckpts/best.ckpt"
    train = setup.ch("train", "jsc-s", "jsc", "--max-epochs", 1, "--project", "weights",
                     "--project-dir", setup.scratch / "runs")
    train.start()

    def ours(project, *storage):
        folder = setup.scratch / f"runs/{project}/software/search_ckpts"

        def numbers():
            found = read(folder, trials)
            seconds = json.loads((folder / "told.json").read_text())["seconds"]
            return {**found, "trial": seconds / trials}

        return setup.ch("search", "--config", setup.example("jsc_s_search.toml"), "--load", weights,
                        "--trials", trials, "--project", project, "--project-dir",
                        setup.scratch / "runs", "--json", folder / "told.json", *storage,
                        read=numbers, facts={"trials": trials})

    peers = {f"optuna {storage}": setup.torch("search", trials=20 if setup.quick else OPTUNA_TRIALS,
                                              storage=storage) for storage in ("memory", "journal", "sqlite")}
    return {"memory": ours("memory", "--storage", "memory"), "file": ours("file"), **peers}


def rows(rows):
    trials = rows.results.facts.get("memory", {}).get("trials", TRIALS)
    title = f"search of jsc-s, {trials:,} trials"
    rows.under(title + ", command", ("memory",), 60)
    rows.costs(title + ", SQLite", ("file",), ("memory",), "in memory", 1.3)
    rows.costs(f"last {trials // 4} trials, each", ("memory", "last"), ("memory", "first"),
               f"the first {trials // 4}", 1.25)
    rows.faster("a search trial, in memory", ("memory", "trial"), ("optuna memory",), "Optuna and PyTorch", 40)
    rows.faster("a search trial, in a file", ("file", "trial"), ("optuna journal",), "Optuna and PyTorch", 40)
    rows.faster("a search trial, SQLite", ("file", "trial"), ("optuna sqlite",), "Optuna and PyTorch",
                detail=True)
