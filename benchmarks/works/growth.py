"""epochs of jsc-tiny over 10^4 to 10^7 generated jets, batch 256

Linear: a row costs as much as one of a million does. Flat: what training takes beyond the data
itself hardly grows with it; the order of the rows has to be kept somewhere."""
ORDER = 11
ROUNDS = 5
SIZES = {4: "10^4", 5: "10^5", 6: "10^6", 7: "10^7"}


def workers(setup):
    sizes = [size for size in SIZES if not (setup.quick and size == 7)]
    return {SIZES[size]: setup.ours("epoch", model="jsc-tiny", rows=10 ** size, batch=256,
                                    threads=setup.threads) for size in sizes}


def per_million(results):
    for size, name in SIZES.items():
        if name in results.values:
            found = results.values[name]
            found["million"] = [seconds * 10 ** (6 - size) for seconds in found["seconds"]]


def growing(results, most):
    """Memory beyond the data that was not there with 10^4 rows, and the data's own bytes."""
    found, least = results.values[most], results.values["10^4"]
    found["grown"] = [more - less for more, less in zip(found["beyond"], least["beyond"])]
    found["bytes"] = [results.facts[most]["bytes"]] * len(found["grown"])


def rows(rows):
    per_million(rows.results)
    sizes = [name for name in SIZES.values() if name in rows.results.values]
    for name in sizes:
        rows.is_(f"epoch over {name} jets", (name, "seconds"), "s", detail=True)
        rows.is_(f"memory beyond {name} jets", (name, "beyond"), "bytes", detail=True)
        if name != "10^6":
            rows.costs(f"per million of {name} jets", (name, "million"), ("10^6", "million"),
                       "10^6 jets", 1.25)
    if "10^4" in sizes:
        growing(rows.results, sizes[-1])
    most = sizes[-1] if sizes else "10^7"
    rows.costs(f"memory that grew, {most} jets", (most, "grown"), (most, "bytes"), "the data", 0.1,
               unit="bytes")
