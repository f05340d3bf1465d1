"""number formats over 100 MB of float32, one thread, beside memcpy of the same bytes

Formats whose values stand alone, and formats whose values share something in groups. PyTorch runs
eagerly, with the temporaries that takes."""
ORDER = 9
ROUNDS = 5
TARGETS = {"alone": 0.7, "groups": 0.4}
TITLES = {"alone": "slowest elementwise format", "groups": "slowest block format"}


def workers(setup):
    return {"ours": setup.ours("quantisers", megabytes=100),
            "torch": setup.torch("quantisers", megabytes=100)}


def speeds(results):
    """Bytes per second, read and written, of every format and of the copies beside it."""
    found = results.values.get("ours", {})
    for name in list(found):
        found[f"speed.{name}"] = [2e8 / seconds for seconds in found[name]]
    return [name.split(".") for name in found if name.split(".")[0] in TARGETS]


def share(rows, kind, name, title, **more):
    return rows.share(title, ("ours", f"speed.{kind}.{name}"), ("ours", f"speed.copy.{name}"),
                      "memcpy", "bytes/s", TARGETS[kind], **more)


def rows(rows):
    formats = speeds(rows.results)
    for kind in TARGETS:
        of_kind = [name for group, name in formats if group == kind]
        shares = {name: rows.results.summary("ours", f"copy.{name}").median
                  / rows.results.summary("ours", f"{kind}.{name}").median for name in of_kind}
        slowest = min(shares, key=shares.get, default="")
        share(rows, kind, slowest, f"{TITLES[kind]}{': ' if slowest else ''}{slowest}")
    for kind, name in formats:
        share(rows, kind, name, name, detail=True)
        for peer, title in (("torch", "PyTorch"), ("numpy", "numpy")):
            if f"{peer}.{name}" in rows.results.names("torch"):
                rows.faster(name, ("ours", f"{kind}.{name}"), ("torch", f"{peer}.{name}"), title,
                            detail=True)
