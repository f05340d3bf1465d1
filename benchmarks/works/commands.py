"""whole commands: `ch --version`, and the transform example with its data in the cache"""
ORDER = 10


def workers(setup):
    transform = setup.ch("transform", "--config", setup.example("jsc_toy_by_type.toml"), "--task",
                         "cls", "--cpu=0", "--project-dir", setup.scratch / "transformed")
    return {"version": setup.ch("--version", repeat=15), "transform": transform}


def rows(rows):
    rows.under("ch --version", ("version",), 0.01)
    rows.under("transform example", ("transform",), 0.3)
