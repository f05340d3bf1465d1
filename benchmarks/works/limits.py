"""what this machine can do: copies, and large products through oneDNN

Shares in the other rows are of limits measured again beside them."""
ORDER = 0


def workers(setup):
    return {**{f"copy {n}": setup.ours("copy", megabytes=100, threads=n) for n in (1, 2)},
            **{f"peak {n}": setup.ours("peak", threads=n) for n in (1, 2)}}


def rows(rows):
    for n, threads in ((1, "one thread"), (2, "two threads")):
        rows.is_(f"copy of 100 MB, {threads}", (f"copy {n}", "bytes"), "bytes/s")
        rows.is_(f"float32 products, {threads}", (f"peak {n}", "f32"), "flop/s")
        rows.is_(f"8-bit products, {threads}", (f"peak {n}", "int8"), "op/s")
