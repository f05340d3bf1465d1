"""20 epochs of jsc-tiny on 986,806 jets, batch 256: the whole command

The data lies in the cache. The second row compares with so many steps and nothing else."""
import json

ORDER = 3
ROUNDS = 5


def workers(setup):
    report = setup.scratch / "train.json"
    command = setup.ch("train", "jsc-tiny", "jsc", "--max-epochs", 20, "--batch-size", 256,
                       "--learning-rate", "1e-3", "--seed", 0, "--project", "bench",
                       "--project-dir", setup.scratch / "runs", "--json", report,
                       read=lambda: {"steps": json.loads(report.read_text())["steps"]})
    step = setup.ours("train_step", model="jsc-tiny", batch=256, threads=1)
    return {"ours": command, "step": step}


def steps_alone(results):
    """Steps times the seconds of one, round by round."""
    values = results.values
    if "ours" in values and "step" in values:
        values["step"]["all"] = [steps * seconds for steps, seconds in
                                 zip(values["ours"]["steps"], values["step"]["seconds"])]


def rows(rows):
    steps_alone(rows.results)
    rows.under("20 epochs of jsc-tiny, command", ("ours",), 5)
    rows.costs("20 epochs of jsc-tiny, command", ("ours",), ("step", "all"), "steps alone", 1.5)
